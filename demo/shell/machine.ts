import { isSoftwareAdapter, requestLargeDevice } from '../../src/gpu/adapter';
import type { AnyDemo } from '../demo';

/** Bytes for each grain of the largest buffer that a packing takes: the impulses or normals of its contacts. */
const LARGEST_BUFFER_PER_GRAIN = 96;
/** A software adapter and the processor share the same cores: fewer grains than the CPU reference is lively with. */
const SOFTWARE_SHARE = 0.3;
/** How much more than the lively number the slider offers on the CPU. */
const PATIENCE = 5;

/** What the demos run on. */
export interface Machine {
  adapter: GPUAdapter | null;
  software: boolean;
}

const findAdapter = async () => (await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' })) ?? null;

export async function findMachine(): Promise<Machine> {
  const adapter = await findAdapter();
  return { adapter, software: adapter !== null && isSoftwareAdapter(adapter.info) };
}

/** A device of an adapter of its own: one adapter gives one device. Undefined where there is none, or none any more. */
export async function openDevice(): Promise<GPUDevice | undefined> {
  const adapter = await findAdapter();
  return adapter ? requestLargeDevice(adapter).catch(() => undefined) : undefined;
}

/** Whether a demo runs on the GPU here, unless the link says otherwise. */
export function chooseBackend(machine: Machine, demo: AnyDemo, asked: 'cpu' | 'webgpu' | undefined): 'cpu' | 'webgpu' {
  if (demo.cpuOnly !== undefined || machine.adapter === null) return 'cpu';
  return asked ?? (machine.software ? 'cpu' : 'webgpu');
}

/** How many grains suit, how many there may be, and why. */
export function chooseGrains({ adapter, software }: Machine, { sizes, cpuOnly }: AnyDemo, backend: 'cpu' | 'webgpu') {
  if (backend === 'cpu' || !adapter) {
    const note =
      cpuOnly ?? (adapter && !software ? 'On the processor' : 'On the processor: there is no graphics card with WebGPU here');
    return { value: sizes.cpu, min: sizes.least, max: Math.min(sizes.most, PATIENCE * sizes.cpu), note };
  }
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const fits = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / LARGEST_BUFFER_PER_GRAIN);
  const max = Math.min(sizes.most, fits);
  const value = software ? Math.round(SOFTWARE_SHARE * sizes.cpu) : sizes.gpu;
  const note = `The buffers of this adapter hold about ${fits.toLocaleString('en')} grains`;
  return { value: Math.max(sizes.least, Math.min(value, max)), min: sizes.least, max, note };
}
