/**
 * Candidates per second for mixes of sizes, against equal spheres with as many candidates, in one run:
 * `npx tsx bench/cells.ts [--candidates N] [--gpu-candidates N] [--rounds N]`. On the CPU with the levels of linked cells that are chosen, and with one level for
 * all sizes; on the GPU the stages grid and candidates with the levels that are chosen. Times on the CPU, and of a software adapter, are
 * CPU time, which other work on the machine disturbs less than the clock: the least of some rounds in which each packing has its turn.
 */
import { program } from 'commander';
import { CONTROL_CANDIDATES, CONTROL_WORDS } from '../shaders/control';
import { CandidateList } from '../src/cpu/candidateList';
import { CandidateFinder } from '../src/cpu/candidates';
import { buildGrid, layOutGrid } from '../src/cpu/grid';
import { chooseSizeLevels, largestRadius, type SizeLevels, sortIntoLevels } from '../src/cpu/sizeLevels';
import { isSoftwareAdapter, requestLargeDevice } from '../src/gpu/adapter';
import { Pipeline } from '../src/gpu/pipeline';
import { download } from '../src/gpu/readback';
import { chooseSizes } from '../src/gpu/sizes';
import { nodeGpu } from '../src/node/gpu';
import type { System } from '../src/scene/system';
import { BASE_REACH, INITIAL_CANDIDATES_PER_GRAIN, INITIAL_REACH_LIMIT } from '../src/settings';
import { extentOf, startOf } from '../src/snapshot';
import { densePacking } from './cells/packing';
import { countOption } from './options';
import { cpuMilliseconds, timeInTurn } from './timing';

const RATIOS = [1, 3, 10, 20, 50];
/** In one submission to the GPU: many, so that its own time counts. */
const SEARCHES = 4;

/** The search on the CPU, ready to run; it is given the number of candidates. */
function cpuSearch(system: System, sizeLevels: SizeLevels): () => number {
  const reach = new Float64Array(system.grains).fill(BASE_REACH);
  const list = new CandidateList(system.grains);
  const finder = new CandidateFinder({ ...system, walls: [] });
  const levels = layOutGrid(sizeLevels, extentOf(system.positions), INITIAL_REACH_LIMIT);
  return () => {
    finder.find(buildGrid(system.positions, levels, sizeLevels.levelOf), reach, list, 0);
    return list.count;
  };
}

/** As many grains as make about so many candidates. */
async function packingOf(candidates: number, ratio: number): Promise<System> {
  let grains = Math.round(candidates / 3);
  for (let tries = 0; ; tries++) {
    const system = await densePacking(grains, ratio);
    const found = cpuSearch(system, chooseSizeLevels(system))();
    if (tries === 3 || Math.abs(found / candidates - 1) < 0.03) return system;
    grains = Math.round((grains * candidates) / found);
  }
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

async function measureCpu(candidates: number, rounds: number): Promise<void> {
  const searches: Record<string, () => number> = {};
  for (const ratio of RATIOS) {
    const system = await packingOf(candidates, ratio);
    const chosen = chooseSizeLevels(system);
    searches[`1:${ratio} (${system.grains} grains, ${chosen.counts.length} levels)`] = cpuSearch(system, chosen);
    if (chosen.counts.length > 1) {
      searches[`1:${ratio} in one level`] = cpuSearch(system, sortIntoLevels(system.radii, [Math.fround(largestRadius(system))]));
    }
  }
  const times = timeInTurn(searches, rounds);
  const results = Object.entries(searches).map(([name, search]) => [name, { candidates: search(), milliseconds: times[name] }]);
  tell('CPU', Object.fromEntries(results));
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

async function measureGpu(candidates: number, rounds: number): Promise<void> {
  const adapter = await (await nodeGpu('webgpu'))?.requestAdapter();
  if (!adapter) throw new Error('No WebGPU adapter');
  const device = await requestLargeDevice(adapter);
  const time = isSoftwareAdapter(adapter.info) ? cpuMilliseconds : () => performance.now();
  const searches: Record<string, () => Promise<number>> = {};
  const found: Record<string, { candidates: number; milliseconds: number }> = {};
  for (const ratio of RATIOS) {
    const system = await packingOf(candidates, ratio);
    const name = `1:${ratio} (${system.grains} grains)`;
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
  .option('--candidates <count>', 'of each packing on the CPU', countOption, 60_000)
  .option('--gpu-candidates <count>', 'of each packing on the GPU', countOption, 20_000)
  .option('--rounds <count>', 'of which the least time counts', countOption, 7)
  .parse();
const options = program.opts<{ candidates: number; gpuCandidates: number; rounds: number }>();
await measureCpu(options.candidates, options.rounds);
await measureGpu(options.gpuCandidates, options.rounds);
