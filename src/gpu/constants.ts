import type { System } from '../scene/system';
import { PARAMS_BYTES, packLevels, packPistons } from './pack';
import { packLawOf, packLaws } from './packLaws';
import { haveMeshesPoses, packFeatures, packMeshData, packPoses } from './packMeshes';
import { packWalls } from './packWalls';
import type { Sizes } from './sizes';

/** Buffers that hold what does not change in a run, or only with the sizes. */
export function createConstants(
  device: GPUDevice,
  system: System,
  { levels }: Sizes,
  loads?: Float32Array<ArrayBuffer>,
): Record<string, GPUBuffer> {
  const { UNIFORM, STORAGE, COPY_DST } = GPUBufferUsage;
  const create = (label: string, usage: number, data: ArrayBuffer | Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>) => {
    const buffer = device.createBuffer({ label, size: data.byteLength, usage: usage | COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  return {
    params: create('params', UNIFORM, new ArrayBuffer(PARAMS_BYTES)),
    levels: create('levels', UNIFORM, packLevels(levels)),
    lawOf: create('lawOf', UNIFORM, packLawOf(system)),
    laws: create('laws', UNIFORM, packLaws(system)),
    walls: create('walls', STORAGE, packWalls(system, 0)),
    ...(system.meshes.length > 0
      ? {
          features: create('features', STORAGE, packFeatures(system)),
          meshData: create('meshData', STORAGE, packMeshData(system)),
          ...(haveMeshesPoses(system) ? { poses: create('poses', UNIFORM, packPoses(system, 0)) } : {}),
        }
      : {}),
    ...(system.pistons.length > 0 ? { pistons: create('pistons', UNIFORM, packPistons(system)) } : {}),
    ...(loads ? { loads: create('loads', STORAGE, loads) } : {}),
  };
}
