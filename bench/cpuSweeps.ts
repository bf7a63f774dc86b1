/**
 * Contact updates per second of the CPU's sweeps on one core, beside a loop that does no more than the shock law, and what
 * else a step takes: `npx tsx bench/cpuSweeps.ts [grains ...]`, 10,000 without.
 */
import { packBodies } from '../src/cpu/bodies';
import { CandidateList, carryOver } from '../src/cpu/candidateList';
import { CandidateFinder } from '../src/cpu/candidates';
import { Colourer } from '../src/cpu/colouring';
import { ContactBlock } from '../src/cpu/contacts';
import { buildGrid, layOutGrid } from '../src/cpu/grid';
import { measurePenetration } from '../src/cpu/measure';
import { findReach } from '../src/cpu/reach';
import { residual } from '../src/cpu/residual';
import { applyShockLaw } from '../src/cpu/shockLaw';
import { chooseSizeLevels } from '../src/cpu/sizeLevels';
import { CpuSolver } from '../src/cpu/solver';
import { extrapolateBodies } from '../src/cpu/sweep';
import { wallSteps } from '../src/cpu/walls';
import { loadProblem, parseScene } from '../src/index';
import { toSystem } from '../src/scene/units';
import { BASE_REACH } from '../src/settings';
import { extentOf } from '../src/snapshot';
import { PlainSweep } from './plainSweep';
import { bedScene } from './scenes/bed';
import { cpuMilliseconds, timeInTurn } from './timing';

const SETTLING_STEPS = 100;
const ROUNDS = 60;
const MOMENTUM = 0.9;
/** Contact updates that one round takes, about. */
const UPDATES = 2.5e5;

async function settledBed(grains: number) {
  const sweeps = { momentum: MOMENTUM, coarse: 'off', convergence: { criterion: 'fixed', iterations: 10 } } as const;
  const scene = parseScene(bedScene(grains, SETTLING_STEPS, sweeps));
  const system = toSystem(await loadProblem(scene, () => Promise.reject(new Error('no files'))));
  const solver = new CpuSolver(system);
  const start = cpuMilliseconds();
  await solver.step(SETTLING_STEPS);
  const milliseconds = (cpuMilliseconds() - start) / SETTLING_STEPS;
  console.log(`\n${system.grains} grains, settling: ${milliseconds.toFixed(1)} ms a step of 10 sweeps`);
  return { system, state: await solver.read() };
}

async function measure(grains: number): Promise<void> {
  const { system, state } = await settledBed(grains);
  const sizeLevels = chooseSizeLevels(system);
  const levels = layOutGrid(sizeLevels, extentOf(state.positions), BASE_REACH);
  const reach = new Float64Array(system.grains).fill(BASE_REACH);
  const [floors, foundReach] = [new Float64Array(system.grains), new Float64Array(system.grains)];
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

  const grid = buildGrid(state.positions, levels, sizeLevels.levelOf);
  finder.find(grid, reach, list, 0);
  const kept = colourer.colour(list).colourOf.slice();
  const colouring = colourer.colour(list, kept);
  block.gather(list, colouring, motion, system);

  const stages = timeInTurn(
    {
      grid: () => buildGrid(state.positions, levels, sizeLevels.levelOf),
      reach: () => findReach(grid, motion, floors, foundReach),
      'candidates, of pairs that are kept': () => finder.find(grid, reach, list, 0),
      carry: () => carryOver(list, list, true),
      colouring: () => colourer.colour(list, kept),
      gather: () => block.gather(list, colouring, motion, system),
      'residual, with its parts': () => residual(block, motion),
      penetration: () => measurePenetration(system, wallSteps(system, 0), state.positions, list),
    },
    ROUNDS,
  );
  for (const [name, milliseconds] of Object.entries(stages)) console.log(`${name}: ${milliseconds.toFixed(2)} ms`);

  const plain = new PlainSweep(block, motion, 0.3);
  const sweeps = Math.max(1, Math.round(UPDATES / block.count));
  const repeat = (sweep: () => void) => () => {
    for (let k = 0; k < sweeps; k++) sweep();
  };
  const times = timeInTurn(
    {
      'loop that does no more than the law': repeat(() => plain.sweep()),
      'without momentum': repeat(() => applyShockLaw(block, 0, block.count, motion, 0)),
      'with momentum': repeat(() => {
        extrapolateBodies(motion, previous, system.grains, MOMENTUM);
        applyShockLaw(block, 0, block.count, motion, MOMENTUM);
      }),
    },
    ROUNDS,
  );
  console.log(`${block.count} contacts, ${colouring.colours} colours; contact updates per second:`);
  const loop = times['loop that does no more than the law'];
  for (const [name, milliseconds] of Object.entries(times)) {
    const rate = (sweeps * block.count) / milliseconds / 1000;
    console.log(`${name}: ${rate.toFixed(1)} million, ${(loop / milliseconds).toFixed(2)} of the loop's`);
  }
}

for (const grains of process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000]) await measure(grains);
