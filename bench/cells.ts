/**
 * Candidates per second for mixes of sizes, against equal spheres with as many candidates, in one run:
 * `npx tsx bench/cells.ts [--candidates N] [--gpu-candidates N]`. On the CPU with the levels of linked cells that are chosen, and with one level for
 * all sizes; on the GPU (or its software adapter) the stages grid and candidates with the levels that are chosen.
 */
import { program } from 'commander';
import { CandidateList } from '../src/cpu/candidateList';
import { CandidateFinder } from '../src/cpu/candidates';
import { buildGrid, layOutGrid } from '../src/cpu/grid';
import { chooseSizeLevels, largestRadius, type SizeLevels, sortIntoLevels } from '../src/cpu/sizeLevels';
import { requestLargeDevice } from '../src/gpu/adapter';
import { GpuSolver } from '../src/gpu/solver';
import { nodeGpu } from '../src/node/gpu';
import type { System } from '../src/scene/system';
import { BASE_REACH, INITIAL_REACH_LIMIT } from '../src/settings';
import { extentOf } from '../src/snapshot';
import { densePacking } from './cells/packing';
import { countOption } from './options';
import { timeInTurn } from './timing';

const RATIOS = [1, 3, 10, 20, 50];
const ROUNDS = 7;

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

async function measureCpu(candidates: number): Promise<void> {
  const searches: Record<string, () => number> = {};
  for (const ratio of RATIOS) {
    const system = await packingOf(candidates, ratio);
    const chosen = chooseSizeLevels(system);
    searches[`1:${ratio} (${system.grains} grains, ${chosen.counts.length} levels)`] = cpuSearch(system, chosen);
    if (chosen.counts.length > 1) {
      searches[`1:${ratio} in one level`] = cpuSearch(system, sortIntoLevels(system.radii, [Math.fround(largestRadius(system))]));
    }
  }
  const times = timeInTurn(searches, ROUNDS);
  const results = Object.entries(searches).map(([name, search]) => [name, { candidates: search(), milliseconds: times[name] }]);
  tell('CPU', Object.fromEntries(results));
}

async function measureGpu(candidates: number): Promise<void> {
  const adapter = await (await nodeGpu('webgpu'))?.requestAdapter();
  if (!adapter) throw new Error('No WebGPU adapter');
  const device = await requestLargeDevice(adapter);
  const found: Record<string, { candidates: number; milliseconds: number }> = {};
  for (const ratio of RATIOS) {
    const system = await packingOf(candidates, ratio);
    const name = `1:${ratio} (${system.grains} grains)`;
    found[name] = { candidates: 0, milliseconds: Infinity };
    const solver = { ...system.solver, convergence: { criterion: 'fixed', iterations: 1 } } as const;
    const gpu = await GpuSolver.create(
      device,
      { ...system, accelerations: new Float64Array(3 * system.grains), solver },
      { profile: true },
    );
    let before = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      await gpu.step(1, (report) => (found[name].candidates = report.candidates));
      const stages = await gpu.stageTimes();
      if (!stages) throw new Error('The adapter has no timestamps');
      const now = stages.grid + stages.candidates;
      // The first step grows buffers.
      if (round > 0) found[name].milliseconds = Math.min(found[name].milliseconds, now - before);
      before = now;
    }
    gpu.dispose();
  }
  tell(adapter.info.description || 'GPU', found);
  device.destroy();
}

program
  .option('--candidates <count>', 'of each packing on the CPU', countOption, 60_000)
  .option('--gpu-candidates <count>', 'of each packing on the GPU', countOption, 20_000)
  .parse();
const options = program.opts<{ candidates: number; gpuCandidates: number }>();
await measureCpu(options.candidates);
await measureGpu(options.gpuCandidates);
