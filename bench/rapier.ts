/** The pouring scene here and in Rapier's simd build, side by side on one core: `npm run bench:rapier`. See --help. */
import { Command } from 'commander';
import { nodeHost } from './nodeHost';
import { countOption } from './options';
import { compareWithRapier, type SolverChoice } from './rapier/compare';
import { comparisonSections } from './rapier/sections';
import { rapierVersion } from './rapier/world';
import { toMarkdown } from './suite/table';

interface Options {
  grains: number;
  steps: number;
  rapier: number[];
  sweeps: number[];
  residuals: number[];
}

const list = (text: string) =>
  text
    .split(',')
    .map(Number)
    .filter((value) => value > 0);

const program = new Command('bench:rapier')
  .description(
    'Milliseconds of CPU time per step and overlaps; all runs take turns step by step. The default takes some ten minutes.',
  )
  .option('--grains <n>', 'spheres', countOption, 8000)
  .option('--steps <n>', 'steps', countOption, 400)
  .option('--rapier <list>', "iterations of Rapier's solver", list, [4, 20, 100])
  .option('--sweeps <list>', 'fixed numbers of sweeps here', list, [10, 20, 30])
  .option('--residuals <list>', 'tolerances of the residual here', list, [1e-2])
  .parse();

const { grains, steps, rapier, sweeps, residuals } = program.opts<Options>();
const choices: SolverChoice[] = [...sweeps.map((count) => ({ sweeps: count })), ...residuals.map((tolerance) => ({ tolerance }))];
const run = await compareWithRapier(
  nodeHost,
  { scene: 'pouring', grains, steps, seconds: Infinity, iterations: rapier, choices, backends: ['cpu'] },
  {
    onStep: (step) => {
      if (step % 20 === 0) console.error(`step ${step} of ${steps}`);
    },
  },
);
console.log(`Rapier ${await rapierVersion()}\n\n${comparisonSections(run).map(toMarkdown).join('\n')}`);
