import { expect, test } from 'vitest';
import type { RunEvent, Wall } from '../../src/index';
import { encodePvd } from '../../src/io/pvd';
import { seriesColumns, seriesHeader, seriesRow } from '../../src/io/series';
import { RunFigures } from '../../src/io/summary';
import type { StepReport } from '../../src/report';
import type { Vector } from '../../src/scene/problem';
import { plane } from '../support/problems';
import { report, smallProblem } from './support';

const source = () => ({
  problem: smallProblem(),
  backend: 'cpu' as const,
  adapter: null,
  softwareAdapter: false,
  gpuMemoryBytes: 0,
  warnings: ['from the scene'],
  events: [],
});

test('a run that goes on behind the event that brought a wall has its columns once', () => {
  const lid = {
    name: 'lid',
    material: 0,
    shape: plane([0, 0, 1], [0, 0, -1]),
    motion: { velocity: [0, 0, -1], angularVelocity: [0, 0, 0] },
  } as unknown as Wall;
  const event = { addWalls: [lid], setPiston: {}, setMotion: { lid: null } } as unknown as RunEvent;
  expect(seriesColumns({ walls: [lid], events: [event] }).walls).toMatchObject([{ name: 'lid' }]);
});

test('The series has the columns of the format, the balance empty where it is not measured', () => {
  const problem = { ...smallProblem(), timeStep: 0.1, walls: [] };
  expect(seriesHeader(seriesColumns(problem))).toBe(
    'step,time,contacts,colours,iterations,residual,balance,meanForce,maxPenetration,meanPenetration,kineticEnergy,px,py,pz\n',
  );
  expect(seriesRow(report(3), problem, seriesColumns(problem))).toBe('3,0.3,2,2,30,0.0001,,3.5,0.0001,0.00001,0.125,1,-2,3\n');
  expect(seriesRow(report(3, { balance: 0.02 }), problem, seriesColumns(problem))).toBe(
    '3,0.3,2,2,30,0.0001,0.02,3.5,0.0001,0.00001,0.125,1,-2,3\n',
  );
});

test('A collection lists the frames with their times', () => {
  const text = encodePvd([
    { time: 0, file: 'frames/grains-000000.vtp' },
    { time: 0.5, file: 'frames/grains-000050.vtp' },
  ]);
  const sets = [...text.matchAll(/<DataSet timestep="([^"]*)" group="" part="0" file="([^"]*)"\/>/g)].map(([, time, file]) => [
    time,
    file,
  ]);
  expect(sets).toEqual([
    ['0', 'frames/grains-000000.vtp'],
    ['0.5', 'frames/grains-000050.vtp'],
  ]);
});

test('The summary has the keys of the format, in its order', () => {
  expect(Object.keys(new RunFigures().summary(source(), 0))).toEqual([
    ...['format', 'title', 'backend', 'adapter', 'softwareAdapter', 'seed', 'grains', 'steps', 'fromStep', 'time', 'wallSeconds'],
    ...['stepsPerSecond', 'contacts', 'candidates', 'colours', 'iterations', 'unconvergedSteps', 'residual', 'residualMax'],
    ...[
      'balance',
      'penetration',
      'maxPenetration',
      'kineticEnergy',
      'momentum',
      'walls',
      'events',
      'diffusionLength',
      'effectiveStiffness',
      'systemLength',
    ],
    ...['warnings', 'gpuMemoryBytes'],
  ]);
});

test('The summary gathers the steps', () => {
  const { problem } = source();
  const figures = new RunFigures();
  figures.add(report(1, { iterations: 50, converged: false, maxPenetration: 2e-3 }), problem.walls);
  figures.add(report(2, { iterations: 20, contacts: 5 }), problem.walls);
  const summary = figures.summary(source(), 0.5);
  expect(summary).toMatchObject({
    steps: 2,
    time: 0.02,
    stepsPerSecond: 4,
    contacts: 5,
    iterations: { total: 70, mean: 35, max: 50 },
    unconvergedSteps: 1,
    penetration: { mean: 1e-5, max: 1e-4 },
    maxPenetration: 2e-3,
    momentum: [1, -2, 3],
    seed: 7,
    warnings: ['from the scene'],
    balance: null,
    diffusionLength: null,
    effectiveStiffness: null,
    systemLength: null,
  });
});

test('The diffusion length is told for plain sweeps that were fixed in number or did not converge', () => {
  const lengthOf = (solver: object, ...reports: StepReport[]) => {
    const figures = new RunFigures();
    for (const one of reports) figures.add(one, smallProblem().walls);
    const problem = smallProblem();
    return figures.summary({ ...source(), problem: { ...problem, solver: { ...problem.solver, ...solver } } }, 0).diffusionLength;
  };
  const diameter = (1 + 1 + 0.5) / 3;
  const residual = { criterion: 'residual', tolerance: 1e-3, balance: null, maxIterations: 64 };
  const capped = report(1, { iterations: 64, converged: false });
  expect(lengthOf({ momentum: 0 }, report(1, { iterations: 25 }), report(2, { iterations: 0 }))).toBeCloseTo(10 * diameter, 12);
  expect(lengthOf({ momentum: 0, convergence: residual }, capped, report(2, { iterations: 5 }))).toBeCloseTo(16 * diameter, 12);
  expect(lengthOf({ momentum: 0, convergence: residual }, report(1, { iterations: 25 }))).toBeNull();
  expect(lengthOf({ momentum: 0.9 }, report(1, { iterations: 25 }))).toBeNull();
  expect(lengthOf({ momentum: 0, coarse: 'on' }, report(1, { iterations: 25 }))).toBeNull();
  expect(lengthOf({ momentum: 0.9, sweep: 'random', order: 'random' }, report(1, { iterations: 25 }))).toBeCloseTo(
    10 * diameter * Math.sqrt((4 * Math.sqrt(Math.E) - 5) / 2),
    12,
  );
});

test('A piston has its own columns: parts along its normal', () => {
  const problem = smallProblem();
  problem.walls[2] = { ...problem.walls[2], name: 'lid, "heavy"', piston: { mass: 1, force: 2 } };
  expect(seriesHeader(seriesColumns(problem))).toMatch(
    /,pz,"lid, ""heavy"".position","lid, ""heavy"".velocity","lid, ""heavy"".force",floor\.fx,.*,"lid, ""heavy"".fx","lid, ""heavy"".fy","lid, ""heavy"".fz"\n$/,
  );
  const wallMotions = new Float64Array(18);
  const wallLoads = new Float64Array(18);
  wallMotions.set([3, 1, 1, -0.5, 0, 0], 12);
  wallLoads.set([2, 0, 7], 12);
  const row = seriesRow(report(3, { wallMotions, wallLoads }), problem, seriesColumns(problem));
  expect(row.trim().split(',').slice(14, 17)).toEqual(['-3', '0.5', '-2']);
  expect(row.trim().split(',').slice(-3)).toEqual(['2', '0', '7']);
});

test('Walls have their forces, those that turn their torques too; more than 16 walls have none', () => {
  const wall = (name: string, angularVelocity?: Vector): Wall => ({
    ...{ name, material: 0, shape: plane([0, 0, 0], [0, 0, 1]) },
    ...(angularVelocity && { motion: { velocity: [0, 0, 0], angularVelocity, point: [0, 0, 0], start: 0 } }),
  });
  const [floor, disk, later] = [wall('floor'), wall('disk', [0, 0, 2]), wall('later')];
  const events = [{ addWalls: [later], setPiston: {}, setMotion: {} }] as unknown as RunEvent[];
  const columns = seriesColumns({ walls: [floor, disk], events });
  const head = seriesHeader(columns).trim().split(',');
  expect(head.slice(17)).toEqual([
    ...['floor.fx', 'floor.fy', 'floor.fz'],
    ...['disk.fx', 'disk.fy', 'disk.fz', 'disk.tx', 'disk.ty', 'disk.tz'],
    ...['later.fx', 'later.fy', 'later.fz', 'event'],
  ]);
  const loads = [
    [1, 2, 3, 4, 5, 6],
    [7, 8, 9, 10, 11, 12],
    [13, 14, 15, 16, 17, 18],
  ];
  const cells = (walls: Wall[], rows: number[][]) => {
    const sized = { wallLoads: Float64Array.from(rows.flat()), wallMotions: new Float64Array(6 * walls.length) };
    return seriesRow(report(1, sized), { ...smallProblem(), timeStep: 0.1, walls }, columns)
      .slice(0, -1)
      .split(',')
      .slice(17);
  };
  expect(cells([floor, disk], loads.slice(0, 2)).join()).toBe('1,2,3,7,8,9,10,11,12,,,,');
  // The floor is gone: others are found by their names.
  expect(cells([disk, later], loads.slice(1)).join()).toBe(',,,7,8,9,10,11,12,13,14,15,');

  const many = (count: number) => seriesColumns({ walls: Array.from({ length: count }, (_, k) => wall(`wall ${k}`)) }).loads;
  expect([many(16).length, many(17).length]).toEqual([16, 0]);
});

test('What is no plane has its figures along one axis for the whole run, also before it moves and after', () => {
  const still = { velocity: [0, 0, 0] as Vector, angularVelocity: [0, 0, 0] as Vector };
  const setMotion = (name: string, motion: RunEvent['setMotion'][string]) =>
    ({ addWalls: [], setPiston: {}, setMotion: { [name]: motion } }) as unknown as RunEvent;
  const events = [
    setMotion('drum', { ...still, angularVelocity: [0, 4, 0] }),
    setMotion('drum', { ...still, velocity: [0, 3, -4] }),
    setMotion('drum', { ...still, velocity: [2, 0, 0] }),
    setMotion('drum', null),
    setMotion('rest', still),
    setMotion('other', null),
  ];
  for (const shape of [
    { kind: 'sphere', point: [0, 0, 0], radius: 1, side: 'inside' },
    { kind: 'cylinder', point: [0, 0, 0], axis: [1, 0, 0], radius: 1, side: 'inside' },
    { kind: 'mesh', point: [0, 0, 0], home: [0, 0, 0] },
  ]) {
    const wall = (name: string) => ({ name, material: 0, shape }) as Wall;
    const walls = [wall('drum'), wall('rest'), wall('other')];
    const columns = seriesColumns({ walls, events });
    expect(seriesHeader(columns)).toMatch(
      /,pz,drum\.position,drum\.velocity,drum\.force,drum\.fx,.*rest\.fz,other\.fx,other\.fy,other\.fz,event\n$/,
    );
    const motion = { ...still, velocity: [2, 0, 0] as Vector, point: [0, 0, 0] as Vector, start: 0 };
    for (const now of [walls, [{ ...walls[0], motion }]]) {
      const one = report(3, { wallMotions: Float64Array.of(5, 5, 0, 0, 0, -5), wallLoads: Float64Array.of(7, 0, -10, 0, 0, 0) });
      expect(seriesRow(one, { ...smallProblem(), timeStep: 0.1, walls: now }, columns)).toMatch(/,3,3,4,8,7,0,-10,/);
    }
  }
});

test('Loads on walls are means over the last ten steps; a box is the sum of its faces, torques about its own point', () => {
  const { problem } = source();
  const figures = new RunFigures();
  for (let step = 1; step <= 12; step++) {
    // The floor: -step along z. Left face of the box pushed up by 1, right face down by 2 and with a torque.
    const wallLoads = Float64Array.of(0, 0, -step, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, -2, 0.5, 0, 0);
    figures.add(report(step, { wallLoads }), problem.walls);
  }
  const { walls } = figures.summary(source(), 1);
  expect(Object.keys(walls)).toEqual(['floor', 'bin', 'bin.-x', 'bin.+x']);
  expect(walls.floor.force[2]).toBeCloseTo(-7.5, 12);
  expect(walls.bin.force[2]).toBeCloseTo(-1, 12);
  expect(walls.bin.position).toEqual([1, 0, 1]);
  // Arms -3 and +3 along x: y-torques -(-3)(1) and -(3)(-2).
  expect(walls.bin.torque[0]).toBeCloseTo(0.5, 12);
  expect(walls.bin.torque[1]).toBeCloseTo(9, 12);
  expect(walls['bin.+x'].force[2]).toBeCloseTo(-2, 12);
  expect(walls.floor.velocity).toEqual([0, 0, 0]);
  const moved = new Float64Array(18);
  moved.set([0, 0, 3, 0, 0, -1]);
  figures.add(report(13, { wallMotions: moved }), problem.walls);
  expect(figures.summary(source(), 1).walls.floor).toMatchObject({ position: [0, 0, 3], velocity: [0, 0, -1] });
});

test('Events have a column, and walls that are gone keep their last figures', () => {
  const before = smallProblem();
  const after = { ...before, walls: before.walls.slice(1) };
  const columns = seriesColumns({
    walls: before.walls,
    events: [
      {
        when: { step: 2 },
        removeWalls: ['floor'],
        addWalls: [],
        setPiston: {},
        setMotion: {},
        checkpoint: false,
        stop: false,
        text: '',
      },
    ],
  });
  expect(seriesHeader(columns)).toMatch(/,pz,floor\.fx,.*\.fz,event\n$/);
  expect(seriesRow(report(2), before, columns, 'removeWalls floor, "all"')).toMatch(/,"removeWalls floor, ""all"""\n$/);
  expect(seriesRow(report(3), after, columns)).toMatch(/,3,,,,[^,].*,\n$/);

  const figures = new RunFigures();
  const loads = (walls: number, z: number) => Float64Array.from({ length: 6 * walls }, (_, k) => (k % 6 === 2 ? z : 0));
  figures.add(report(1, { wallLoads: loads(3, -1) }), before.walls);
  figures.add(report(2, { wallLoads: loads(3, -3) }), before.walls);
  figures.add(report(3, { wallLoads: loads(2, -7), wallMotions: new Float64Array(12) }), after.walls);
  const events = [{ event: 0, step: 2, time: 0.02, text: 'removeWalls floor' }];
  const summary = figures.summary({ ...source(), problem: after, events }, 1);
  expect(summary.walls.floor).toMatchObject({ force: [0, 0, -2], removed: 2 });
  expect(summary.walls['bin.-x'].force[2]).toBeCloseTo(-11 / 3, 12);
  expect(summary.walls.bin.removed).toBeUndefined();
  expect(summary.events).toEqual(events);
});
