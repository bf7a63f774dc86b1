import { z } from 'zod';
import { describeIssue, issueFaults } from '../../src/scene/faults';
import { BACKENDS } from './names';
import { SCENE_NAMES } from './scenes';

/** What a benchmark leaves, in Node as in a page: this definition makes the types and checks the files. */

const number = z.number();
const scene = z.enum(SCENE_NAMES);
const backend = z.enum(BACKENDS);

/** Figures of one scene at one size on one backend; of steps, their mean. */
const caseResult = z.object({
  scene,
  backend,
  adapter: z.string().nullable(),
  softwareAdapter: z.boolean(),
  grains: number.positive(),
  /** The state that is measured from: "at rest", or the step that the preparation had come to. */
  start: z.string(),
  steps: number.positive(),
  contacts: number,
  candidates: number,
  colours: number,
  sweeps: number,
  /** Steps that ended by the criterion, not by the most sweeps. */
  converged: number,
  /** Of the last step. */
  residual: number,
  /** Of the last step; null where it is not measured. */
  balance: number.nullable(),
  /** Of the last step, in mean diameters. */
  meanOverlap: number,
  maxOverlap: number,
  /** By the clock, and of CPU time: where others share the machine, or the adapter computes on the CPU, the second counts. */
  millisecondsPerStep: number,
  /** Null where a program is not told, as in a page. */
  cpuMillisecondsPerStep: number.nullable(),
  /** Of the sweeps where stages are timed, of whole steps elsewhere; null without sweeps. */
  millisecondsPerSweep: number.nullable(),
  /** Milliseconds per step on the GPU; null where there are no timestamps. */
  stages: z.record(z.string(), number).nullable(),
  /** Candidates times sweeps over the time of the sweeps where stages are timed, of whole steps elsewhere. */
  contactUpdatesPerSecond: number,
  /** Of GPU memory; null on the CPU. */
  bytesPerGrain: number.nullable(),
  /** Share of the copy bandwidth that these updates take, see UPDATE_BYTES. */
  bandwidthShare: number.nullable(),
});

/** The way of a packing from its first step to rest, to a residual of 0.01. */
const settling = z.object({
  scene,
  backend,
  grains: number,
  /** Done until it was at rest, or time was over. */
  steps: number,
  seconds: number,
  /** Null where a scene stays in motion. */
  atRest: z.boolean().nullable(),
  /** The step whose state is measured from. */
  measuredFrom: number,
});

/** One solver among those that do the same scene in turn. */
const comparison = z.object({
  name: z.string(),
  solver: z.enum(['rapier', ...BACKENDS]),
  millisecondsPerStep: number,
  /** Mean diameters, over pairs with a gap below 1e-3, mean over the samples of the last quarter of the run. */
  meanOverlap: number,
  /** Largest of all samples. */
  maxOverlap: number,
});

const rapierRun = z.object({ scene, grains: number, steps: number, results: z.array(comparison) });

const machine = z.object({
  cpu: z.string().nullable(),
  cores: number,
  memoryBytes: number.nullable(),
  system: z.string(),
  /** Node or the browser, and its version. */
  runtime: z.string(),
  library: z.string(),
  rapier: z.string().nullable(),
  adapter: z.string().nullable(),
});

/** Growth as a power of the number of grains, by least squares of the logarithms. */
const fit = z.object({
  scene,
  backend,
  quantity: z.enum(['milliseconds per step', 'sweeps', 'seconds to rest']),
  exponent: number,
});

const perBackend = z.partialRecord(backend, number);

const suiteResult = z.object({
  command: z.string(),
  date: z.string(),
  note: z.string(),
  machine,
  /** Of the adapter, by the names of WebGPU; null without one. */
  limits: z.record(z.string(), number).nullable(),
  /** Of the adapter. */
  features: z.array(z.string()),
  /** Bytes read and written per second. */
  copyBandwidth: perBackend,
  updateBytes: perBackend,
  settlings: z.array(settling),
  cases: z.array(caseResult),
  /** What was asked for and was not run, and why. */
  failures: z.array(
    z.object({ scene, backend, grains: number, error: z.string(), /** Nothing but time was missing. */ late: z.boolean() }),
  ),
  fits: z.array(fit),
  rapier: z.array(rapierRun),
});

export type CaseResult = z.output<typeof caseResult>;
export type Settling = z.output<typeof settling>;
export type Comparison = z.output<typeof comparison>;
export type RapierRun = z.output<typeof rapierRun>;
export type Machine = z.output<typeof machine>;
export type Fit = z.output<typeof fit>;
export type SuiteResult = z.output<typeof suiteResult>;

/** Faults of a file that are named. */
const FAULTS_NAMED = 3;

/**
 * Reads a file of results.
 * @param name of the file, for the message
 * @throws RangeError that says what is wrong and which files will do
 */
export function parseResult(text: string, name: string): SuiteResult {
  const mend = 'Give the JSON file of a benchmark of this version (npm run bench or npm run bench:chrome).';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new RangeError(`${name} is no JSON: ${(error as Error).message}. ${mend}`);
  }
  const parsed = suiteResult.safeParse(json, { error: describeIssue, reportInput: true });
  if (parsed.success) return parsed.data;
  const faults = issueFaults(parsed.error.issues).map(({ path, message }) => (path ? `${path} ${message}` : message));
  const more = faults.length > FAULTS_NAMED ? `; and ${faults.length - FAULTS_NAMED} more` : '';
  throw new RangeError(`${name} is no result of a benchmark: ${faults.slice(0, FAULTS_NAMED).join('; ')}${more}. ${mend}`);
}
