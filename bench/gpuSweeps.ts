/**
 * What a step takes on the GPU, stage by stage, and its sweeps per contact update: `npx tsx bench/gpuSweeps.ts [grains ...]`.
 * The packing: equal spheres on a jittered lattice in touch, under gravity, numbered in the order of the lattice or, with
 * --shuffled, in a random one. --sweeps, --steps, --momentum: of the run; --rounds: the sizes in turn so often.
 */
import { parseArgs } from 'node:util';
import { requestLargeDevice } from '../src/gpu/adapter';
import { GpuSolver } from '../src/gpu/solver';
import { nodeGpu } from '../src/node/gpu';
import { randomNumbers } from '../src/scene/generators/randomNumbers';
import type { System } from '../src/scene/system';
import { toSystem } from '../src/scene/units';
import { makeProblem, plane } from '../test/support/problems';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sweeps: { type: 'string', default: '40' },
    steps: { type: 'string', default: '3' },
    momentum: { type: 'string', default: '0.9' },
    rounds: { type: 'string', default: '1' },
    shuffled: { type: 'boolean', default: false },
  },
});
/** Steps before the clock runs: new contacts get their colours, submissions their size. */
const WARM_UP = 3;
const JITTER = 0.004;

function packing(count: number): System {
  const random = randomNumbers(1);
  const side = Math.ceil(Math.cbrt(count));
  const ids = Array.from({ length: count }, (_, k) => k);
  if (values.shuffled) ids.sort((a, b) => hash(a) - hash(b));
  const grains = ids.map((k) => {
    const cell = [k % side, Math.floor(k / side) % side, Math.floor(k / side ** 2)];
    const [x, y, z] = cell.map((c) => 0.5 + c + JITTER * random());
    return { position: [x, y, z] as [number, number, number], radius: 0.5 };
  });
  const solver = { momentum: Number(values.momentum), convergence: { criterion: 'fixed', iterations: Number(values.sweeps) } };
  const floors = [
    plane([0, 0, 0], [0, 0, 1]),
    plane([0, 0, 0], [1, 0, 0]),
    plane([0, 0, 0], [0, 1, 0]),
    plane([side, 0, 0], [-1, 0, 0]),
    plane([0, side, 0], [0, -1, 0]),
  ];
  return toSystem(
    makeProblem({ grains, walls: floors, gravity: [0, 0, -1], timeStep: 0.01, friction: 0.3, solver: solver as never }),
  );
}

function hash(k: number): number {
  const h = Math.imul(k + 1, 0x9e3779b1);
  return Math.imul(h ^ (h >>> 15), 0x85ebca6b) >>> 0;
}

const adapter = await (await nodeGpu('webgpu'))?.requestAdapter();
if (!adapter) throw new Error('No WebGPU adapter');
const device = await requestLargeDevice(adapter);
const sizes = positionals.length > 0 ? positionals.map(Number) : [1000, 10_000, 100_000];
for (let round = 0; round < Number(values.rounds); round++) {
  for (const count of sizes) {
    const solver = await GpuSolver.create(device, packing(count), { profile: true });
    await solver.step(WARM_UP);
    const before = (await solver.stageTimes()) ?? {};
    const steps = Number(values.steps);
    let [candidates, contacts, colours] = [0, 0, 0];
    const start = process.cpuUsage();
    await solver.step(steps, (report) => {
      ({ candidates, contacts, colours } = report);
    });
    const { user, system } = process.cpuUsage(start);
    const cpu = (user + system) / 1000 / steps;
    const after = (await solver.stageTimes()) ?? {};
    const stages = Object.fromEntries(
      Object.entries(after).map(([name, ms]) => [name, Math.round((10 * (ms - (before[name] ?? 0))) / steps) / 10]),
    );
    const all = Object.values(stages).reduce((sum, ms) => sum + ms, 0);
    const nanoseconds = (1e6 * cpu * (stages.solve / all)) / Number(values.sweeps) / candidates;
    console.log(
      JSON.stringify({
        ...{ grains: count, candidates, contacts, colours, cpuPerStep: Math.round(cpu), stages },
        nsPerUpdate: Math.round(10 * nanoseconds) / 10,
        bytesPerGrain: Math.round(solver.gpuMemoryBytes / count),
      }),
    );
    solver.dispose();
  }
}
process.exit(0);
