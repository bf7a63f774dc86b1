import { describe, expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import { meshDistance } from '../../src/scene/mesh/distance';
import { backends, simulate } from '../support/backends';
import { boxSurface, floor, meshWall, quad, type Triangle, tube } from '../support/meshes';
import { cylinder, makeProblem, plane } from '../support/problems';
import { at } from '../support/vectors';

const precision = { cpu: 1e-9, webgpu: 1e-6 };

describe.each(backends)('meshes on %s', (backend) => {
  test.each([
    ['even', floor(12, 6)],
    ['uneven, with vertices moved about', floor(12, 9, () => 0, 0.3)],
    ['tilted', floor(12, 7, (x, y) => 0.1 * x + 0.05 * y, 0.3)],
  ] as [string, Triangle[]][])('a sphere slides over a floor of triangles that is %s as over a plane', async (_, triangles) => {
    const normal: Vector = triangles[0][1][2] === 0 && triangles[0][0][2] === 0 ? [0, 0, 1] : [-0.1, -0.05, 1];
    const length = Math.hypot(...normal);
    const n = normal.map((x) => x / length) as Vector;
    const velocity: Vector = [2.1, 0.93, 0];
    velocity[2] = -(velocity[0] * n[0] + velocity[1] * n[1]) / n[2];
    const start: Vector = [-4, -2, 0];
    start[2] = -(start[0] * n[0] + start[1] * n[1]) / n[2];
    const gravity = n.map((x) => -10 * x) as Vector;
    const problem = makeProblem({
      grains: [{ position: start.map((x, k) => x + 0.5 * n[k]) as Vector, velocity }],
      walls: [meshWall(triangles)],
      gravity,
      timeStep: 0.02,
    });
    const simulation = await simulate(problem, backend);
    for (let k = 0; k < 25; k++) {
      await simulation.step(4);
      const { positions, velocities } = await simulation.read();
      const height = positions[0] * n[0] + positions[1] * n[1] + positions[2] * n[2];
      expect(Math.abs(height - 0.5)).toBeLessThan(precision[backend]);
      for (let axis = 0; axis < 3; axis++)
        expect(Math.abs(velocities[axis] - velocity[axis])).toBeLessThan(10 * precision[backend]);
    }
  });

  test.each([
    ['down', -1, 8],
    ['up', 1, 9],
  ])('a sphere that comes to an edge of one degree, where the floor turns %s, goes on along it', async (_, turn, onSlope) => {
    const degree = Math.PI / 180;
    const [c, s] = [Math.cos(degree), turn * Math.sin(degree)];
    const bend = meshWall(floor(8, 4, (x) => (Math.max(x, 0) * s) / c));
    const start = { position: [-0.31, 0.17, 0.5] as Vector, velocity: [2, 0.3, 0] as Vector };
    const simulation = await simulate(
      makeProblem({ grains: [start], walls: [bend], gravity: [0, 0, -10], timeStep: 0.02 }),
      backend,
    );
    await simulation.step(16);
    const { positions, velocities } = await simulation.read();
    const [along, off] = [velocities[0] * c + velocities[2] * s, velocities[2] * c - velocities[0] * s];
    // Upwards it stops short of the edge, so that it is on the slope for a step more.
    const speed = 2 * Math.cos(degree) - turn * 10 * Math.sin(degree) * 0.02 * onSlope;
    expect(Math.abs(along - speed)).toBeLessThan(10 * precision[backend]);
    expect(Math.abs(off)).toBeLessThan(precision[backend]);
    expect(Math.abs(positions[2] * c - positions[0] * s - 0.5)).toBeLessThan(precision[backend]);
    expect(velocities[1]).toBeCloseTo(0.3, 6);
  });

  test('a sphere that rolls over the edge of a cube turns about the edge', async () => {
    const dt = 2e-3;
    const problem = makeProblem({
      grains: [{ position: [-0.02, 0.1, 0.5], velocity: [0.4, 0, 0], angularVelocity: [0, 0.8, 0] }],
      walls: [meshWall(boxSurface([-3, -3, -3], [0, 3, 0]))],
      gravity: [0, 0, -10],
      timeStep: dt,
      friction: 1,
    });
    const simulation = await simulate(problem, backend);
    let turned = 0;
    for (let k = 0; k < 75; k++) {
      await simulation.step(4);
      const { positions, velocities } = await simulation.read();
      if (positions[0] <= 0.01) continue;
      const cosine = positions[2] / 0.5;
      if (cosine < 0.85) break;
      turned++;
      expect(Math.hypot(positions[0], positions[2])).toBeCloseTo(0.5, 2);
      // (7/10) m v^2 = (7/10) m v0^2 + m g r (1 - cos)
      const speed = Math.sqrt(0.16 + (10 / 7) * 10 * 0.5 * (1 - cosine));
      expect(Math.abs(Math.hypot(velocities[0], velocities[2]) - speed)).toBeLessThan(0.02 * speed);
    }
    expect(turned).toBeGreaterThan(10);
  });

  test('a sphere in the valley of two faces touches both, and rests', async () => {
    const slope = 0.2;
    const problem = makeProblem({
      grains: [{ position: [0.03, 0.3, 0.55] }],
      walls: [meshWall(floor(8, 2, (x) => slope * Math.abs(x)))],
      gravity: [0, 0, -10],
      timeStep: 0.02,
      friction: 0.5,
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(60);
    const { positions, velocities, contacts } = await simulation.read();
    expect(positions[2]).toBeCloseTo(0.5 * Math.sqrt(1 + slope * slope), 4);
    expect(Math.hypot(velocities[0], velocities[2])).toBeLessThan(1e-3);
    expect(contacts.count).toBe(2);
    for (const c of [0, 1]) expect(contacts.forces[3 * c + 2]).toBeLessThan(-0.1);
  });

  test('nothing passes through a sheet within a step, from either side', async () => {
    const problem = makeProblem({
      grains: [
        { position: [0.3, 0.2, 3], velocity: [0, 0, -10] },
        { position: [2.3, 1.2, -3], velocity: [0.5, 0, 10] },
        { position: [5.02, 0.2, 2], velocity: [-0.5, 0, -10] },
      ],
      walls: [meshWall(floor(10, 3))],
      timeStep: 1,
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(3);
    const { positions } = await simulation.read();
    expect(positions[2]).toBeGreaterThan(0.5 - 1e-6);
    expect(positions[5]).toBeLessThan(-0.5 + 1e-6);
    // The third meets the border: its centre is not over the sheet.
    expect(Math.hypot(positions[6] - 5, positions[8])).toBeGreaterThan(0.5 - 1e-6);
  });

  test('a packing in a box of triangles bears as in one of planes, and the box bears its weight', async () => {
    const grains = Array.from({ length: 27 }, (_, k) => ({
      position: [
        0.55 + 1.04 * (k % 3) + 0.01 * Math.sin(k),
        0.55 + 1.04 * (Math.floor(k / 3) % 3) + 0.01 * Math.cos(k),
        0.6 + 1.1 * Math.floor(k / 9),
      ] as Vector,
    }));
    const walls = {
      mesh: [meshWall([...boxSurface([0, 0, 0], [3.25, 3.25, 8])])],
      planes: [
        plane([0, 0, 0], [0, 0, 1]),
        plane([0, 0, 8], [0, 0, -1]),
        plane([0, 0, 0], [1, 0, 0]),
        plane([3.25, 0, 0], [-1, 0, 0]),
        plane([0, 0, 0], [0, 1, 0]),
        plane([0, 3.25, 0], [0, -1, 0]),
      ],
    };
    const run = async (shapes: (typeof walls)['mesh'] | (typeof walls)['planes']) => {
      const problem = makeProblem({
        grains,
        walls: shapes,
        gravity: [0, 0, -10],
        timeStep: 0.01,
        friction: 0.4,
        solver: { momentum: 0, convergence: { criterion: 'fixed', iterations: 40 } },
      });
      const simulation = await simulate(problem, backend);
      const reports = await simulation.step(backend === 'cpu' ? 400 : 60);
      return {
        state: await simulation.read(),
        report: reports.at(-1)!,
        weight: problem.grains.masses.reduce((a, b) => a + b, 0) * 10,
      };
    };
    const mesh = await run(walls.mesh);
    const planes = await run(walls.planes);
    if (backend === 'cpu') expect(Math.abs(mesh.report.wallLoads[2] + mesh.weight)).toBeLessThan(0.01 * mesh.weight);
    expect(mesh.report.contacts).toBe(planes.report.contacts);
    expect(Math.max(...mesh.state.positions.map((x, k) => Math.abs(x - planes.state.positions[k])))).toBeLessThan(
      backend === 'cpu' ? 1e-6 : 1e-3,
    );
  });

  test('a tube of narrow strips holds grains as a cylinder does', async () => {
    const run = async (wall: Parameters<typeof makeProblem>[0]['walls']) => {
      const problem = makeProblem({
        grains: [
          { position: [1.2, 0, 0.6], velocity: [0, 1.5, 0] },
          { position: [-0.9, -0.7, 0.5], velocity: [1, 0.2, 0] },
        ],
        walls: [...wall!, plane([0, 0, 0], [0, 0, 1])],
        gravity: [0, 0, -10],
        timeStep: 0.01,
      });
      const simulation = await simulate(problem, backend);
      await simulation.step(150);
      return simulation.read();
    };
    const round = await run([cylinder(2, 'inside')]);
    const strips = await run([meshWall(tube(2, -1, 4, 400))]);
    for (let k = 0; k < 6; k++) expect(strips.positions[k]).toBeCloseTo(round.positions[k], 1);
  });

  test('grains that go over hills by half a diameter in a step meet facets that they reach across a corner', async () => {
    const wave = Math.PI / 2;
    const wall = meshWall(floor(24, 48, (x, y) => Math.sin(wave * x) * Math.cos(0.9 * wave * y), 0.3));
    const grains = (
      [
        [-1.1482, -0.6856, 0.2634, -0.1938, 0.0731, -0.3358],
        [-2.4235, -2.2895, 0.3441, -0.202, -0.307, -0.368],
        [6.905, 3.6802, 0.3856, 0.4025, 0.1354, -0.3001],
      ] as const
    ).map(([x, y, z, ...velocity]) => ({ position: [x, y, z] as Vector, velocity }));
    const simulation = await simulate(makeProblem({ grains, walls: [wall] }), backend);
    await simulation.step(1);
    const { positions } = await simulation.read();
    const overlaps = grains.map((_, k) => 0.5 - meshDistance(wall.mesh, wall.grid, at(positions, k), 1));
    // Without these facets it would be 0.04 to 0.07.
    expect(Math.max(...overlaps)).toBeLessThan(1e-6);
  });

  test('grains that go on from facet to facet while they bounce leave with all their energy', async () => {
    // Around a tube of 200 strips, each 0.06 wide; sideways by 0.1 in a step.
    const grains = Array.from({ length: 10 }, (_, k) => {
      const [x, y] = [Math.cos(0.6 * k), Math.sin(0.6 * k)];
      const distance = 2.55 + 0.01 * k;
      const velocity: Vector = [-0.05 * x - 0.1 * y, 0.1 * x - 0.05 * y, 0];
      return { position: [distance * x, distance * y, 0] as Vector, velocity };
    });
    const problem = makeProblem({ grains, walls: [meshWall(tube(2, -1, 1, 200))], law: { normalRestitution: 1 } });
    const simulation = await simulate(problem, backend);
    await simulation.step(8);
    const { positions, velocities } = await simulation.read();
    for (let k = 0; k < grains.length; k++) {
      const [x, y] = positions.subarray(3 * k, 3 * k + 2);
      const [vx, vy] = velocities.subarray(3 * k, 3 * k + 2);
      expect(x * vx + y * vy).toBeGreaterThan(0.1);
      expect(Math.abs((vx * vx + vy * vy) / 0.0125 - 1)).toBeLessThan(10 * precision[backend]);
    }
  });

  test('they bounce on hills too, where facets that they go on to were within reach before', async () => {
    const hill = (x: number, y: number) => 0.6 * Math.sin(1.3 * x) * Math.cos(1.1 * y);
    const wall = meshWall(floor(16, 64, hill, 0.3));
    const places: [number, Vector][] = [
      [0, [-4.5, -4.5, 0]],
      [40, [-4.5, 2, 0]],
      [44, [0.7, 2, 0]],
    ];
    const grains = places.map(([k, position]) => {
      position[2] = hill(position[0], position[1]) + 0.3;
      while (meshDistance(wall.mesh, wall.grid, position, 1) < 0.53) position[2] += 0.005;
      return { position, velocity: [0.05 * Math.cos(2.4 * k), 0.05 * Math.sin(2.4 * k), -0.05] as Vector };
    });
    const simulation = await simulate(makeProblem({ grains, walls: [wall], law: { normalRestitution: 1 } }), backend);
    await simulation.step(12);
    const { velocities } = await simulation.read();
    const shares = grains.map((_, k) => Math.hypot(...at(velocities, k)) ** 2 / 0.005);
    // Were memories given to facets alone that are new: 0.35, 0.62 and 0.77.
    expect(Math.min(...shares)).toBeGreaterThan(0.85);
    expect(Math.max(...shares)).toBeLessThan(1 + precision[backend]);
  });

  test('a bond is kept from facet to facet', async () => {
    const problem = makeProblem({
      grains: [{ position: [2.4998, 0, 0], velocity: [0, 0.1, 0] }],
      walls: [meshWall(tube(2, -1, 1, 200))],
      law: { cohesionForce: 1, cohesionRange: 0.05 },
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(10);
    const { positions } = await simulation.read();
    // Along a tangent it would be at 2.7.
    expect(Math.hypot(positions[0], positions[1])).toBeLessThan(2.54);
    expect(positions[1]).toBeGreaterThan(0.9);
  });

  test('is not felt where a fold is seen from outside: a sphere at a sharp rim stays on its side', async () => {
    const wedge: Triangle[] = [
      ...quad([0, -3, 0], [0, 3, 0], [4, 3, 0], [4, -3, 0]),
      ...quad([0, -3, 0], [0, 3, 0], [4, 3, -1], [4, -3, -1]),
    ];
    const problem = makeProblem({
      grains: [{ position: [0.05, 0, 0.5], velocity: [0.5, 0.1, 0] }],
      walls: [meshWall(wedge)],
      gravity: [0, 0, -10],
      timeStep: 0.01,
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(100);
    const { positions } = await simulation.read();
    expect(Math.abs(positions[0] - 0.55)).toBeLessThan(precision[backend]);
    expect(Math.abs(positions[2] - 0.5)).toBeLessThan(precision[backend]);
  });
});
