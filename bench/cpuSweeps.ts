/**
 * Contact updates per second of the CPU's sweeps on one core, plain and with momentum, and what else a step takes:
 * `npx tsx bench/cpuSweeps.ts [grains]`. The packing: equal spheres that settle from a loose lattice under gravity.
 */
import { packBodies } from '../src/cpu/bodies';
import { CandidateList, carryOver } from '../src/cpu/candidateList';
import { CandidateFinder } from '../src/cpu/candidates';
import { Colourer } from '../src/cpu/colouring';
import { ContactBlock } from '../src/cpu/contacts';
import { buildGrid, gridDims } from '../src/cpu/grid';
import { residual } from '../src/cpu/measure';
import { applyShockLaw } from '../src/cpu/shockLaw';
import { CpuSolver } from '../src/cpu/solver';
import { extrapolateBodies } from '../src/cpu/sweep';
import { loadProblem, parseScene } from '../src/index';
import type { System } from '../src/scene/system';
import { toSystem } from '../src/scene/units';
import { BASE_REACH } from '../src/settings';

const SETTLING_STEPS = 150;
const ROUNDS = 5;
const SWEEPS = 100;

/** n grains on a loose lattice in an open box a little wider than high. */
async function looseLattice(grains: number): Promise<System> {
  const side = Math.ceil(Math.cbrt(grains));
  const spacing = 1.05;
  const max = side * spacing;
  const scene = parseScene({
    format: 'contact-dynamics/1',
    gravity: [0, 0, -10],
    timeStep: 0.01,
    steps: SETTLING_STEPS,
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction: 0.3 }],
    grains: [
      {
        material: 'grain',
        lattice: {
          count: [side, side, Math.ceil(grains / side ** 2)],
          spacing,
          origin: [spacing / 2, spacing / 2, spacing / 2],
          radius: 0.5,
          jitter: 0.02,
          seed: 1,
        },
      },
    ],
    walls: [{ name: 'box', material: 'grain', box: { min: [0, 0, 0], max: [max, max, 2 * max], open: ['+z'] } }],
    solver: { momentum: 0.9, convergence: { criterion: 'fixed', iterations: 20 } },
  });
  return toSystem(await loadProblem(scene, () => Promise.reject(new Error('no files'))));
}

/** Milliseconds of CPU time, which other work on the machine disturbs less than the clock, of the fastest of a few rounds. */
function time(work: () => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    work();
    return process.cpuUsage(start).user / 1000;
  });
  return Math.min(...rounds);
}

const system = await looseLattice(Number(process.argv[2] ?? 10_000));
const solver = new CpuSolver(system);
const settling = process.cpuUsage();
await solver.step(SETTLING_STEPS);
console.log(
  `${system.grains} grains, settling: ${(process.cpuUsage(settling).user / 1000 / SETTLING_STEPS).toFixed(1)} ms a step of 20 sweeps`,
);
const state = await solver.read();

const cellSize = 1 + 2 * BASE_REACH;
const dims = gridDims(
  [0, 1, 2].map((axis) => state.positions.reduce((m, x, k) => (k % 3 === axis ? Math.max(m, Math.abs(2 * x)) : m), 0)),
  cellSize,
  system.grains,
);
const reach = new Float64Array(system.grains).fill(BASE_REACH);
const list = new CandidateList(system.grains);
const finder = new CandidateFinder(system);
const colourer = new Colourer(system.inverseMasses);
const block = new ContactBlock();
const velocities = new Float64Array(3 * system.bodies);
velocities.set(state.velocities);
const spins = new Float64Array(3 * system.bodies);
spins.set(state.angularVelocities);
const motion = packBodies(velocities, spins, system.inverseMasses);
const previous = motion.slice();

const grid = buildGrid(state.positions, cellSize, dims);
finder.find(grid, state.positions, reach, list, 0);
const kept = colourer.colour(list).colourOf.slice();
const colouring = colourer.colour(list, kept);
block.gather(list, colouring, motion, system);
console.log(`${list.count} contacts`);
const stages: Record<string, () => void> = {
  grid: () => buildGrid(state.positions, cellSize, dims),
  candidates: () => finder.find(grid, state.positions, reach, list, 0),
  carry: () => carryOver(list, list, true),
  colouring: () => colourer.colour(list, kept),
  gather: () => block.gather(list, colouring, motion, system),
  residual: () => residual(block, motion),
};
for (const [name, stage] of Object.entries(stages)) console.log(`${name}: ${time(stage).toFixed(2)} ms`);
for (const [name, momentum] of Object.entries({ plain: 0, 'with momentum': 0.9 })) {
  const elapsed = time(() => {
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      if (momentum > 0) extrapolateBodies(motion, previous, system.grains, momentum);
      applyShockLaw(block, 0, block.count, motion, momentum);
    }
  });
  const rate = (SWEEPS * block.count) / (elapsed / 1000);
  console.log(
    `${name}: ${(rate / 1e6).toFixed(1)} million contact updates per second (${((1e9 * 1) / rate).toFixed(0)} ns each)`,
  );
}
