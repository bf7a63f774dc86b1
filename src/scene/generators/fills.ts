import { type Fault, SceneError } from '../../errors';
import { GrainIndex } from '../grainIndex';
import type { GrainGroup } from '../grains';
import { grainVolume } from '../grainVolume';
import type { FillRegion, Grains, Space } from '../problem';
import { type BallisticSettings, deposit } from './ballistic';
import { drawRadii } from './radii';
import { fillRandom, type RandomSettings } from './random';
import { randomNumbers } from './randomNumbers';
import { regionVolume } from './regions';

/** Draws the radii of a fill, so that the index of all grains can be sized before grains are placed. */
export function drawFillRadii(
  { radius, count, seed }: Pick<RandomSettings, 'radius' | 'count' | 'seed'>,
  grains: Grains,
  start: number,
): void {
  grains.radii.set(drawRadii(radius, count, randomNumbers(seed)), start);
}

const isFill = ({ settings: { random, ballistic } }: GrainGroup) => random !== undefined || ballistic !== undefined;

/**
 * Places the grains of all fills, group by group, among those with given places.
 * @throws SceneError for each fill that does not fit
 */
export function placeFills(groups: readonly GrainGroup[], grains: Grains, space: Space): void {
  if (!groups.some(isFill)) return;
  const placed = new Placed(grains, space);
  for (const group of groups) if (!isFill(group)) placed.add(group);
  const faults = groups.filter(isFill).flatMap((group) => {
    const { random, ballistic } = group.settings;
    const fault = random ? placeRandom(random, group, placed) : placeBallistic(ballistic!, group, placed);
    if (!fault) return [];
    return [{ path: `${group.path}.${random ? 'random' : 'ballistic'}${fault.key}`, message: fault.message }];
  });
  if (faults.length > 0) throw new SceneError(faults);
}

/** The grains that have their places, and the space in which they lie. */
class Placed {
  readonly index: GrainIndex;
  readonly ids: number[] = [];

  constructor(
    readonly grains: Grains,
    readonly space: Space,
  ) {
    this.index = new GrainIndex(grains.positions, grains.radii, space.periodic);
  }

  add({ start, count }: GrainGroup): void {
    for (let i = start; i < start + count; i++) {
      this.index.add(i);
      this.ids.push(i);
    }
  }
}

/** What is wrong with a fill, and with which of its keys. */
interface FillFault extends Pick<Fault, 'message'> {
  /** Such as `.count`, or nothing. */
  key: string;
}

/** Share of a region that the grains of a group take, and what is wrong if that is more than all. */
function fillShare(
  region: FillRegion,
  { start, count }: GrainGroup,
  { grains, space }: Placed,
): { share: number; fault?: FillFault } {
  const share = solidVolume(grains.radii.subarray(start, start + count), space.dimension) / regionVolume(region, space);
  if (share <= 1) return { share };
  const volume = space.dimension === 2 ? 'area' : 'volume';
  const message = `the grains have ${share.toPrecision(3)} times the ${volume} of the region; make it larger, or count or radius smaller`;
  return { share, fault: { key: '', message } };
}

function placeRandom(random: RandomSettings, group: GrainGroup, placed: Placed): FillFault | undefined {
  const { share, fault } = fillShare(random, group, placed);
  if (fault) return fault;
  const { start, count } = group;
  const found = fillRandom(random, placed.grains, start, placed.index, placed.space);
  if (found === count) {
    for (let i = start; i < start + count; i++) placed.ids.push(i);
    return undefined;
  }
  const message = `only ${found} of ${count} grains found room (they fill ${(100 * share).toPrecision(3)} % of the region; about ${placed.space.dimension === 2 ? 50 : 30} % is what a random fill reaches); make the region larger, or count or radius smaller, and see that the walls leave it free`;
  return { key: '', message };
}

function placeBallistic(ballistic: BallisticSettings, group: GrainGroup, placed: Placed): FillFault | undefined {
  const { start, count } = group;
  const { grains, space } = placed;
  const { fault } = fillShare(ballistic, group, placed);
  const captureFault = captureRadiusFault(ballistic, grains.radii.subarray(start, start + count), placed);
  if (fault || captureFault) return fault ?? captureFault;
  const found = deposit(ballistic, grains, start, placed.ids, space);
  if (found === count) {
    placed.add(group);
    return undefined;
  }
  const message = `only ${found} of ${count} grains came to lie before the next one was within reach of another at the top of the box; make "max" of the box higher (or wider), or count, radius or captureRadius smaller`;
  return { key: '.box', message };
}

function captureRadiusFault(
  { captureRadius }: BallisticSettings,
  radii: Float64Array,
  { grains, space }: Placed,
): FillFault | undefined {
  const largest = radii.reduce((most, radius) => Math.max(most, radius), 0);
  if (captureRadius < 2 * largest) {
    return {
      key: '.captureRadius',
      message: `must be at least twice the largest radius (${2 * largest}), at which grains touch, got ${captureRadius}`,
    };
  }
  // Beyond this, what a captured grain meets on its way could be another image than the nearest.
  const diameter = 2 * grains.radii.reduce((most, radius) => Math.max(most, radius), 0);
  const lengths = (space.periodic?.lengths ?? []).slice(0, 2).filter((length) => length > 0);
  const most = Math.min(...lengths) - 2 * diameter;
  if (captureRadius <= most) return undefined;
  return {
    key: '.captureRadius',
    message: `must be at most ${most.toPrecision(4)}, the shortest side of the periodic box less two of the largest diameters, got ${captureRadius}`,
  };
}

function solidVolume(radii: Float64Array, dimension: 2 | 3): number {
  return radii.reduce((volume, radius) => volume + grainVolume(radius, dimension), 0);
}
