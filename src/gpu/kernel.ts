import { inWindow, type Window, windowed, windowsOf } from '../../shaders/pages';
import { ShaderError } from '../errors';

/** A binding as the shader declares it. */
interface Declaration {
  group: number;
  binding: number;
  type: GPUBufferBindingType;
  name: string;
}

const DECLARATION = /@group\((\d+)\)\s*@binding\((\d+)\)\s*var<(uniform|storage, read_write|storage, read)>\s*(\w+)/g;
const TYPES: Record<string, GPUBufferBindingType> = {
  uniform: 'uniform',
  'storage, read_write': 'storage',
  'storage, read': 'read-only-storage',
};

/** Buffers under the names that shaders give them. */
export type NamedBuffers = Readonly<Record<string, GPUBuffer>>;

/** One entry point, with the buffers that it uses bound by name. */
export interface Kernel {
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  bind(buffers: NamedBuffers): GPUBindGroup;
  /** Where the contacts that it reads lie in two buffers: the kernel for each of them, to be run one after the other. */
  windows?: readonly Kernel[];
}

export interface ModuleSource<Entry extends string> {
  /** Name of the stage, for labels and errors. */
  label: string;
  code: string;
  /** For each entry point, the buffers of group 0 that it uses beside `params` and `control`. */
  entries: Record<Entry, readonly string[]>;
  /** Layout of group 1, where the shader has one. */
  slots?: GPUBindGroupLayout;
  /** Contacts in the first buffer of each array where they lie in two, see shaders/pages.ts. */
  page?: number;
}

/** What was compiled on each device, by its source: solvers come and go in the course of a run, and compiling takes longest. */
const compiled = new WeakMap<GPUDevice, Map<string, Promise<Record<string, Kernel>>>>();

/**
 * Compiles a shader module and a pipeline for each entry point, once for each device and source.
 * @throws ShaderError with the stage and the line at fault
 */
export function createKernels<Entry extends string>(
  device: GPUDevice,
  source: ModuleSource<Entry>,
): Promise<Record<Entry, Kernel>> {
  const known = compiled.get(device) ?? new Map<string, Promise<Record<string, Kernel>>>();
  compiled.set(device, known);
  const key = JSON.stringify([source.label, source.code, source.entries, source.slots !== undefined, source.page]);
  const kernels = (known.get(key) as Promise<Record<Entry, Kernel>> | undefined) ?? compileKernels(device, source);
  known.set(key, kernels);
  return kernels;
}

async function compileKernels<Entry extends string>(
  device: GPUDevice,
  source: ModuleSource<Entry>,
): Promise<Record<Entry, Kernel>> {
  const { label, code, page } = source;
  const module = device.createShaderModule({ label, code });
  const fault = (await module.getCompilationInfo()).messages.find((message) => message.type === 'error');
  if (fault) throw new ShaderError(label, fault.lineNum, fault.message, code);
  const declarations = [...code.matchAll(DECLARATION)].map(
    ([, group, binding, type, name]): Declaration => ({ group: +group, binding: +binding, type: TYPES[type], name }),
  );
  const kernels = Object.entries<readonly string[]>(source.entries).map(async ([entryPoint, names]) => {
    const used = declarations.filter(({ group, name }) => group === 0 && ['params', 'control', ...names].includes(name));
    const create = (of: GPUShaderModule, window?: Window) =>
      createKernel(device, `${label}.${entryPoint}`, { module: of, entryPoint }, used, source.slots, window);
    const windows = page === undefined ? [] : windowsOf(names);
    if (page === undefined || windows.length === 0) return [entryPoint, await create(module)];
    const ofWindows = await Promise.all(
      windows.map((window) => create(device.createShaderModule({ label, code: windowed(code, page, window) }), window)),
    );
    return [entryPoint, { ...ofWindows[0], windows: ofWindows }];
  });
  return Object.fromEntries(await Promise.all(kernels));
}

async function createKernel(
  device: GPUDevice,
  label: string,
  compute: GPUProgrammableStage,
  declarations: readonly Declaration[],
  slots?: GPUBindGroupLayout,
  window: Window = { contacts: 0, last: 0 },
): Promise<Kernel> {
  const entries = declarations.map(({ binding, type }) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } }));
  const own = device.createBindGroupLayout({ label, entries });
  const layout = device.createPipelineLayout({ label, bindGroupLayouts: slots ? [own, slots] : [own] });
  const pipeline = await device.createComputePipelineAsync({ label, layout, compute });
  return {
    label,
    pipeline,
    bind: (buffers) =>
      device.createBindGroup({
        label,
        layout: own,
        entries: declarations.map(({ binding, name }) => ({ binding, resource: { buffer: buffers[inWindow(name, window)] } })),
      }),
  };
}

/** Workgroups along one dimension that every adapter allows. */
const MAX_WORKGROUPS = 65535;

/** Dispatches so many workgroups, over two dimensions where one is not enough: shaders use flatIndex. */
export function dispatch(pass: GPUComputePassEncoder, workgroups: number): void {
  const x = Math.min(workgroups, MAX_WORKGROUPS);
  pass.dispatchWorkgroups(x, Math.ceil(workgroups / x));
}
