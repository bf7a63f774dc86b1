import { regionBeyond } from '../../analysis/arguments';
import type { Indeterminacy } from '../../analysis/indeterminacy';
import { type Layer, layerFigures } from '../../analysis/layers';
import { type PackingFigures, type PackingState, packingFigures, wholeRegion } from '../../analysis/packingFigures';
import type { Region } from '../../analysis/region';
import { narrowAxis, touchingContacts, touchingReach } from '../../analysis/touching';
import { SceneError } from '../../errors';
import type { Vector } from '../../scene/problem';
import { analysisPage, layerEnds, normalStresses } from '../analysisPage';
import { containerRegion, roundWalls } from '../container';
import { EXIT, UsageError } from '../exit';
import { sampleForces } from '../forceSampler';
import { figure, table, vectorFigure } from '../format';
import { boxOf, hintsOf } from '../hints';
import { refuseExisting, refuseReplacing, writeWhole } from '../outputFile';
import { LENGTHS, type PackingFiles, readPacking } from '../packing';
import { withReadProgress } from '../readProgress';

export interface AnalyseOptions {
  box?: string;
  cylinder?: string;
  gap?: string;
  layers?: string;
  indeterminacy?: string;
  allowOutside?: boolean;
  html?: string;
  force?: boolean;
  quiet?: boolean;
  json?: boolean;
}

/** Largest gap of grains that count as touching where no contact frame says, in mean diameters. */
const TOUCHING = 1e-3;
/** Layers, or states of the forces. */
const MOST_PARTS = 10_000;

/** With what is taken only where it is asked for. */
export type AnalysedFigures = PackingFigures & { layers?: Layer[]; indeterminacy?: ReturnType<typeof openness> };

/** Tells the figures of a packing that a run has left, or that a file of grains holds. */
export async function analyseCommand(path: string, options: AnalyseOptions): Promise<number> {
  const tolerance = options.gap === undefined ? TOUCHING : numbersOf('--gap', options.gap, 1)[0];
  if (tolerance < 0) throw new UsageError('--gap: expected a number from 0, in mean diameters.');
  const [layers, samples] = [countOf('--layers', options.layers), countOf('--indeterminacy', options.indeterminacy)];
  const given = regionOf(options);
  if (options.html !== undefined) await refuseExisting(options.html, options.force ?? false);
  const files = await withReadProgress(options.quiet ?? false, (onRead) => readPacking(path, onRead));
  if (options.html !== undefined) await refuseReplacing([path, files.grains], [options.html]);
  const { table: grains, contacts, dimension, periodic } = files;
  if (dimension === 2 && given?.kind === 'cylinder')
    throw new UsageError('--cylinder: this packing is two-dimensional; give --box.');
  const beyond = given && regionBeyond(given, periodic);
  if (beyond) throw new UsageError(`--${given.kind}: the region ${beyond}.`);
  const { positions, radii } = grains;
  if (!contacts) checkWidth(files, tolerance);
  const packing: PackingState = {
    positions,
    radii,
    dimension,
    periodic,
    contacts: contacts ?? touchingContacts(positions, radii, tolerance, periodic),
    hasForces: contacts !== undefined,
    ...lawsOf(files),
  };
  const container = !given && files.scene && dimension === 3 ? containerRegion(files.scene, positions, periodic) : undefined;
  const region = given ?? container ?? wholeRegion(positions, periodic);
  const figures: AnalysedFigures = packingFigures(packing, region);
  if (given && figures.inside === 0)
    throw new UsageError(`The region holds no centre of a grain: they are in ${boxOf(wholeRegion(positions, periodic))}.`);
  if (layers) figures.layers = layerFigures(packing, region, layers);
  if (samples) figures.indeterminacy = openness(await sampleForces(files, { ...options, samples, region: given }));
  const hints = hintsOf(files, { ...figures, given: given !== undefined, tolerance, asked: samples });
  const rows = [...rowsOf(files, figures, tolerance, hints, given === undefined), ...addedRows(figures, dimension)];
  if (options.html !== undefined) {
    await writeWhole(options.html, analysisPage(files.scene?.title || files.grains, rows, figures, dimension));
  }
  const page: [string, string][] = options.html === undefined ? [] : [['page', options.html]];
  const head = { file: files.grains, step: grains.step ?? null, time: grains.time ?? null };
  process.stdout.write(options.json ? `${JSON.stringify({ ...head, ...figures, hints }, null, 2)}\n` : table([...rows, ...page]));
  return EXIT.done;
}

/** @throws SceneError for a periodic box in which a pair would count once though it touches from two sides */
function checkWidth({ grains, table: { radii }, periodic }: PackingFiles, tolerance: number): void {
  const reach = touchingReach(radii, tolerance);
  const narrow = narrowAxis(reach, periodic);
  if (narrow < 0) return;
  const axis = 'xyz'[narrow];
  const message = `the periodic box is ${periodic!.lengths[narrow]} long in ${axis}, and grains that touch are up to ${reach} apart: they could do so from two sides; repeat the grains along ${axis}, so that it is longer than ${2 * reach}`;
  throw new SceneError([{ path: grains, message }]);
}

/** What of the sampled force states is told: eta with its error, not the forces of each contact. */
const openness = ({ eta, error, contacts, samples, rejected }: Indeterminacy) => ({
  eta,
  error: Number.isNaN(error) ? null : error,
  contacts: contacts.length,
  samples,
  rejected,
});

/** @returns undefined where the option is not given */
function countOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 2 && count <= MOST_PARTS) return count;
  throw new UsageError(`${option}: expected a whole number from 2 to ${MOST_PARTS}, got "${text}".`);
}

/** Of grains whose centres lie in a plane. */
const FLAT = 'none: the region is flat, choose one by --box or --cylinder';

function regionOf({ box, cylinder }: AnalyseOptions): Region | undefined {
  if (box !== undefined && cylinder !== undefined) throw new UsageError('Give --box or --cylinder, not both.');
  if (box !== undefined) {
    const values = numbersOf('--box', box, 6);
    const [min, max] = [values.slice(0, 3) as Vector, values.slice(3) as Vector];
    if (!(max[0] > min[0] && max[1] > min[1] && max[2] >= min[2]))
      throw new UsageError('--box: expected the lower corner first.');
    return { kind: 'box', min, max };
  }
  if (cylinder === undefined) return undefined;
  const [x, y, z, a, b, c, radius, height] = numbersOf('--cylinder', cylinder, 8);
  const length = Math.hypot(a, b, c);
  if (!(length > 0 && radius > 0 && height > 0)) throw new UsageError('--cylinder: axis, radius and height must not be zero.');
  return { kind: 'cylinder', point: [x, y, z], axis: [a / length, b / length, c / length], radius, height };
}

function numbersOf(option: string, text: string, count: number): number[] {
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const { most } = LENGTHS;
  if (values.length === count && values.every((value) => Math.abs(value) <= most)) return values;
  throw new UsageError(
    `${option}: expected ${count === 1 ? 'a number' : `${count} numbers with commas between them`}, from ${-most} to ${most}, got "${text}".`,
  );
}

/**
 * Coulomb's coefficient between grains, and the pull of their bonds, by their materials; of contacts with walls 0: frames do not tell a
 * wall's material.
 */
function lawsOf({ scene, table: { types, count }, contacts }: PackingFiles): Pick<PackingState, 'friction' | 'cohesion'> {
  if (!scene || !types || !contacts) return {};
  const names = Object.keys(scene.materials);
  const laws = new Map(
    scene.contacts.flatMap(({ between: [a, b], friction, cohesion }) => {
      const law = { mu: typeof friction === 'number' ? friction : friction.static, pull: cohesion?.force ?? 0 };
      return [[`${a}\n${b}`, law] as const, [`${b}\n${a}`, law] as const];
    }),
  );
  const nameOf = (i: number) => names[types[i] - 1];
  const lawOf = (c: number) => {
    const [i, j] = [contacts.first[c], contacts.second[c]];
    return j < count ? laws.get(`${nameOf(i)}\n${nameOf(j)}`) : undefined;
  };
  return { friction: (c) => lawOf(c)?.mu ?? 0, cohesion: (c) => lawOf(c)?.pull ?? 0 };
}

function rowsOf(
  { grains, table: { step, time }, contacts, scene, dimension }: PackingFiles,
  figures: PackingFigures,
  tolerance: number,
  hints: readonly string[],
  chosenHere: boolean,
): [string, string][] {
  const { region, coordination, fabric, overlap, diameter } = figures;
  const tensor = (values: readonly number[]) => [0, 3, 6].map((k) => vectorFigure(values.slice(k, k + 3))).join(' ');
  const where =
    region.kind === 'box'
      ? boxOf(region)
      : `cylinder at ${vectorFigure(region.point)} along ${vectorFigure(region.axis)}, radius ${figure(region.radius)}, height ${figure(region.height)}`;
  const [round] = chosenHere && scene && dimension === 3 ? roundWalls(scene) : [];
  return [
    [
      'file',
      [grains, step !== undefined && `step ${step}`, time !== undefined && `time ${figure(time)}`].filter(Boolean).join(', '),
    ],
    ['grains', `${figures.grains}, diameters ${figure(diameter.min)} to ${figure(diameter.max)}, mean ${figure(diameter.mean)}`],
    [
      'region',
      `${round && region.kind === 'cylinder' ? `${where}, in the wall "${round.name}"` : where}: ${figures.inside} grains`,
    ],
    ...hints.map((hint): [string, string] => ['hint', hint]),
    ['volume fraction', Number.isFinite(figures.volumeFraction) ? figure(figures.volumeFraction) : FLAT],
    [
      'contacts',
      contacts
        ? `${figures.contacts} that press`
        : `${figures.contacts} pairs nearer than ${tolerance} mean diameters; forces are not known`,
    ],
    [
      'coordination number',
      `${figure(coordination.mean)}, without rattlers ${figure(coordination.withoutRattlers)}; ${coordination.rattlers} rattlers; contacts with walls count`,
    ],
    ['overlap', `mean ${figure(overlap.mean, 2)}, most ${figure(overlap.max, 2)} mean diameters`],
    ['fabric', fabric ? `${tensor(fabric.tensor)}, anisotropy ${figure(fabric.anisotropy)}` : 'none'],
    ...forceRows(figures, tensor),
  ];
}

/** What is known of the forces. */
function forceRows({ stress, forces, mobilisation, forceChains }: PackingFigures, tensor: (values: readonly number[]) => string) {
  const rows: [string, string][] = [];
  if (stress?.total.every(Number.isFinite)) rows.push(['stress', tensor(stress.total)]);
  if (stress?.tensile.some((value) => Number.isFinite(value) && value !== 0))
    rows.push(['of contacts that pull', tensor(stress.tensile)]);
  if (forces) {
    const tail = forces.tail && `, tail exp(-${figure(forces.tail.beta, 3)} F/<F>), error ${figure(forces.tail.error, 2)}`;
    rows.push(['normal force', `mean ${figure(forces.mean)}${tail ?? ''}`]);
  }
  if (mobilisation && mobilisation.contacts > 0) {
    const full = `all of it at ${figure(100 * mobilisation.full, 3)} % of the contacts of grains`;
    rows.push(['friction used', `mean ${figure(mobilisation.mean, 3)} of its bound; ${full}`]);
  }
  if (forceChains) {
    const networks = `in ${forceChains.networks === 1 ? '1 network' : `${forceChains.networks} networks, the largest`} of ${forceChains.largest} grains`;
    rows.push(['force chains', `${figure(100 * forceChains.share, 3)} % of the contacts bear more than the mean, ${networks}`]);
  }
  return rows;
}

const figureOrNone = (value: number | null) => (Number.isFinite(value) ? figure(value!) : 'none');

/** Layers, and how open the forces are. */
function addedRows({ layers = [], indeterminacy, region }: AnalysedFigures, dimension: 2 | 3): [string, string][] {
  const nameOf = (layer: Layer) => {
    const { along, from, to } = layerEnds(region, layer, dimension);
    // Far from the origin the ends of thin layers would else be told alike.
    const ratio = Math.max(Math.abs(from), Math.abs(to)) / (to - from) || 1;
    const digits = Math.max(3, Math.min(15, 2 + Math.ceil(Math.log10(ratio))));
    return `layer ${along} ${figure(from, digits)} to ${figure(to, digits)}`;
  };
  const stressOf = (values: readonly number[] | null) => {
    const normal = values && normalStresses(values, dimension);
    if (!normal?.every(Number.isFinite)) return '';
    return `, stress ${normal.map((value, axis) => `${'xyz'[axis].repeat(2)} ${figure(value)}`).join(' ')}`;
  };
  const rows = layers.map((layer): [string, string] => [
    nameOf(layer),
    `${layer.grains} grains, volume fraction ${figureOrNone(layer.volumeFraction)}, coordination ${figureOrNone(layer.coordination)}${stressOf(layer.stress)}`,
  ]);
  if (!indeterminacy) return rows;
  const { eta, error, contacts, samples, rejected } = indeterminacy;
  const plusMinus = error === null ? '' : ` +- ${figure(error, 2)}`;
  return [
    ...rows,
    [
      'force indeterminacy',
      `eta ${figureOrNone(eta)}${plusMinus} over ${contacts} contacts, ${samples} states, ${rejected} tries without one`,
    ],
  ];
}
