import { expect, test } from 'vitest';
import { createSimulation, type SceneInput } from '../../src/index';
import { Shown } from '../../src/viewer/shown';

/** A tall row of grains on a floor without end. */
const tall: SceneInput = {
  format: 'contact-dynamics/1',
  timeStep: 0.01,
  steps: 1,
  materials: { a: { density: 1 } },
  grains: [{ material: 'a', lattice: { count: [3, 3, 40], spacing: 1.05, origin: [1.5, 0.6, 0.5], radius: 0.5 } }],
  walls: [{ name: 'floor', material: 'a', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
};

test('walls without end go on beyond the grains, and end where space repeats itself', async () => {
  const ends = async (scene: SceneInput) => {
    const simulation = await createSimulation(scene, { backend: 'cpu' });
    const units = { origin: [1, 2, 3] as [number, number, number], length: 2, time: 1, mass: 1 };
    const { min, max } = new Shown(simulation, units).wallBox;
    simulation.dispose();
    return [min, max].map((end) =>
      end
        .multiplyScalar(2)
        .toArray()
        .map((x, axis) => x + units.origin[axis]),
    );
  };
  const [[open], [repeated, far]] = [
    await ends(tall),
    await ends({ ...tall, periodic: { axes: 'x', min: [1, 0, 0], max: [5, 0, 0] } }),
  ];
  expect(open[0]).toBeLessThan(-5);
  expect([repeated[0], far[0]]).toEqual([expect.closeTo(1), expect.closeTo(5)]);
  expect(repeated[1]).toBeCloseTo(open[1]);
});
