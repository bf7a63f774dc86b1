import { expect, test } from 'vitest';
import { Buffers, withinMemory } from '../../src/gpu/buffers';
import { chooseSizes } from '../../src/gpu/sizes';
import { toSystem } from '../../src/scene/units';
import { INITIAL_CANDIDATES_PER_GRAIN, INITIAL_COLOUR_WORDS, INITIAL_REACH_LIMIT } from '../../src/settings';
import { pouring } from '../support/packings';

/** Candidates of a settled packing of equal spheres, per grain, with those at the walls. */
const SETTLED_CANDIDATES = 3.2;

/** Sizes of so many equal spheres in a cube. */
function sizesOf(grains: number) {
  const few = toSystem(pouring({ count: 50, radii: [0.5, 0.5], solver: { momentum: 0.9, coarse: 'auto' } }));
  const system = { ...few, grains, bodies: grains + few.walls.length };
  const side = Math.cbrt(grains);
  const candidates = Math.ceil(INITIAL_CANDIDATES_PER_GRAIN * grains) + 256;
  return chooseSizes(system, {
    extent: [side, side, side],
    reachLimit: INITIAL_REACH_LIMIT,
    candidates,
    colourWords: INITIAL_COLOUR_WORDS,
  });
}

test('a settled packing of equal spheres takes no more than 600 bytes a grain, ten million of them less than 8 GB', () => {
  expect(INITIAL_CANDIDATES_PER_GRAIN).toBeGreaterThan(SETTLED_CANDIDATES);
  for (const grains of [100_000, 1_000_000, 10_000_000]) {
    expect(Buffers.bytes(sizesOf(grains)) / grains).toBeLessThan(600);
  }
  expect(Buffers.bytes(sizesOf(10_000_000))).toBeLessThan(8e9);
});

/** As much of a device as holds buffers up to a size. */
function deviceUpTo(bytes: number): GPUDevice {
  const limits = { maxStorageBufferBindingSize: bytes, maxBufferSize: bytes };
  return { limits, pushErrorScope() {}, popErrorScope: async () => null } as unknown as GPUDevice;
}

test('ten million grains where bindings are short are refused with the number that fits, which then does', () => {
  const device = deviceUpTo(128 * 2 ** 20);
  let told = 0;
  try {
    new Buffers(device, sizesOf(10_000_000));
  } catch (error) {
    expect(error).toMatchObject({ name: 'CapacityError' });
    told = Number(/about (\d+) grains would fit/.exec((error as Error).message)?.[1]);
  }
  expect(told).toBeGreaterThan(1_000_000);
  // What fails now is that this is no whole device, not the size.
  expect(() => new Buffers(device, sizesOf(Math.floor(0.99 * told)))).toThrow(TypeError);
});

test('where the memory of the GPU gives out the error tells what the grains take', async () => {
  const error = { message: 'out of memory' } as GPUError;
  const full = { ...deviceUpTo(2 ** 32), pushErrorScope() {}, popErrorScope: async () => error } as unknown as GPUDevice;
  const sizes = sizesOf(10_000_000);
  await expect(withinMemory(full, sizes, () => 0)).rejects.toThrow(
    `does not hold 10000000 grains, which take ${Buffers.bytes(sizes)} bytes`,
  );
});

test('a buffer that cannot be asked for is told in the same way, and no error scope is left', async () => {
  let scopes = 0;
  const device = {
    ...deviceUpTo(2 ** 32),
    pushErrorScope: () => scopes++,
    popErrorScope: async () => {
      scopes--;
      return null;
    },
  } as unknown as GPUDevice;
  const failing = (error: Error) =>
    withinMemory(device, sizesOf(1000), () => {
      throw error;
    });
  await expect(failing(new RangeError('createBuffer failed'))).rejects.toThrow(/does not hold 1000 grains.*createBuffer failed/);
  await expect(failing(new TypeError('another'))).rejects.toThrow(/^another$/);
  expect(scopes).toBe(0);
});
