/**
 * Candidates per second for mixes of sizes, against equal spheres with about as many candidates, in one run:
 * `npx tsx bench/bundled.ts cells [--candidates N] [--rounds N] [--cpu-only] [--file DUMP]`. The packings have settled under gravity (some minutes
 * for each, once; out/cells keeps them). On the CPU a new search with the levels of linked cells that are chosen,
 * and with one level for all sizes; then what a run pays on the mean of some steps, which keeps pairs: cells, reaches and candidates, of a packing that is at rest but for
 * 1e-5 diameters a step at most, and of one in which grains go up to 0.01. On the GPU the stages grid and candidates with the levels that are chosen. Times on the CPU, and of a software adapter, are
 * CPU time, which other work on the machine disturbs less than the clock: the least of some rounds in which each packing has its turn.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { program } from 'commander';
import { CONTROL_CANDIDATES, CONTROL_WORDS } from '../shaders/control';
import { packBodies } from '../src/cpu/bodies';
import { CandidateList } from '../src/cpu/candidateList';
import { CandidateFinder } from '../src/cpu/candidates';
import { buildGrid, layOutGrid } from '../src/cpu/grid';
import { findReach, slowSpeed } from '../src/cpu/reach';
import { chooseSizeLevels, largestRadius, type SizeLevels, sortIntoLevels } from '../src/cpu/sizeLevels';
import { isSoftwareAdapter, requestLargeDevice } from '../src/gpu/adapter';
import { Pipeline } from '../src/gpu/pipeline';
import { download } from '../src/gpu/readback';
import { chooseSizes } from '../src/gpu/sizes';
import { nodeGpu } from '../src/node/gpu';
import { randomNumbers } from '../src/scene/generators/randomNumbers';
import type { System } from '../src/scene/system';
import { toSystem } from '../src/scene/units';
import { BASE_REACH, INITIAL_CANDIDATES_PER_GRAIN, INITIAL_REACH_LIMIT } from '../src/settings';
import { extentOf, startOf } from '../src/snapshot';
import { packingAtRest } from './cells/packing';
import { countOption } from './options';
import { loadSilo } from './silo/scene';
import { cpuMilliseconds, timeInTurn } from './timing';

const RATIOS = [1, 3, 10, 20, 50];
/** In one submission to the GPU: many, so that its own time counts. */
const SEARCHES = 4;
/** That are timed together on the CPU, and how far grains go in each at most, mean diameters. */
const STEPS = 20;
const SPEEDS = { 'at rest': 1e-5, flowing: 0.01 };

/** Of packings at rest, about. */
const CANDIDATES_PER_GRAIN = 3;

interface Options {
  candidates: number;
  rounds: number;
  cpuOnly?: boolean;
  file?: string;
}

interface Packing {
  name: string;
  system: System;
}

/** A new search on the CPU, ready to run; it gives the number of candidates. */
function cpuSearch(system: System, sizeLevels: SizeLevels): () => number {
  const reach = new Float64Array(system.grains).fill(BASE_REACH);
  const list = new CandidateList(system.grains);
  const finder = new CandidateFinder({ ...system, walls: [] });
  const levels = layOutGrid(sizeLevels, extentOf(system.positions), INITIAL_REACH_LIMIT);
  // From one place to the other no grain may keep its pairs.
  const places = [system.positions, system.positions.map((x) => x + 1)];
  return () => {
    places.reverse();
    finder.find(buildGrid(places[0], levels, sizeLevels.levelOf), reach, list, 0);
    return list.count;
  };
}

/** STEPS steps of a run in which grains go up to `speed` mean diameters in each, to and fro; it gives the number of candidates in all. */
function cpuSteps(system: System, speed: number): () => number {
  const { grains } = system;
  const sizeLevels = chooseSizeLevels(system);
  const [positions, velocities] = [system.positions.slice(), new Float64Array(3 * grains)];
  const random = randomNumbers(1);
  for (let i = 0; i < grains; i++) {
    const way = [0, 1, 2].map(() => random() - 0.5);
    const share = random();
    way.forEach((x, axis) => {
      velocities[3 * i + axis] = (share * speed * x) / Math.hypot(...way);
    });
  }
  const motion = packBodies(velocities, new Float64Array(3 * grains), system.inverseMasses.subarray(0, grains));
  const [floors, reach] = [new Float64Array(grains), new Float64Array(grains)];
  const slow = slowSpeed(system);
  const list = new CandidateList(grains);
  const finder = new CandidateFinder({ ...system, walls: [] });
  const levels = layOutGrid(sizeLevels, extentOf(positions), INITIAL_REACH_LIMIT);
  let sign = 1;
  return () => {
    let candidates = 0;
    for (let step = 0; step < STEPS; step++) {
      for (let k = 0; k < positions.length; k++) positions[k] += sign * velocities[k];
      const grid = buildGrid(positions, levels, sizeLevels.levelOf);
      findReach(grid, motion, floors, reach, slow);
      finder.find(grid, reach, list, 0);
      candidates += list.count;
    }
    sign = -sign;
    return candidates;
  };
}

/** Packings with about so many candidates each, and that of the file. */
async function packingsAtRest({ candidates, file }: Options): Promise<Packing[]> {
  const grains = Math.round(candidates / CANDIDATES_PER_GRAIN);
  // Before the others settle, which takes long: the file may not be there.
  const read = file === undefined ? [] : [{ name: basename(file), system: toSystem(await loadSilo(file, 1, 1)) }];
  const found: Packing[] = [];
  for (const ratio of RATIOS) found.push({ name: `1:${ratio}`, system: await packingAtRest(grains, ratio) });
  return [...found, ...read];
}

/** Candidates per second of each search, as they are and over those of the first. */
function tell(where: string, found: Record<string, { candidates: number; milliseconds: number }>): void {
  const rates = Object.entries(found).map(([name, { candidates, milliseconds }]) => ({ name, rate: candidates / milliseconds }));
  for (const { name, rate } of rates) {
    const { candidates, milliseconds } = found[name];
    const figures = `${candidates} candidates, ${milliseconds.toFixed(1)} ms, ${(rate / 1000).toFixed(2)} million/s`;
    console.log(`${where}, ${name}: ${figures}, ${(rates[0].rate / rate).toFixed(2)} times as long as ${rates[0].name}`);
  }
}

/** Times kinds of work that give their number of candidates, in turn. */
function timeAndTell(where: string, work: Record<string, () => number>, rounds: number): void {
  const times = timeInTurn(work, rounds);
  const results = Object.entries(work).map(([name, search]) => [name, { candidates: search(), milliseconds: times[name] }]);
  tell(where, Object.fromEntries(results));
}

async function measureCpu({ rounds }: Options, packings: readonly Packing[]): Promise<void> {
  const searches: Record<string, () => number> = {};
  const steps = Object.fromEntries(Object.keys(SPEEDS).map((name) => [name, {} as Record<string, () => number>]));
  for (const { name, system } of packings) {
    const chosen = chooseSizeLevels(system);
    searches[`${name} (${system.grains} grains, ${chosen.counts.length} levels)`] = cpuSearch(system, chosen);
    for (const [motion, speed] of Object.entries(SPEEDS)) steps[motion][name] = cpuSteps(system, speed);
    if (chosen.counts.length > 1) {
      searches[`${name} in one level`] = cpuSearch(system, sortIntoLevels(system.radii, [Math.fround(largestRadius(system))]));
    }
  }
  timeAndTell('CPU', searches, rounds);
  for (const [name, work] of Object.entries(steps)) timeAndTell(`CPU, ${STEPS} steps ${name}`, work, rounds);
}

/** The search on the GPU, ready to run a few times in one submission; it ends with the number of candidates. */
async function gpuSearch(device: GPUDevice, packing: System): Promise<() => Promise<number>> {
  const system = { ...packing, accelerations: new Float64Array(3 * packing.grains) };
  const from = startOf(system);
  const candidates = Math.ceil(INITIAL_CANDIDATES_PER_GRAIN * system.grains) + 192;
  const sizes = chooseSizes(system, { extent: from.extent, reachLimit: INITIAL_REACH_LIMIT, candidates, colourWords: 1 });
  const pipeline = await Pipeline.create(device, system, sizes, from, false);
  return async () => {
    const encoder = device.createCommandEncoder();
    for (let k = 0; k < SEARCHES; k++) pipeline.encodeSearch(encoder, 0);
    device.queue.submit([encoder.finish()]);
    const control = await download(device, [{ buffer: pipeline.buffers.get('control'), bytes: 4 * CONTROL_WORDS }]);
    return new Uint32Array(control[0])[CONTROL_CANDIDATES];
  };
}

async function measureGpu({ rounds }: Options, packings: readonly Packing[]): Promise<void> {
  const adapter = await (await nodeGpu('webgpu'))?.requestAdapter();
  if (!adapter) throw new Error('No WebGPU adapter');
  const device = await requestLargeDevice(adapter);
  const time = isSoftwareAdapter(adapter.info) ? cpuMilliseconds : () => performance.now();
  const searches: Record<string, () => Promise<number>> = {};
  const found: Record<string, { candidates: number; milliseconds: number }> = {};
  for (const { name: sizes, system } of packings) {
    const name = `${sizes} (${system.grains} grains)`;
    searches[name] = await gpuSearch(device, system);
    found[name] = { candidates: await searches[name](), milliseconds: Infinity };
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, search] of Object.entries(searches)) {
      const start = time();
      await search();
      found[name].milliseconds = Math.min(found[name].milliseconds, (time() - start) / SEARCHES);
    }
  }
  tell(adapter.info.description || 'GPU', found);
  device.destroy();
}

program
  .option('--candidates <count>', 'of each packing', countOption, 60_000)
  .option('--cpu-only', 'leave out the GPU')
  .option('--rounds <count>', 'of which the least time counts', countOption, 7)
  .option('--file <dump>', 'LIGGGHTS or LAMMPS dump of a packing in the silo of bench/silo, measured beside them')
  .parse();
const options = program.opts<Options>();
if (options.file !== undefined && !existsSync(options.file)) program.error(`There is no file ${options.file}`);
const packings = await packingsAtRest(options);
await measureCpu(options, packings);
if (!options.cpuOnly) await measureGpu(options, packings);
