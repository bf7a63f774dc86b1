/**
 * Sweeps that one step needs until residual and balance hold, with and without the coarse level, under loads that come all at once:
 * `npx tsx bench/convergence.ts`. See --help.
 *
 * The packing: side x side x height spheres, radii evenly between 0.5/ratio and 0.5, mu = 0.3, which have settled in a box with
 * smooth walls, dt = 0.01 sqrt(d/g). It is made once and kept in out/convergence. Loads: gravity on a packing without impulses;
 * else, from impulses that bear gravity, 10 g more on the uppermost layer (piston), 50 g more on a spot of it 5 d wide (punch),
 * gravity turned by 5 or 25 degrees (tilt5, tilt25). Beside these a whole run, not one step: the grains before they settled, their
 * lattice stretched to 1.5 times its height and with random velocities of root mean square sqrt(g d), fall and come to rest (gas).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { Command } from 'commander';
import { CpuSolver } from '../src/cpu/solver';
import { requestLargeDevice } from '../src/gpu/adapter';
import { GpuSolver } from '../src/gpu/solver';
import { loadProblem, parseScene } from '../src/index';
import { nodeGpu } from '../src/node/gpu';
import type { StepReport } from '../src/report';
import { randomNumbers } from '../src/scene/generators/randomNumbers';
import type { Convergence, SolverOptions } from '../src/scene/problem';
import type { System } from '../src/scene/system';
import { toSystem } from '../src/scene/units';
import type { Snapshot } from '../src/snapshot';
import { countOption, option } from './options';
import { BACKENDS, type BackendName, COARSE_CHOICES, type Coarse, readNames } from './suite/names';

const SPACING = 1.12;
const JITTER = 0.055;
const SETTLING_STEPS = 1500;
/** With no velocities but what gravity gives them, at most. */
const RESTING_STEPS = 500;
const FOLDER = 'out/convergence';
const GAS_STRETCH = 1.5;
const GAS_PARTS = 10;
const LOADS = ['gravity', 'piston', 'punch', 'tilt5', 'tilt25', 'gas'] as const;
type Load = (typeof LOADS)[number];

async function buildSystem(side: number, height: number, ratio: number): Promise<System> {
  const width = side * SPACING;
  const scene = parseScene({
    format: 'contact-dynamics/1',
    gravity: [0, 0, -1],
    timeStep: 0.01,
    steps: SETTLING_STEPS,
    materials: { grain: { density: 6 / Math.PI }, wall: {} },
    contacts: [
      { between: ['grain', 'grain'], friction: 0.3 },
      { between: ['grain', 'wall'], friction: 0 },
    ],
    grains: [
      {
        material: 'grain',
        lattice: {
          count: [side, side, height],
          spacing: SPACING,
          origin: [SPACING / 2, SPACING / 2, SPACING / 2],
          radius: ratio === 1 ? 0.5 : { uniform: [0.5 / ratio, 0.5] },
          jitter: JITTER,
          seed: 1,
        },
      },
    ],
    walls: [{ name: 'box', material: 'wall', box: { min: [0, 0, 0], max: [width, width, 3 * height], open: ['+z'] } }],
    solver: { convergence: { criterion: 'fixed', iterations: 30 } },
  });
  return toSystem(await loadProblem(scene, () => Promise.reject(new Error('no files'))));
}

/** The packing at rest, with impulses that bear gravity well. */
async function settled(system: System, name: string): Promise<Snapshot> {
  const file = `${FOLDER}/${name}.bin`;
  if (!existsSync(file)) {
    const settling = new CpuSolver(system);
    await settling.step(SETTLING_STEPS, ({ step, kineticEnergy }) => {
      if (step % 100 === 0) console.error(`settling, step ${step}: kinetic energy ${kineticEnergy / system.grains} a grain`);
    });
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, serialize(await settling.capture()));
  }
  if (existsSync(`${file}.rest`)) return still(deserialize(readFileSync(`${file}.rest`)));
  const loose = still(deserialize(readFileSync(file)));
  const convergence: Convergence = { criterion: 'residual', tolerance: 2e-4, balance: 1e-2, maxIterations: 1000 };
  const resting = new CpuSolver(
    { ...system, solver: { ...system.solver, coarse: 'on', convergence } },
    { ...loose, step: 0, fresh: false },
  );
  // Set down anew, a tall column falls together by its gaps, of about 1e-4 d each, before all of it rests on the floor.
  const rests: number[] = [];
  const atRest = () => rests.length >= 3 && rests.slice(-3).every((share) => Math.abs(share - 1) < 0.02);
  while (!atRest() && rests.length < RESTING_STEPS) {
    await resting.step(1, ({ wallLoads }) => rests.push(onFloor(system, wallLoads)));
  }
  console.error(`at rest after ${rests.length} steps: the floor bears ${rests.at(-1)} of the weight`);
  const rest: Snapshot = { ...(await resting.capture()), step: 0 };
  writeFileSync(`${file}.rest`, serialize(rest));
  return still(rest);
}

/** With what little a tall column still sinks by taken out: it would load the floor beside gravity. */
function still(packing: Snapshot): Snapshot {
  packing.velocities.fill(0);
  packing.spins.fill(0);
  return packing;
}

/** Force on the floor over the weight. */
function onFloor({ walls, accelerations, inverseMasses }: System, wallLoads: Float64Array): number {
  const floor = walls.findIndex((wall) => wall.kind === 'plane' && wall.normal[2] === 1);
  const weight = accelerations.reduce((sum, a, k) => (k % 3 === 2 ? sum - a / inverseMasses[(k - 2) / 3] : sum), 0);
  return -wallLoads[6 * floor + 2] / weight;
}

function loaded(system: System, { positions }: Snapshot, load: Load): System {
  const accelerations = system.accelerations.slice();
  const g = -accelerations[2];
  const along = (axis: number) => positions.filter((_, k) => k % 3 === axis);
  const mean = (values: Float64Array) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const top = along(2).reduce((most, z) => Math.max(most, z));
  const [midX, midY] = [mean(along(0)), mean(along(1))];
  for (let i = 0; i < system.grains; i++) {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    if (load === 'piston' && z > top - 1) accelerations[3 * i + 2] -= 10 * g;
    if (load === 'punch' && z > top - 1.5 && Math.hypot(x - midX, y - midY) < 2.5) accelerations[3 * i + 2] -= 50 * g;
    if (load.startsWith('tilt')) {
      const angle = (Number(load.slice(4)) * Math.PI) / 180;
      accelerations.set([g * Math.sin(angle), 0, -g * Math.cos(angle)], 3 * i);
    }
  }
  return { ...system, accelerations };
}

/** The grains before they settled, farther apart and moving at random. */
function asGas(system: System): System {
  const { units, grains } = system;
  const random = randomNumbers(7);
  const floor = -units.origin[2] / units.length;
  const positions = system.positions.map((x, k) => (k % 3 === 2 ? floor + GAS_STRETCH * (x - floor) : x));
  // In the scene g and the largest diameter are 1; a number between -1 and 1 has a mean square of a third.
  const most = units.time / units.length;
  const velocities = system.velocities.map((_, k) => (k < 3 * grains ? most * (2 * random() - 1) : 0));
  return { ...system, positions, velocities };
}

async function createSolver(system: System, options: Partial<SolverOptions>, from?: Snapshot): Promise<CpuSolver | GpuSolver> {
  const asked = { ...system, solver: { ...system.solver, ...options } };
  return device ? GpuSolver.create(device, asked, { from }) : new CpuSolver(asked, from);
}

/** The run in ten parts, for each, once it is done: its last step, sweeps a step, the most of one step, steps that did not converge; at the end sweeps of all. */
async function settleGas(
  system: System,
  options: Partial<SolverOptions>,
  steps: number,
  tell: (line: string) => void,
): Promise<void> {
  const solver = await createSolver(asGas(system), options);
  let all = 0;
  for (let part = 1; part <= GAS_PARTS; part++) {
    const reports: StepReport[] = [];
    await solver.step(Math.ceil(steps / GAS_PARTS), (report) => reports.push(report));
    const sweeps = reports.map(({ iterations }) => iterations);
    const sum = sweeps.reduce((a, b) => a + b, 0);
    all += sum;
    const failed = reports.filter(({ converged }) => !converged).length;
    tell(
      `to step ${part * reports.length}: ${(sum / reports.length).toFixed(1)} sweeps a step, at most ${Math.max(...sweeps)}, ${failed} not converged`,
    );
  }
  solver.dispose();
  tell(`${(all / (GAS_PARTS * Math.ceil(steps / GAS_PARTS))).toFixed(1)} sweeps a step in all`);
}

async function oneStep(system: System, from: Snapshot, options: Partial<SolverOptions>): Promise<StepReport> {
  let report: StepReport | undefined;
  const solver = await createSolver(system, options, from);
  await solver.step(1, (done) => {
    report = done;
  });
  solver.dispose();
  return report!;
}

async function openDevice(): Promise<GPUDevice> {
  const adapter = await (await nodeGpu('webgpu'))?.requestAdapter();
  if (!adapter) throw new Error('No WebGPU adapter');
  return requestLargeDevice(adapter);
}

interface Options {
  side: number;
  height: number;
  ratio: number;
  loads: Load[];
  coarse: Coarse[];
  momentum: number[];
  balance: number;
  most: number;
  backend: BackendName;
}

const number = (low: number, high: number) =>
  option((text: string) => {
    const value = Number(text);
    if (!(value >= low && value <= high)) throw new RangeError(`expected a number from ${low} to ${high}, got "${text}"`);
    return value;
  });

const {
  side,
  height,
  ratio,
  loads,
  coarse: levels,
  momentum: factors,
  balance,
  most: maxIterations,
  backend,
} = new Command('bench/convergence')
  .description('Sweeps that one step of a settled packing needs under loads that come all at once.')
  .option('--side <n>', 'spheres along the two edges of the box', countOption, 10)
  .option('--height <n>', 'layers of spheres', countOption, 10)
  .option('--ratio <x>', 'largest over smallest radius', number(1, 20), 1)
  .option(
    '--loads <list>',
    LOADS.join(','),
    option((text) => readNames(LOADS, text)),
    [...LOADS],
  )
  .option(
    '--coarse <list>',
    `the coarse level: ${COARSE_CHOICES.join(',')}`,
    option((text) => readNames(COARSE_CHOICES, text)),
    ['off', 'on'],
  )
  .option('--momentum <list>', 'from 0 to 0.95', (text: string) => text.split(',').map(number(0, 0.95)), [0.9])
  .option('--balance <x>', 'that is asked for', number(0, 1), 0.05)
  .option('--most <n>', 'sweeps at most', countOption, 1500)
  .option(
    '--backend <name>',
    BACKENDS.join(' or '),
    option((text) => readNames(BACKENDS, text)[0]),
    'cpu',
  )
  .parse()
  .opts<Options>();
const convergence: Convergence = { criterion: 'residual', tolerance: 1e-3, balance, maxIterations };
const device = backend === 'webgpu' ? await openDevice() : undefined;
const system = await buildSystem(side, height, ratio);
const name = `${side}-${height}-${ratio}`;
/** A gas starts from the lattice: nothing has to settle before it. */
const packing = loads.some((load) => load !== 'gas') ? await settled(system, name) : undefined;
console.log(
  `${side} x ${side} x ${height}, sizes 1:${ratio}, ${system.grains} grains; load, coarse, momentum, sweeps (+: not converged), residual, balance, force on the floor over the weight, ms of CPU`,
);
for (const load of loads) {
  for (const momentum of factors) {
    for (const coarse of levels) {
      const started = process.cpuUsage();
      const options = { coarse, convergence, momentum, warmStart: load !== 'gravity' };
      if (load === 'gas') {
        const tell = (line: string) => console.log(['gas    ', coarse.padEnd(3), momentum, line].join('  '));
        await settleGas(system, { ...options, warmStart: true }, 150 * Math.sqrt(2 * height), tell);
        continue;
      }
      if (!packing) continue;
      const { iterations, converged, residual, wallLoads, ...report } = await oneStep(
        loaded(system, packing, load),
        packing,
        options,
      );
      const milliseconds = process.cpuUsage(started).user / 1000;
      console.log(
        [
          load.padEnd(7),
          coarse.padEnd(3),
          momentum,
          `${iterations}${converged ? '' : '+'}`.padStart(5),
          residual.toExponential(1),
          report.balance?.toExponential(1),
          onFloor(system, wallLoads).toFixed(3),
          milliseconds.toFixed(0),
        ].join('  '),
      );
    }
  }
}
device?.destroy();
