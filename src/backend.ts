import { BackendError, describeFault, type Fault } from './errors';
import { describeAdapter, isSoftwareAdapter, requestLargeDevice } from './gpu/adapter';
import type { Backend } from './report';
import { formatChoices, formatValue } from './scene/faults';
import type { Problem } from './scene/problem';
import type { System } from './scene/system';
import type { Snapshot } from './snapshot';

const BACKENDS: readonly unknown[] = ['auto', 'webgpu', 'cpu'];

/** @throws BackendError for a backend that there is not */
export function checkBackendName(name: unknown): void {
  if (name === undefined || BACKENDS.includes(name)) return;
  throw new BackendError(`There is no backend ${formatValue(name)}: choose ${formatChoices(BACKENDS)}`);
}

export interface BackendChoice {
  /** Default auto: WebGPU where a device is given or a hardware adapter answers, else the CPU. */
  backend?: 'auto' | 'webgpu' | 'cpu';
  /** An existing device to share; `dispose` does not destroy it. */
  device?: GPUDevice;
  /** Where to look for adapters; default `navigator.gpu` where there is one. */
  gpu?: GPU;
  /** Times the stages on the GPU, where the device has timestamps; takes a little time itself. */
  profile?: boolean;
}

/** A backend for one system, and what it runs on. */
export interface OpenBackend {
  readonly solver: Backend;
  /**
   * Goes on with another system from a snapshot that fits it, on the same device.
   * @throws CapacityError where the device cannot hold both for a moment; the solver is then the old one
   */
  replace(system: System, from: Snapshot): Promise<void>;
  name: 'webgpu' | 'cpu';
  /** What the GPU adapter says of itself; null on the CPU. */
  adapter: string | null;
  softwareAdapter: boolean;
  /** Milliseconds that each stage took so far; null where they are not timed. */
  stageTimes(): Promise<Record<string, number> | null>;
  dispose(): void;
}

/** Makes a backend for a system, from its start or from where a snapshot goes on. */
export type BackendOpener = (system: System, choice: BackendChoice, from?: Snapshot) => Promise<OpenBackend>;

/**
 * What a choice means for a scene: a device that is given, an adapter, or the CPU: because of figures that a GPU does not hold, else undefined.
 * @throws BackendError where WebGPU was asked for by name and is not to be had, or cannot run the scene
 */
export async function chooseGpu(
  problem: Problem,
  { backend = 'auto', device, gpu = globalThis.navigator?.gpu }: BackendChoice,
): Promise<{ device: GPUDevice } | { adapter: GPUAdapter } | { unheld: readonly Fault[] } | undefined> {
  if (backend === 'cpu') return undefined;
  if (problem.solver.sweep === 'random') {
    if (backend === 'auto') return undefined;
    throw new BackendError('solver.sweep "random" runs on the CPU only: use "coloured", or the CPU backend');
  }
  const unheld = (await import('./gpu/singleRange')).singleFaults(problem);
  if (unheld.length > 0) {
    if (backend === 'auto') return { unheld };
    throw new BackendError(unheld.map(describeFault).join('\n'));
  }
  if (device) return { device };
  const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' });
  if (backend === 'auto' && (!adapter || isSoftwareAdapter(adapter.info))) return undefined;
  if (!adapter) throw new BackendError('No WebGPU adapter answers here: use the CPU backend');
  return { adapter };
}

/**
 * Opens the backend that was asked for.
 * @param problem with its events, which the system made of it has not
 * @throws BackendError where WebGPU was asked for by name and is not to be had, or cannot run the scene
 */
export async function openBackend(
  problem: Problem,
  system: System,
  choice: BackendChoice,
  from?: Snapshot,
): Promise<OpenBackend> {
  const gpu = await chooseGpu(problem, choice);
  // Either backend is loaded where it runs: a page gets what it needs.
  if (!gpu || 'unheld' in gpu) return (await import('./cpuBackend')).openCpu(system, choice, from);
  const { profile = false } = choice;
  if ('device' in gpu) return openGpu(system, from, { device: gpu.device, info: gpu.device.adapterInfo, owned: false, profile });
  const device = await requestLargeDevice(gpu.adapter);
  return openGpu(system, from, { device, info: gpu.adapter.info, owned: true, profile });
}

interface OpenDevice {
  device: GPUDevice;
  info: GPUAdapterInfo;
  /** Made here, so that it is destroyed with the backend. */
  owned: boolean;
  profile: boolean;
}

async function openGpu(
  system: System,
  from: Snapshot | undefined,
  { device, info, owned, profile }: OpenDevice,
): Promise<OpenBackend> {
  const close = () => {
    if (owned) device.destroy();
  };
  try {
    const { createGpuSolver } = await import('./gpu/orderedSolver');
    let solver = await createGpuSolver(device, system, { profile, from });
    /** Of the solvers before this one. */
    let earlier: Record<string, number> = {};
    let disposed = false;
    const stageTimes = async () => {
      const times = await solver.stageTimes();
      return times ? sumOf(earlier, times) : null;
    };
    return {
      get solver() {
        return solver;
      },
      async replace(next, snapshot) {
        const times = await stageTimes();
        const successor = await createGpuSolver(device, next, { profile, from: snapshot });
        solver.dispose();
        [solver, earlier] = [successor, times ?? {}];
        if (disposed) solver.dispose();
      },
      name: 'webgpu',
      adapter: describeAdapter(info),
      softwareAdapter: isSoftwareAdapter(info),
      stageTimes,
      dispose: () => {
        disposed = true;
        solver.dispose();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

function sumOf(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sum = { ...a };
  for (const [key, value] of Object.entries(b)) sum[key] = (sum[key] ?? 0) + value;
  return sum;
}
