import { CpuSolver } from './cpu/solver';
import { BackendError } from './errors';
import { describeAdapter, isSoftwareAdapter, requestLargeDevice } from './gpu/adapter';
import type { Backend } from './report';
import type { System } from './scene/system';

export interface BackendChoice {
  /** Default auto: WebGPU where a device is given or a hardware adapter answers, else the CPU. */
  backend?: 'auto' | 'webgpu' | 'cpu';
  /** An existing device to share; `dispose` does not destroy it. */
  device?: GPUDevice;
  /** Where to look for adapters; default `navigator.gpu` where there is one. */
  gpu?: GPU;
}

/** A backend for one system, and what it runs on. */
export interface OpenBackend {
  solver: Backend;
  name: 'webgpu' | 'cpu';
  /** What the GPU adapter says of itself; null on the CPU. */
  adapter: string | null;
  softwareAdapter: boolean;
  dispose(): void;
}

/**
 * Opens the backend that was asked for.
 * @throws BackendError where WebGPU was asked for by name and is not to be had
 */
export async function openBackend(system: System, choice: BackendChoice): Promise<OpenBackend> {
  const { backend = 'auto', device } = choice;
  if (backend === 'cpu') return openCpu(system);
  if (system.solver.sweep === 'random') {
    if (backend === 'auto') return openCpu(system);
    throw new BackendError('solver.sweep "random" runs on the CPU only: use "coloured", or the CPU backend');
  }
  if (device) return openGpu(system, device, device.adapterInfo, false);
  const gpu = choice.gpu ?? globalThis.navigator?.gpu;
  const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' });
  if (backend === 'auto' && (!adapter || isSoftwareAdapter(adapter.info))) return openCpu(system);
  if (!adapter) throw new BackendError('No WebGPU adapter answers here: use the CPU backend');
  return openGpu(system, await requestLargeDevice(adapter), adapter.info, true);
}

function openCpu(system: System): OpenBackend {
  const solver = new CpuSolver(system);
  return { solver, name: 'cpu', adapter: null, softwareAdapter: false, dispose: () => solver.dispose() };
}

async function openGpu(system: System, device: GPUDevice, info: GPUAdapterInfo, owned: boolean): Promise<OpenBackend> {
  const close = () => {
    if (owned) device.destroy();
  };
  try {
    const { GpuSolver } = await import('./gpu/solver');
    const solver = await GpuSolver.create(device, system);
    const dispose = () => {
      solver.dispose();
      close();
    };
    return { solver, name: 'webgpu', adapter: describeAdapter(info), softwareAdapter: isSoftwareAdapter(info), dispose };
  } catch (error) {
    close();
    throw error;
  }
}
