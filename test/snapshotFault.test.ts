import { expect, test } from 'vitest';
import { createSimulation, type Problem, type SimulationSnapshot } from '../src/index';
import { backends } from './support/backends';
import { pouring } from './support/packings';
import { load, sceneWith } from './support/scenes';

const cpu = { backend: 'cpu' } as const;
const crowd = (count: number): Problem => {
  const problem = pouring({ count, radii: [0.5, 0.5], solver: { convergence: { criterion: 'fixed', iterations: 5 } } });
  problem.walls = problem.walls.map((wall, w) => (w === 0 ? { ...wall, piston: { mass: 1, force: 0 } } : wall));
  return problem;
};
const glass = (z: number) => ({ material: 'glass', list: [{ position: [0, 0, z], radius: 1 }] });
const eventful = (insert: boolean): Promise<Problem> =>
  load(
    sceneWith({
      grains: [glass(2)],
      events: [{ when: { step: 1 }, ...(insert ? { insert: [glass(9)] } : { setGravity: [0, 0, -1] }) }],
    }),
  );

async function stateOf(problem: Problem): Promise<SimulationSnapshot> {
  const simulation = await createSimulation(problem, cpu);
  await simulation.step(2);
  return simulation.capture();
}

const goOn = (problem: Problem, from: unknown) => createSimulation(problem, { ...cpu, from: from as SimulationSnapshot });

async function refused(problem: Problem, from: unknown, reason: RegExp): Promise<void> {
  const begun = goOn(problem, from);
  await expect(begun).rejects.toThrow(reason);
  await expect(begun).rejects.toThrow(RangeError);
}

test('a simulation does not go on from what is no snapshot of its scene', async () => {
  const few = await stateOf(crowd(27));
  await refused(crowd(36), few, /the snapshot has 27 grains, the scene 36: it belongs to another scene/);
  for (const none of [{}, 5, null, 'text', { solver: null }])
    await refused(crowd(27), none, /expected what capture\(\) gave, got/);
  const problem = crowd(27);
  await refused(
    { ...problem, walls: problem.walls.slice(1) },
    few,
    /contacts with walls that are not there|pistons are other walls/,
  );
  await expect(goOn(problem, few)).resolves.toMatchObject({ steps: 2 });
});

test.each<[string, (solver: Record<string, unknown>, contacts: Record<string, unknown>) => unknown, RegExp]>([
  ...['velocities', 'spins', 'orientations', 'remainders'].map(
    (name): [string, (solver: Record<string, unknown>) => unknown, RegExp] => [
      `${name} cut to one`,
      (solver) => (solver[name] = Float64Array.of(0)),
      new RegExp(`"${name}" has 1 values where (81|108) belong`),
    ],
  ),
  [
    'positions that are not finite',
    (solver) => (solver.positions as Float64Array).fill(NaN),
    /"positions" has NaN at index 0, where a finite number belongs/,
  ],
  ['positions in a plain list', (solver) => (solver.positions = Array(81).fill(0)), /"positions" is no Float64Array/],
  ['an empty text for an order', (solver) => (solver.order = ''), /"order" is no Uint32Array/],
  ['an order of others', (solver) => (solver.order = new Uint32Array(27).fill(27)), /grains that are not among its 27/],
  ['no reach limit', (solver) => (solver.reachLimit = null), /its reachLimit is null, not above 0/],
  ['an extent without end', (solver) => (solver.extent = [1, Infinity, 1]), /its extent is .*, not three lengths/],
  ['half a step', (solver) => (solver.step = 0.5), /its step is 0.5/],
  ['no room for colours', (solver) => (solver.colourWords = 0), /its colourWords is 0, not from 1 to 32/],
  ['a start that is neither cold nor warm', (solver) => (solver.cold = null), /"cold"/],
  ['no contacts', (solver) => (solver.contacts = null), /does not tell how many contacts/],
  ['contacts of two lengths', (_, contacts) => (contacts.gaps = new Float64Array(1)), /"gaps" has 1 values/],
  ['contacts of other grains', (_, contacts) => (contacts.first as Uint32Array).fill(27), /grains that are not among its 27/],
  ['contacts with other walls', (_, contacts) => (contacts.second as Uint32Array).fill(9999), /walls that are not there/],
  ['no pistons', (solver) => (solver.pistons = null), /pistons are not whole/],
  ['other pistons', (solver) => (solver.pistons = []), /pistons are other walls than those of the scene/],
])('nor from one that has %s', async (_, spoil, reason) => {
  const snapshot = structuredClone(await stateOf(crowd(27)));
  const solver = snapshot.solver as unknown as Record<string, unknown>;
  expect(snapshot.solver.contacts.count).toBeGreaterThan(1);
  spoil(solver, solver.contacts as Record<string, unknown>);
  await refused(crowd(27), snapshot, reason);
});

test.each(['normals', 'gaps', 'impulses', 'torques', 'memory'] as const)(
  'nor, on either backend, from one whose contacts have %s that are not finite',
  async (name) => {
    const problem = crowd(27);
    problem.laws = problem.laws.map((law) => ({ ...law, normalRestitution: 0.5, rollingFriction: 0.1 }));
    for (const value of [NaN, Infinity, -Infinity]) {
      const from = await stateOf(problem);
      const numbers = from.solver.contacts[name];
      const index = numbers.length - 2;
      numbers[index] = value;
      for (const backend of backends) {
        // Refused before a device is asked for.
        const begun = createSimulation(problem, { backend, from });
        await expect(begun).rejects.toThrow(RangeError);
        await expect(begun).rejects.toThrow(`"${name}" has ${value} at index ${index}, where a finite number belongs`);
      }
    }
    await expect(goOn(problem, await stateOf(problem))).resolves.toMatchObject({ steps: 2 });
  },
);

test('nor with events that are not those of the scene', async () => {
  const problem = await eventful(true);
  const snapshot = await stateOf(problem);
  expect(snapshot.schedule?.added).toHaveLength(2);
  await expect(goOn(problem, snapshot)).resolves.toMatchObject({ steps: 2 });
  await refused(await eventful(false), snapshot, /grains that no event of the scene brings/);
  await refused(crowd(27), snapshot, /1 events have happened, the scene has 0/);
  await refused(problem, { ...snapshot, schedule: { ...snapshot.schedule, firedAt: null } }, /state of the events is not whole/);
  await refused(problem, { ...snapshot, schedule: null }, /state of the events is not whole/);
});
