/**
 * A long run in a turning drum, with the memory that it holds on the way: `npm run soak`, 100,000 steps of 500 grains on the CPU;
 * `npm run soak -- --backend webgpu --steps 5000` on the GPU. Exit code 1 where memory grows or a step goes wrong.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Command, Option } from 'commander';
import { createNodeSimulation } from '../src/node';
import { countOption } from './options';
import { SCENES } from './suite/scenes';

/** Megabytes that what is held may grow by from a fifth of the run on: what garbage collection leaves unevenly. */
const LARGEST_GROWTH = 8;
const REPORTS = 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Held {
  /** Megabytes of objects and of arrays, after a collection. */
  own: number;
  /** Megabytes that the process has of the machine. */
  resident: number;
  /** Megabytes of buffers on the GPU. */
  gpu: number;
}

async function soak(backend: 'cpu' | 'webgpu', grains: number, steps: number): Promise<boolean> {
  const scene = SCENES.drum.make(grains, { momentum: 0.8, convergence: { criterion: 'residual', maxIterations: 100 } });
  const simulation = await createNodeSimulation({ ...scene, steps }, { backend });
  const held = (): Held => {
    collectGarbage();
    const { heapUsed, external, rss } = process.memoryUsage();
    return { own: (heapUsed + external) / 1e6, resident: rss / 1e6, gpu: simulation.gpuMemoryBytes / 1e6 };
  };
  const part = Math.ceil(steps / REPORTS);
  const history: Held[] = [];
  console.log('     step  overlap   own MB  resident MB  GPU MB');
  while (simulation.steps < steps) {
    // One at a time: thousands of reports at once would be memory that grows.
    let overlap = 0;
    for (const end = Math.min(steps, simulation.steps + part); simulation.steps < end; ) {
      const reports = await simulation.step(Math.min(100, end - simulation.steps));
      overlap = reports.at(-1)?.maxPenetration ?? Number.NaN;
    }
    const now = held();
    history.push(now);
    const cells = [overlap.toExponential(1), now.own.toFixed(2), now.resident.toFixed(0), now.gpu.toFixed(1)];
    console.log(`${String(simulation.steps).padStart(9)} ${cells.map((cell, k) => cell.padStart([8, 8, 12, 7][k])).join(' ')}`);
  }
  simulation.dispose();
  const settled = history[Math.floor(history.length / 5)];
  const growth = history[history.length - 1].own - settled.own;
  const gpuGrowth = history[history.length - 1].gpu - settled.gpu;
  console.log(`\nFrom a fifth of the run on: own memory ${growth.toFixed(2)} MB more, GPU ${gpuGrowth.toFixed(2)} MB more.`);
  return growth <= LARGEST_GROWTH && gpuGrowth <= LARGEST_GROWTH;
}

const { backend, grains, steps } = new Command('soak')
  .addOption(new Option('--backend <name>', 'where to run').choices(['cpu', 'webgpu']).default('cpu'))
  .option('--grains <n>', 'grains in the drum', countOption, 500)
  .option('--steps <n>', 'steps', countOption, 100_000)
  .parse()
  .opts<{ backend: 'cpu' | 'webgpu'; grains: number; steps: number }>();
process.exitCode = (await soak(backend, grains, steps)) ? 0 : 1;
