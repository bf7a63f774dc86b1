import { expect, test } from 'vitest';
import { download } from '../../src/gpu/readback';
import type { GpuState, Simulation } from '../../src/index';
import { floor, open, sphere } from '../support/eventScenes';

/** N x 3, in units of the scene, from lattice points and remainders. */
async function places({ device, buffers, grains, units, latticeUnits }: GpuState): Promise<number[]> {
  const [points, rest] = await download(
    device,
    [buffers.lattice, buffers.offsets].map((buffer) => ({ buffer, bytes: 16 * grains })),
  );
  const [lattice, offsets] = [new Int32Array(points), new Float32Array(rest)];
  return Array.from({ length: 3 * grains }, (_, k) => {
    const from = 4 * Math.floor(k / 3) + (k % 3);
    return units.origin[k % 3] + (lattice[from] * latticeUnits[k % 3] + offsets[from]) * units.length;
  });
}

async function expectSame(simulation: Simulation): Promise<void> {
  const now = simulation.gpuState()!;
  const read = await simulation.read();
  expect(now.contacts).toBe(read.contacts.count);
  const held = await places(now);
  expect(held).toHaveLength(read.positions.length);
  held.forEach((x, k) => {
    expect(x).toBeCloseTo(read.positions[k], 5);
  });
  expect([...now.walls]).toEqual([...read.walls]);
}

test('the state on the GPU is the one that is read, after events and pistons too', async () => {
  const lid = { name: 'lid', material: 'steel', plane: { point: [0, 0, 4], normal: [0, 0, -1] }, piston: { mass: 2, force: 1 } };
  const turning = {
    name: 'side',
    material: 'steel',
    plane: { point: [9, 0, 0], normal: [-1, 0, 0] },
    motion: { angularVelocity: [1, 0, 0] },
  };
  const simulation = await open(
    {
      grains: [sphere([0, 0, 0.5]), sphere([3, 1, 0.5], [1, 0, 0])],
      walls: [floor, lid, turning],
      events: [{ when: { step: 4 }, insert: [sphere([0, 0, 2])] }],
    },
    'webgpu',
  );
  await simulation.step(2);
  await expectSame(simulation);
  await simulation.step(4);
  expect(simulation.gpuState()!.grains).toBe(3);
  expect(simulation.gpuState()!.walls[7 + 2]).toBeLessThan(3.99);
  await expectSame(simulation);
});

test('there is none on the CPU, in mid-step and at the end', async () => {
  const simulation = await open({}, 'cpu');
  expect(simulation.gpuState()).toBeNull();
  const step = simulation.step();
  expect(() => simulation.gpuState()).toThrow(/Await the last step/);
  await step;
  simulation.dispose();
  expect(() => simulation.gpuState()).toThrow(/disposed/);
});
