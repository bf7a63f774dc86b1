import { Vector3 } from 'three/webgpu';
import { expect, test } from 'vitest';
import { createSimulation, type SceneInput, type Vector } from '../../src/index';
import { Shown } from '../../src/viewer/shown';
import { planePolygon, wallPlaces } from '../../src/viewer/wallPlaces';

const RADIUS = 3;

/** A drum about the y axis, and two panes that face each other. */
const drum = (normal: Vector): SceneInput => ({
  format: 'contact-dynamics/1',
  timeStep: 0.01,
  steps: 1,
  gravity: [0, 0, -1],
  materials: { a: { density: 1 } },
  grains: [{ material: 'a', list: [{ position: [0, 0, -1], radius: 0.5 }] }],
  walls: [
    ...[1, -1].map((sign) => ({
      name: `pane ${sign}`,
      material: 'a',
      plane: { point: [0, -sign, 0] as Vector, normal: normal.map((x) => sign * x) as Vector },
    })),
    {
      name: 'drum',
      material: 'a',
      cylinder: { point: [0, 0, 0], axis: [0, 1, 0], radius: RADIUS, side: 'inside' },
      motion: { angularVelocity: [0, 2, 0] },
    },
  ],
});

test.each([
  ['square to it', [0, 1, 0], 96],
  ['tilted', [0.28, 0.96, 0], 90],
] as const)('panes of a drum are drawn within it: %s', async (_, normal, least) => {
  const simulation = await createSimulation(drum([...normal]), { backend: 'cpu' });
  const units = { origin: [0, 0, 0] as Vector, length: 1, time: 1, mass: 1 };
  const { problem } = simulation;
  const all = wallPlaces(problem.walls, (await simulation.read()).walls, units);
  for (const place of all.slice(0, 2)) {
    const polygon = planePolygon(place, all, new Shown(simulation, units).wallBox);
    expect(polygon.length).toBeGreaterThanOrEqual(least);
    const far = polygon.map(({ x, z }) => Math.hypot(x, z));
    expect(Math.max(...far)).toBeCloseTo(RADIUS, 6);
    for (const corner of polygon) expect(corner.clone().sub(place.point).dot(place.direction)).toBeCloseTo(0, 6);
    const [a, b, c] = [0, 30, 60].map((k) => polygon[k]);
    const turn = new Vector3().crossVectors(b.clone().sub(a), c.clone().sub(a)).dot(place.direction);
    expect(turn, 'counter-clockwise as seen from the grains').toBeGreaterThan(0);
  }
  simulation.dispose();
});
