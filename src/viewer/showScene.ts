import { ANYTHING, checkArgument, checkOptions, FILE_OPTIONS, LIMIT, OBJECT, SIGNAL } from '../arguments';
import { type BackendChoice, checkBackendName, chooseGpu } from '../backend';
import { createSimulation } from '../createSimulation';
import { BackendError, CapacityError } from '../errors';
import { requestLargeDevice } from '../gpu/adapter';
import { createWorkerSimulation } from '../page/workerSimulation';
import type { Problem } from '../scene/problem';
import type { SceneInput } from '../scene/schema';
import { PAGE_CPU_GRAINS } from '../settings';
import type { Simulation, SimulationOptions, SimulationSnapshot } from '../simulation';
import { toProblem } from '../toProblem';
import { createViewer } from './index';
import { openPlayer, PLAYER_OPTIONS, type Player, type PlayerOptions } from './player';
import { reopenViewer } from './reopen';
import { CANVAS } from './settings';
import type { Viewer, ViewOptions } from './types';

export interface ShowOptions
  extends Omit<PlayerOptions, 'open' | 'end'>,
    Pick<SimulationOptions, 'readText' | 'readBytes'>,
    Pick<BackendChoice, 'backend'> {
  /** Steps done after which it ends; default: the scene's `steps`. Infinity: only an event ends it. */
  end?: number;
  /** How it is drawn. */
  view?: Partial<ViewOptions>;
  /** Grains up to which the CPU takes a scene for which there is no WebGPU; default 5,000. With `backend: 'cpu'` there is no such limit. */
  cpuGrains?: number;
  /** Gives up the opening. */
  signal?: AbortSignal;
}

/** A scene on a canvas. */
export interface Show {
  readonly player: Player;
  /** Another one, on a canvas that takes the place of the first, where a GPU was lost for good. */
  readonly viewer: Viewer;
  /** Why the CPU computes although a GPU was looked for; null where a GPU does, or where the CPU was asked for. */
  readonly fallback: string | null;
  /** Gives back everything. */
  dispose(): void;
}

const { open: _open, ...PLAYING } = PLAYER_OPTIONS;
const SHOW_OPTIONS = { ...PLAYING, ...FILE_OPTIONS, backend: ANYTHING, view: OBJECT, cpuGrains: LIMIT, signal: SIGNAL };

/**
 * Shows a scene on a canvas: on the GPU where there is one, else, if it is small, on the CPU in a worker. It goes on where it
 * stopped if the device is lost. It stands at its start until `player.play()`.
 * @throws SceneError listing every fault of the scene
 * @throws TypeError naming an argument that is not what it must be
 * @throws BackendError where there is no WebGPU, and the scene is too large for the CPU or WebGPU was asked for by name
 * @throws CapacityError where the scene does not fit the adapter
 */
export async function showScene(canvas: HTMLCanvasElement, scene: SceneInput | Problem, given: ShowOptions = {}): Promise<Show> {
  checkArgument('showScene', 'canvas', canvas, CANVAS);
  checkOptions('showScene', given, SHOW_OPTIONS);
  const { view, signal, ...options } = given;
  checkBackendName(options.backend);
  const problem = await toProblem(scene, options);
  signal?.throwIfAborted();
  const machine = new Machine(problem, options);
  let simulation: Simulation | undefined;
  let viewer: Viewer | undefined;
  try {
    simulation = await machine.open();
    signal?.throwIfAborted();
    viewer = await createViewer(canvas, simulation, { ...view, device: machine.device });
    signal?.throwIfAborted();
  } catch (error) {
    viewer?.dispose();
    simulation?.dispose();
    machine.dispose();
    throw error;
  }
  let current = viewer;
  let disposed = false;
  const player = openPlayer(simulation, viewer, {
    ...options,
    end: options.end ?? problem.steps,
    open: (from, without) => machine.open(from, without),
    async openViewer(source) {
      current = await reopenViewer(current, source);
      if (disposed) current.dispose();
      return current;
    },
  });
  return {
    player,
    get viewer() {
      return current;
    },
    fallback: machine.fallback,
    dispose() {
      disposed = true;
      player.dispose();
      current.dispose();
      machine.dispose();
    },
  };
}

/** What a page has to compute with. One device serves the simulations of a scene one after the other, and the viewer. */
class Machine {
  device: GPUDevice | undefined;
  fallback: string | null = null;
  private opened = false;
  private disposed = false;

  constructor(
    private readonly problem: Problem,
    private readonly options: ShowOptions,
  ) {}

  /** Makes the simulation. Once it has run, the CPU will do where a GPU is no longer to be had. */
  async open(from?: SimulationSnapshot, without: 'nothing' | 'device' = 'nothing'): Promise<Simulation> {
    const device = without === 'device' ? undefined : await this.findDevice();
    const simulation = (device && (await this.openOn(device, from))) ?? (await this.openWorker(from));
    this.opened = true;
    return simulation;
  }

  dispose(): void {
    this.disposed = true;
    this.device?.destroy();
  }

  private async findDevice(): Promise<GPUDevice | undefined> {
    if (this.device) return this.device;
    try {
      const gpu = await chooseGpu(this.problem, { backend: this.options.backend });
      if (!gpu || !('adapter' in gpu)) {
        if (gpu && 'unheld' in gpu) {
          const paths = gpu.unheld.map(({ path, message }) => path || message).join(', ');
          this.fallback = `Single precision on the GPU does not hold all figures of this scene (${paths}): the CPU computes it, slower.`;
        } else if (this.wantsGpu) {
          const lack = globalThis.navigator?.gpu ? 'No hardware GPU answers here' : 'This browser has no WebGPU here';
          this.fallback = `${lack}: the CPU computes this packing, slower.`;
        }
        return undefined;
      }
      const device = await requestLargeDevice(gpu.adapter);
      if (this.disposed) device.destroy();
      this.device = device;
      void device.lost.then(() => {
        if (this.device === device) this.device = undefined;
      });
      return device;
    } catch (error) {
      if (this.opened) return undefined;
      throw error;
    }
  }

  /** Undefined where the device is too small and the CPU may do it. */
  private async openOn(device: GPUDevice, from: SimulationSnapshot | undefined): Promise<Simulation | undefined> {
    try {
      return await createSimulation(this.problem, { backend: 'webgpu', device, from });
    } catch (error) {
      if (this.options.backend !== 'webgpu' && error instanceof CapacityError && this.fitsCpu) {
        this.fallback = `The CPU computes this packing, slower: ${error.message}`;
        return undefined;
      }
      throw error;
    }
  }

  private async openWorker(from: SimulationSnapshot | undefined): Promise<Simulation> {
    if (this.options.backend !== 'cpu' && !this.fitsCpu) {
      const most = this.cpuGrains.toLocaleString('en');
      throw new BackendError(
        `There is no WebGPU here to run ${countGrains(this.problem).toLocaleString('en')} grains; without it, scenes of up to ${most} run on the CPU. ` +
          'Use a browser with WebGPU on a machine with a GPU, or fewer grains',
      );
    }
    return createWorkerSimulation(this.problem, { from });
  }

  /** Nothing in the scene or in the options asks for the CPU. */
  private get wantsGpu(): boolean {
    return this.options.backend !== 'cpu' && this.problem.solver.sweep !== 'random';
  }

  private get cpuGrains(): number {
    return this.options.cpuGrains ?? PAGE_CPU_GRAINS;
  }

  private get fitsCpu(): boolean {
    return countGrains(this.problem) <= this.cpuGrains;
  }
}

/** Grains of a scene, with those that its events bring. */
function countGrains({ grains, events = [] }: Problem): number {
  return events.reduce((sum, { insert, pour }) => sum + (insert?.count ?? 0) + (pour?.grains.count ?? 0), grains.count);
}
