/**
 * Contact updates per second of the CPU's sweeps on one core, beside a loop that does no more than the shock law, and what
 * else a step takes: `npm run bench:sweeps -- [grains ...]`, 10,000 without.
 */
import { predict } from '../src/cpu/bodies';
import { CandidateList, carryOver } from '../src/cpu/candidateList';
import { CandidateFinder } from '../src/cpu/candidates';
import { Colourer } from '../src/cpu/colouring';
import { ContactBlock } from '../src/cpu/contacts';
import { buildGrid, layOutGrid } from '../src/cpu/grid';
import { measurePenetration } from '../src/cpu/measure';
import { findReach, slowSpeed } from '../src/cpu/reach';
import { residual } from '../src/cpu/residual';
import { restoreCandidates, restoreMotion } from '../src/cpu/restart';
import { applyShockLaw } from '../src/cpu/shockLaw';
import { chooseSizeLevels } from '../src/cpu/sizeLevels';
import { CpuSolver } from '../src/cpu/solver';
import { extrapolateBodies } from '../src/cpu/sweep';
import { SweepOrder } from '../src/cpu/sweepOrder';
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
/** Of a step. */
const SWEEPS = 10;

async function settledBed(grains: number) {
  const sweeps = { momentum: MOMENTUM, coarse: 'off', convergence: { criterion: 'fixed', iterations: SWEEPS } } as const;
  const scene = parseScene(bedScene(grains, SETTLING_STEPS, sweeps));
  const system = toSystem(await loadProblem(scene, () => Promise.reject(new Error('no files'))));
  const solver = new CpuSolver(system);
  const start = cpuMilliseconds();
  await solver.step(SETTLING_STEPS);
  const milliseconds = (cpuMilliseconds() - start) / SETTLING_STEPS;
  console.log(`\n${system.grains} grains, settling: ${milliseconds.toFixed(1)} ms a step of ${SWEEPS} sweeps`);
  return { system, snapshot: await solver.capture() };
}

async function measure(grains: number): Promise<void> {
  const { system, snapshot } = await settledBed(grains);
  const { positions } = snapshot;
  const sizeLevels = chooseSizeLevels(system);
  const levels = layOutGrid(sizeLevels, extentOf(positions), BASE_REACH);
  const reach = new Float64Array(system.grains).fill(BASE_REACH);
  const [floors, foundReach] = [new Float64Array(system.grains), new Float64Array(system.grains)];
  const last = restoreCandidates(snapshot.contacts, system, false);
  const slow = slowSpeed(system);
  const list = new CandidateList(system.grains);
  const finder = new CandidateFinder(system);
  const colourer = new Colourer(system.inverseMasses);
  const sweepOrder = new SweepOrder();
  const [block, asListed] = [new ContactBlock(), new ContactBlock()];
  const motion = restoreMotion(system, snapshot);
  const free = motion.slice();
  predict(motion, free, system.accelerations, system.spinAccelerations);

  const grid = buildGrid(positions, levels, sizeLevels.levelOf);
  finder.find(grid, reach, list, 0);
  carryOver(last, list, true);
  const colouring = colourer.colour(list, list.colours);
  const arranged = sweepOrder.arrange(list, colouring, system);
  block.gather(list, colouring, free, system, arranged);
  asListed.gather(list, colouring, free, system);

  const stages = timeInTurn(
    {
      grid: () => buildGrid(positions, levels, sizeLevels.levelOf).starts,
      reach: () => findReach(grid, motion, floors, foundReach, slow),
      'candidates, of pairs that are kept': () => finder.find(grid, reach, list, 0),
      carry: () => carryOver(last, list, true),
      colouring: () => colourer.colour(list, list.colours),
      'order of the sweeps': () => sweepOrder.arrange(list, colouring, system),
      gather: () => block.gather(list, colouring, free, system, arranged),
      'residual, with its parts': () => residual(block, motion),
      penetration: () => measurePenetration(system, wallSteps(system, 0), positions, list),
    },
    ROUNDS,
  );
  for (const [name, milliseconds] of Object.entries(stages)) console.log(`${name}: ${milliseconds.toFixed(2)} ms`);

  // Each turn is the sweeps of the same step, from its beginning.
  block.applyImpulses(free);
  const plain = new PlainSweep(asListed, free, 0.3);
  const [work, previous] = [free.slice(), free.slice()];
  const blocks = [block, asListed].map((of) => ({ of, data: of.data.slice() }));
  const restart = () => {
    plain.restart();
    work.set(free);
    previous.set(free);
    for (const { of, data } of blocks) of.data.set(data);
  };
  const sweepOf = (of: ContactBlock, most: number) => () => {
    for (let k = 0; k < SWEEPS; k++) {
      const momentum = k === 0 ? 0 : most;
      if (most > 0) extrapolateBodies(work, previous, system.grains, momentum);
      applyShockLaw(of, 0, of.count, work, momentum);
    }
  };
  const times = timeInTurn(
    {
      'loop that does no more than the law': () => {
        for (let k = 0; k < SWEEPS; k++) plain.sweep();
      },
      'without momentum': sweepOf(block, 0),
      'with momentum': sweepOf(block, MOMENTUM),
      'with momentum, colours in the order of the list': sweepOf(asListed, MOMENTUM),
    },
    ROUNDS,
    restart,
  );
  console.log(
    `${block.count} contacts, ${colouring.colours} colours; contact updates per second (sweeps may beat the loop, which takes contacts as the list has them):`,
  );
  const loop = times['loop that does no more than the law'];
  for (const [name, milliseconds] of Object.entries(times)) {
    const rate = (SWEEPS * block.count) / milliseconds / 1000;
    console.log(`${name}: ${rate.toFixed(1)} million, ${(loop / milliseconds).toFixed(2)} of the loop's`);
  }
}

for (const grains of process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000]) await measure(grains);
