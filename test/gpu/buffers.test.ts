import { expect, test } from 'vitest';
import { largestBuffer } from '../../src/gpu/adapter';
import { Buffers } from '../../src/gpu/buffers';
import { chooseSizes, contactsPerPage } from '../../src/gpu/sizes';
import { GpuSolver } from '../../src/gpu/solver';
import type { PairLaw } from '../../src/scene/problem';
import { toSystem } from '../../src/scene/units';
import { INITIAL_CANDIDATES_PER_GRAIN, INITIAL_COLOUR_WORDS, INITIAL_REACH_LIMIT } from '../../src/settings';
import { pouring } from '../support/packings';

/** Candidates of a settled packing of equal spheres, per grain, with those at the walls. */
const SETTLED_CANDIDATES = 3.2;

const convergence = { criterion: 'residual', tolerance: 1e-3, balance: 0.05, maxIterations: 1000 } as const;

/**
 * Sizes of so many equal spheres in a cube.
 * @param bytes that a buffer may have; as many contacts as fit are in the first of two
 * @param walls how many more there are
 */
function sizesOf(grains: number, bytes = Infinity, law: Partial<PairLaw> = {}, walls = 0) {
  const problem = pouring({ count: 50, radii: [0.5, 0.5], solver: { momentum: 0.9, coarse: 'auto', convergence } });
  problem.laws = problem.laws.map((plain) => ({ ...plain, ...law }));
  const few = toSystem(problem);
  const all = [...few.walls, ...Array.from({ length: walls }, () => few.walls[0])];
  const system = { ...few, walls: all, grains, bodies: grains + all.length };
  const side = Math.cbrt(grains);
  const candidates = Math.ceil(INITIAL_CANDIDATES_PER_GRAIN * grains) + 192;
  return chooseSizes(system, {
    extent: [side, side, side],
    reachLimit: INITIAL_REACH_LIMIT,
    candidates,
    colourWords: INITIAL_COLOUR_WORDS,
    page: contactsPerPage(system, bytes),
  });
}

test('a settled packing of equal spheres takes no more than 600 bytes a grain, ten million of them less than 8 GB', () => {
  expect(INITIAL_CANDIDATES_PER_GRAIN).toBeGreaterThan(SETTLED_CANDIDATES);
  for (const grains of [10_000, 100_000, 1_000_000, 10_000_000]) {
    expect(Buffers.bytes(sizesOf(grains)) / grains).toBeLessThan(600);
  }
  expect(Buffers.bytes(sizesOf(10_000_000))).toBeLessThan(8e9);
});

/**
 * As much of a device as makes buffers: each up to a size, all together up to another, with the error scopes that are open.
 * @param refuse what is done with a buffer beyond the memory, beside the error of the scope
 */
function deviceOf({ each = 2 ** 32, memory = Infinity, refuse = (): void => undefined }) {
  const state = { bytes: 0, copied: [] as string[], scopes: 0, failed: false };
  const device = {
    limits: { maxStorageBufferBindingSize: each, maxBufferSize: each },
    pushErrorScope() {
      state.scopes++;
      state.failed = false;
    },
    async popErrorScope() {
      state.scopes--;
      return state.failed ? { message: 'out of memory' } : null;
    },
    createBuffer({ label, size }: { label: string; size: number }) {
      const fits = state.bytes + size <= memory;
      if (!fits) refuse();
      state.failed ||= !fits;
      if (fits) state.bytes += size;
      let destroyed = !fits;
      const destroy = () => {
        if (!destroyed) state.bytes -= size;
        destroyed = true;
      };
      return { label, size, destroy };
    },
    createCommandEncoder: () => ({
      copyBufferToBuffer: ({ label }: { label: string }) => state.copied.push(label),
      finish: () => null,
    }),
    queue: { submit() {} },
  };
  return { device: device as unknown as GPUDevice, state };
}

const toldToFit = (error: unknown) => Number(/about (\d+) grains would fit/.exec((error as Error).message)?.[1]);

test.each([
  ['plain', {}, 4_190_000],
  ['with torques', { rollingFriction: 0.1 }, 2_330_000],
  ['with memories', { normalRestitution: 0.5 }, 930_000],
] as const)(
  'ten million grains where bindings are short are refused with the number that fits, which then does: %s',
  async (_, law, most) => {
    const { device } = deviceOf({ each: 2 ** 27 });
    const bytes = largestBuffer(device);
    const error = await Buffers.create(device, sizesOf(10_000_000, bytes, law)).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: 'CapacityError' });
    expect(toldToFit(error) / most).toBeCloseTo(1, 1);
    await expect(Buffers.create(device, sizesOf(Math.floor(0.99 * toldToFit(error)), bytes, law))).resolves.toBeInstanceOf(
      Buffers,
    );
  },
);

test('sums have more workgroups the more grains there are, no more than short bindings have room for with many walls', async () => {
  expect([1, 100_000, 200_000, 10_000_000].map((grains) => sizesOf(grains).teams)).toEqual([1, 196, 391, 1024]);
  const { device } = deviceOf({ each: 2 ** 27 });
  await expect(Buffers.create(device, sizesOf(3e6, largestBuffer(device), {}, 240))).resolves.toBeInstanceOf(Buffers);
});

test('contacts that lie in one buffer each are refused where it would be too large', async () => {
  const { device } = deviceOf({ each: 2 ** 27 });
  await expect(Buffers.create(device, sizesOf(2_400_000))).rejects.toThrow(/about 23\d{5} grains would fit/);
});

test('where the memory of the GPU gives out the error tells what the grains take and how many fit, and nothing is left of it', async () => {
  const { device, state } = deviceOf({ memory: 2e9 });
  const sizes = sizesOf(10_000_000);
  const error = await Buffers.create(device, sizes).catch((error: unknown) => error);
  expect(error).toMatchObject({ name: 'CapacityError' });
  expect((error as Error).message).toContain(`does not hold 10000000 grains, which take ${Buffers.bytes(sizes)} bytes`);
  expect((error as Error).message).toContain('(out of memory)');
  // By halves: at least half of what would.
  expect(toldToFit(error) * (Buffers.bytes(sizes) / 1e7)).toBeGreaterThan(1e9);
  expect(state).toMatchObject({ bytes: 0, scopes: 0 });
  const buffers = await Buffers.create(device, sizesOf(toldToFit(error)));
  expect(state.bytes).toBe(buffers.bytes);
});

test('buffers that cannot grow in mid-run stay as they were', async () => {
  const sizes = sizesOf(100_000);
  const { device, state } = deviceOf({ memory: 1.2 * Buffers.bytes(sizes) });
  const buffers = await Buffers.create(device, sizes);
  const [held, pairs] = [buffers.bytes, buffers.get('pairs0')];
  const error = await buffers.resize({ ...sizes, candidates: 4 * sizes.candidates }).catch((error: unknown) => error);
  expect(error).toMatchObject({ name: 'CapacityError' });
  expect(toldToFit(error)).toBeGreaterThan(10_000);
  expect(toldToFit(error)).toBeLessThan(100_000);
  expect([buffers.bytes, buffers.get('pairs0')]).toEqual([held, pairs]);
  expect(state).toMatchObject({ bytes: held, copied: [], scopes: 0 });
});

test('a buffer that cannot be asked for is told in the same way, and no error scope is left', async () => {
  const failing = (error: Error) => {
    const { device, state } = deviceOf({
      memory: 1000,
      refuse: () => {
        throw error;
      },
    });
    return { state, made: Buffers.create(device, sizesOf(1000)) };
  };
  const refused = failing(new RangeError('createBuffer failed'));
  await expect(refused.made).rejects.toThrow(/does not hold 1000 grains.*createBuffer failed/);
  const another = failing(new TypeError('another'));
  await expect(another.made).rejects.toThrow(/^another$/);
  for (const { state } of [refused, another]) expect(state).toMatchObject({ bytes: 0, scopes: 0 });
});

test('a packing that does not fit is told before a kernel is compiled; where none can be, the memory is given back', async () => {
  const system = toSystem(pouring({ count: 50, radii: [0.5, 0.5] }));
  const small = deviceOf({ memory: 1000 });
  await expect(GpuSolver.create(small.device, system)).rejects.toMatchObject({ name: 'CapacityError' });
  const large = deviceOf({});
  await expect(GpuSolver.create(large.device, system)).rejects.toThrow(TypeError);
  expect(large.state.bytes).toBe(0);
});
