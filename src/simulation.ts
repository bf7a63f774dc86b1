import { type BackendChoice, checkBackendName, type OpenBackend, openBackend } from './backend';
import type { State, StepReport } from './report';
import { formatValue } from './scene/faults';
import { loadProblem } from './scene/load';
import type { Problem } from './scene/problem';
import { parseScene, type SceneInput } from './scene/schema';
import type { Units } from './scene/system';
import { toSceneReport, toSceneState, toSystem } from './scene/units';
import { LONG_STEP_DISPLACEMENT } from './settings';

export interface SimulationOptions extends BackendChoice {
  /** Stops the run after the step in progress. */
  signal?: AbortSignal;
  /** Text of a grain file that the scene names; default: fetched, relative to the page. */
  readText?: (path: string) => Promise<string>;
  /** Bytes of a mesh file that the scene names; default: fetched, relative to the page. */
  readBytes?: (path: string) => Promise<Uint8Array>;
}

/** A packing that is stepped through time. All figures are in the units of the scene. */
export interface Simulation {
  readonly problem: Problem;
  readonly backend: 'webgpu' | 'cpu';
  /** What the GPU adapter says of itself; null on the CPU. */
  readonly adapter: string | null;
  /** Whether that adapter computes on the CPU. */
  readonly softwareAdapter: boolean;
  readonly gpuMemoryBytes: number;
  /** What the scene's checks and the run so far have to say; each kind of trouble once. */
  readonly warnings: readonly string[];
  /** Steps done so far. */
  readonly steps: number;
  /**
   * Does `count` steps (default 1), fewer where the signal aborts, and gives their reports; `onReport` gets each as it comes.
   * @throws RangeError for a count that is no whole number from 0
   * @throws NumericalError where a figure is no longer finite
   * @throws DeviceLostError where the GPU is lost
   */
  step(count?: number, onReport?: (report: StepReport) => void): Promise<StepReport[]>;
  /** Positions, motions and contacts after the last step; angular velocities in radians per time, contact forces as forces. */
  read(): Promise<State>;
  /** Milliseconds that each stage took on the GPU so far; null without `profile`, on the CPU, or on a device without timestamps. */
  stageTimes(): Promise<Record<string, number> | null>;
  /** Gives back what the backend holds. A device that was passed in is not destroyed. */
  dispose(): void;
}

/**
 * Makes a simulation of a scene (as in a scene file, parsed) or of a problem that was loaded before.
 * @throws SceneError listing every fault of the scene
 * @throws BackendError where the asked backend is not available
 * @throws CapacityError where the scene does not fit the adapter
 */
export async function createSimulation(scene: SceneInput | Problem, options: SimulationOptions = {}): Promise<Simulation> {
  checkBackendName(options.backend);
  const { readText = fetchText, readBytes = fetchBytes } = options;
  const problem = isProblem(scene) ? scene : await loadProblem(parseScene(scene), readText, { readBytes });
  const system = toSystem(problem);
  return new OpenSimulation(problem, system.units, await openBackend(system, options), options.signal);
}

function isProblem(scene: SceneInput | Problem): scene is Problem {
  return ArrayBuffer.isView((scene as Partial<Problem> | null)?.lawOf);
}

const fetchText = async (path: string) => (await fetchFile(path, 'readText')).text();
const fetchBytes = async (path: string) => new Uint8Array(await (await fetchFile(path, 'readBytes')).arrayBuffer());

/** @param option what to give instead, outside of a page */
async function fetchFile(path: string, option: string): Promise<Response> {
  if (globalThis.location === undefined) throw new Error(`give createSimulation a ${option} that reads files`);
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response;
}

class OpenSimulation implements Simulation {
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: string | null;
  readonly softwareAdapter: boolean;
  readonly warnings: string[];
  steps = 0;
  private state: 'idle' | 'busy' | 'disposed' = 'idle';
  private warnedOfLongStep = false;

  constructor(
    readonly problem: Problem,
    private readonly units: Units,
    private readonly open: OpenBackend,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.backend = open.name;
    this.adapter = open.adapter;
    this.softwareAdapter = open.softwareAdapter;
    this.warnings = [...problem.warnings];
  }

  get gpuMemoryBytes(): number {
    return this.open.solver.gpuMemoryBytes;
  }

  step(count = 1, onReport?: (report: StepReport) => void): Promise<StepReport[]> {
    return this.exclusively(async () => {
      if (!Number.isSafeInteger(count) || count < 0) {
        throw new RangeError(`step() was asked for ${formatValue(count)} steps; give a whole number from 0`);
      }
      const reports: StepReport[] = [];
      const receive = (internal: StepReport) => {
        const report = toSceneReport(internal, this.units);
        this.steps = report.step;
        this.warnOfLongStep(report);
        reports.push(report);
        onReport?.(report);
      };
      await this.open.solver.step(count, receive, this.signal);
      return reports;
    });
  }

  read(): Promise<State> {
    return this.exclusively(async () => {
      const state = toSceneState(await this.open.solver.read(), this.units, this.problem.grains.radii);
      // Where onReport threw, the backend may have finished steps that it had begun.
      this.steps = state.step;
      return state;
    });
  }

  stageTimes(): Promise<Record<string, number> | null> {
    return this.exclusively(() => this.open.stageTimes());
  }

  dispose(): void {
    if (this.state === 'disposed') return;
    this.state = 'disposed';
    this.open.dispose();
  }

  /** One call at a time: a state read in the middle of a step would be none. */
  private async exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.state !== 'idle') {
      throw new Error(
        this.state === 'busy' ? 'Await the last step() or read() of this simulation first' : 'The simulation is disposed',
      );
    }
    this.state = 'busy';
    try {
      return await work();
    } finally {
      if (this.state === 'busy') this.state = 'idle';
    }
  }

  private warnOfLongStep({ step, fastestGrain, fastestDisplacement }: StepReport): void {
    if (this.warnedOfLongStep || fastestDisplacement <= LONG_STEP_DISPLACEMENT) return;
    this.warnedOfLongStep = true;
    this.warnings.push(
      `Step ${step} is long: grain ${fastestGrain} moved ${fastestDisplacement.toPrecision(2)} of its diameter in it. ` +
        'No contact is passed through, but a shorter timeStep would resolve the motion.',
    );
  }
}
