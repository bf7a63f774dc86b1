import { diffusionLength, effectiveStiffness, hasPlainSweeps } from '../analysis/diffusion';
import type { EventRecord } from '../events/schedule';
import type { StepReport } from '../report';
import type { Problem, Vector, Wall } from '../scene/problem';

/** Steps over which the loads on walls are averaged. */
const LOAD_AVERAGE_STEPS = 10;

interface WallSummary {
  /** That the grains exert on the wall, mean over the last 10 steps. */
  force: Vector;
  /** About `position`, mean over the last 10 steps. */
  torque: Vector;
  /** The wall's point; of a box the mean of its faces' points. */
  position: Vector;
  velocity: Vector;
  /** Steps done when an event took the wall away; the other figures are then those of the time before. */
  removed?: number;
}

/** The contents of summary.json, in the units of the scene. */
export interface Summary {
  format: 'contact-dynamics/1';
  title: string;
  backend: 'webgpu' | 'cpu';
  adapter: string | null;
  softwareAdapter: boolean;
  seed: number;
  grains: number;
  /** Done in all, from the start of the scene. */
  steps: number;
  /** Steps done before this run began, by the checkpoint that it goes on from; 0 for a run from the start. What follows marked `this run` is of the steps after these alone. */
  fromStep: number;
  time: number;
  /** This run, stepping alone, no loading or writing. */
  wallSeconds: number;
  /** This run. */
  stepsPerSecond: number;
  /** At the end, those with P_n > 0. */
  contacts: number;
  candidates: number;
  colours: number;
  /** This run. */
  iterations: { total: number; mean: number; max: number };
  /** This run. */
  unconvergedSteps: number;
  residual: number;
  residualMax: number;
  /** Null where it was not measured. */
  balance: number | null;
  /** At the end, in mean grain diameters. */
  penetration: { mean: number; max: number };
  /** This run. */
  maxPenetration: number;
  kineticEnergy: number;
  momentum: Vector;
  /** Those there at the end, and those that events removed in this run. */
  walls: Record<string, WallSummary>;
  /** What the events of the scene did in this run, in order. */
  events: EventRecord[];
  /** Of the last step of plain sweeps that was fixed in their number or did not converge; null if none was. */
  diffusionLength: number | null;
  effectiveStiffness: number | null;
  /** Size of the largest cluster at the end; null where the state was not read. */
  systemLength: number | null;
  warnings: string[];
  gpuMemoryBytes: number;
}

/** What the summary takes from the simulation beside its reports. */
export interface SummarySource {
  readonly problem: Problem;
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: string | null;
  readonly softwareAdapter: boolean;
  readonly gpuMemoryBytes: number;
  readonly warnings: readonly string[];
  readonly events: readonly EventRecord[];
}

/** Gathers the reports of a run, one `add` per step, into its summary. Keeps the last few reports only. */
export class RunFigures {
  private steps: number;
  private sweeps = 0;
  private maxSweeps = 0;
  private unconverged = 0;
  private maxPenetration = 0;
  /** Sweeps of the last step that used up all it was given, and of the last that had any. */
  private unconvergedSweeps = 0;
  private lastSweeps = 0;
  private readonly recent: Seen[] = [];
  private walls: readonly Wall[] | undefined;
  private readonly gone = new Map<string, WallSummary>();

  /** @param start steps done before the first that is added */
  constructor(private readonly start = 0) {
    this.steps = start;
  }

  /** Steps that were added. */
  get stepsSeen(): number {
    return this.steps - this.start;
  }

  /** @param walls those of the step; they may change from event to event */
  add(report: StepReport, walls: readonly Wall[]): void {
    this.noteWalls(walls);
    this.steps = report.step;
    this.sweeps += report.iterations;
    this.maxSweeps = Math.max(this.maxSweeps, report.iterations);
    if (!report.converged) {
      this.unconverged++;
      this.unconvergedSweeps = report.iterations;
    }
    if (report.iterations > 0) this.lastSweeps = report.iterations;
    this.maxPenetration = Math.max(this.maxPenetration, report.maxPenetration);
    this.recent.push({ report, walls });
    if (this.recent.length > LOAD_AVERAGE_STEPS) this.recent.shift();
  }

  /** How far forces reach in a step and how stiff contacts seem beyond, in scene units; null where the theory does not hold or all steps converged. */
  private softness(problem: Problem): Pick<Summary, 'diffusionLength' | 'effectiveStiffness'> {
    const { solver } = problem;
    const sweeps = solver.convergence.criterion === 'fixed' ? this.lastSweeps : this.unconvergedSweeps;
    if (!hasPlainSweeps(solver) || sweeps === 0) return { diffusionLength: null, effectiveStiffness: null };
    return { diffusionLength: diffusionLength(problem, sweeps), effectiveStiffness: effectiveStiffness(problem, sweeps) };
  }

  /**
   * @param source the simulation that gave the reports
   * @param wallSeconds time spent on stepping
   */
  summary(source: SummarySource, wallSeconds: number): Summary {
    const { problem } = source;
    this.noteWalls(problem.walls);
    const last = this.recent.at(-1)?.report;
    return {
      format: 'contact-dynamics/1',
      title: problem.title,
      backend: source.backend,
      adapter: source.adapter,
      softwareAdapter: source.softwareAdapter,
      seed: problem.solver.seed,
      grains: problem.grains.count,
      steps: this.steps,
      fromStep: this.start,
      time: this.steps * problem.timeStep,
      wallSeconds,
      stepsPerSecond: wallSeconds > 0 ? this.stepsSeen / wallSeconds : 0,
      contacts: last?.contacts ?? 0,
      candidates: last?.candidates ?? 0,
      colours: last?.colours ?? 0,
      iterations: { total: this.sweeps, mean: this.stepsSeen > 0 ? this.sweeps / this.stepsSeen : 0, max: this.maxSweeps },
      unconvergedSteps: this.unconverged,
      residual: last?.residual ?? 0,
      residualMax: last?.residualMax ?? 0,
      balance: last?.balance ?? null,
      penetration: { mean: last?.meanPenetration ?? 0, max: last?.maxPenetration ?? 0 },
      maxPenetration: this.maxPenetration,
      kineticEnergy: last?.kineticEnergy ?? 0,
      momentum: last?.momentum ?? [0, 0, 0],
      walls: { ...summariseWalls(problem.walls, this.recent), ...Object.fromEntries(this.gone) },
      events: [...source.events],
      ...this.softness(problem),
      systemLength: null,
      warnings: [...source.warnings],
      gpuMemoryBytes: source.gpuMemoryBytes,
    };
  }

  /** Keeps the last figures of walls that are there no more. */
  private noteWalls(walls: readonly Wall[]): void {
    if (this.walls === walls) return;
    const now = summariseWalls(walls, []);
    for (const [name, figures] of Object.entries(summariseWalls(this.walls ?? [], this.recent))) {
      if (!(name in now)) this.gone.set(name, { ...figures, removed: this.steps });
    }
    this.walls = walls;
  }
}

/** A step with the walls that it had. */
interface Seen {
  report: StepReport;
  walls: readonly Wall[];
}

/** Force and torque on the wall, mean over those of the steps in which it was there, and where it was in the last of them. */
function summariseWall({ name, shape }: Wall, recent: readonly Seen[]): WallSummary {
  const loads = new Float64Array(6);
  let [steps, position, velocity]: [number, Vector, Vector] = [0, [...shape.point], [0, 0, 0]];
  for (const { report, walls } of recent) {
    const w = walls.findIndex((wall) => wall.name === name);
    if (w < 0) continue;
    steps++;
    for (let k = 0; k < 6; k++) loads[k] += report.wallLoads[6 * w + k];
    position = vectorAt(report.wallMotions, 6 * w);
    velocity = vectorAt(report.wallMotions, 6 * w + 3);
  }
  const mean = loads.map((load) => load / Math.max(1, steps));
  return { force: vectorAt(mean, 0), torque: vectorAt(mean, 3), position, velocity };
}

/** Every wall under its name, in the order of the scene; a box first as a whole, then its faces. */
function summariseWalls(walls: readonly Wall[], recent: readonly Seen[]): Record<string, WallSummary> {
  const single = walls.map((wall) => summariseWall(wall, recent));
  const entries: [string, WallSummary][] = [];
  const boxes = new Set<string>();
  walls.forEach(({ name, box }, w) => {
    if (box !== undefined && !boxes.has(box)) {
      boxes.add(box);
      entries.push([box, sumOfFaces(single.filter((_, face) => walls[face].box === box))]);
    }
    entries.push([name, single[w]]);
  });
  return Object.fromEntries(entries);
}

/** Forces add up; torques are moved from each face's point to the box's. */
function sumOfFaces(faces: readonly WallSummary[]): WallSummary {
  const mean = (pick: (face: WallSummary) => Vector) =>
    [0, 1, 2].map((k) => faces.reduce((sum, face) => sum + pick(face)[k], 0) / faces.length) as Vector;
  const position = mean((face) => face.position);
  const force: Vector = [0, 0, 0];
  const torque: Vector = [0, 0, 0];
  for (const face of faces) {
    const arm = face.position.map((x, k) => x - position[k]);
    for (let k = 0; k < 3; k++) {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      force[k] += face.force[k];
      torque[k] += face.torque[k] + arm[i] * face.force[j] - arm[j] * face.force[i];
    }
  }
  return { force, torque, position, velocity: mean((face) => face.velocity) };
}

function vectorAt(values: Float64Array, start: number): Vector {
  return [values[start], values[start + 1], values[start + 2]];
}
