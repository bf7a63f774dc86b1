import { endsAlong } from '../analysis/arguments';
import { wholeRegion } from '../analysis/packingFigures';
import type { BoxRegion, Region } from '../analysis/region';
import { roundWalls } from './container';
import { balanceRemedy } from './forceSampler';
import { figure, vectorFigure } from './format';
import type { PackingFiles } from './packing';

/** What is known of the figures when hints are sought. */
export interface Hinted {
  region: Region;
  /** Whether the user gave the region. */
  given: boolean;
  diameter: { mean: number };
  contacts: number;
  /** Gap up to which grains count as touching where forces are not known, in mean diameters. */
  tolerance: number;
  /** States of the forces that were looked for, if any. */
  asked?: number;
  indeterminacy?: { samples: number };
}

/** What makes figures say something else than they seem to. */
export function hintsOf(files: PackingFiles, figures: Hinted): string[] {
  const { region, given, diameter, contacts, tolerance, asked = 0, indeterminacy } = figures;
  const { scene, dimension } = files;
  const hints: string[] = [];
  const [round] = !given && scene && dimension === 3 ? roundWalls(scene) : [];
  if (round && region.kind === 'box')
    hints.push(`the box is not the container, as the wall "${round.name}" is round: choose the region by --cylinder`);
  if (given) hints.push(...regionHints(files, region, diameter.mean));
  if (!files.contacts && contacts === 0) hints.push(`no pair is nearer than ${tolerance} mean diameters: try --gap`);
  if (scene && indeterminacy && indeterminacy.samples < asked)
    hints.push(
      `eta is of ${indeterminacy.samples} states of the forces, fewer than the ${asked} that were asked for: too many tries ended in none. ${balanceRemedy(scene)}`,
    );
  return hints;
}

export const boxOf = ({ min, max }: BoxRegion) => `box ${vectorFigure(min)} to ${vectorFigure(max)}`;

/** Of a region that reaches beyond the grains or is smaller than one of them: perhaps it is in other units. */
function regionHints(files: PackingFiles, region: Region, diameter: number): string[] {
  const { dimension } = files;
  const grains = boxAround(files);
  const axes = [0, 1, 2].slice(0, dimension);
  const ends = axes.map((k) => endsAlong(region, k));
  const where = `the grains lie in ${boxOf(grains)}`;
  const beyond = Math.max(...ends.flatMap(([from, to], k) => [grains.min[k] - from, to - grains.max[k]]));
  const sides = region.kind === 'cylinder' ? [2 * region.radius, region.height] : ends.map(([from, to]) => to - from);
  const thin = Math.min(...sides);
  const hints: string[] = [];
  if (beyond > diameter) {
    const longest = Math.max(...axes.map((k) => grains.max[k] - grains.min[k]));
    const units = beyond > 10 * longest ? ' Is it in their units?' : '';
    hints.push(
      `the region reaches ${figure(beyond / diameter, 2)} mean diameters beyond the grains, and volume fraction and stress are means with what is empty there: ${where}.${units}`,
    );
  }
  if (thin > 0 && thin < diameter)
    hints.push(
      `the region is ${figure(thin / diameter, 2)} mean diameters wide, less than a grain: ${where}. Is it in their units?`,
    );
  return hints;
}

/** Around the surfaces of the grains; along periodic axes the periodic box. */
function boxAround({ table: { positions, radii }, periodic }: PackingFiles): BoxRegion {
  const shifted = (sign: number) => positions.map((x, k) => x + sign * radii[Math.floor(k / 3)]);
  return {
    kind: 'box',
    min: wholeRegion(shifted(-1), periodic).min,
    max: wholeRegion(shifted(1), periodic).max,
  };
}
