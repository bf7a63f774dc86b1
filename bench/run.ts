/** Sizes, scenes and backends, with Rapier beside them: `npm run bench`. See --help. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { OutputError } from '../src/cli/exit';
import { nodeGpu } from '../src/node';
import { nodeHost } from './nodeHost';
import { countOption, option, quotedArguments, type SuiteOptions, suiteOptions } from './options';
import { progressBar } from './progressBar';
import { rapierVersion } from './rapier/world';
import { describeHardware } from './suite/adapter';
import { describeMachine, writeSuite } from './suite/files';
import { COARSE_CHOICES, type Coarse, readCounts, readNames } from './suite/names';
import { Suite } from './suite/runSuite';
import { SCENE_NAMES } from './suite/scenes';
import { casesSection } from './suite/sections';
import { toMarkdown } from './suite/table';

interface Options extends SuiteOptions {
  sizes: number[];
  gpuSizes: number[];
  coarse: Coarse;
  steps: number;
}

const sizes = option(readCounts);
const program = new Command('bench')
  .description('Measures scenes at several sizes; the default takes some ten minutes on a slow machine.')
  .option('--sizes <list>', 'grains, on the CPU', sizes, [1000, 4000, 16_000])
  .option('--gpu-sizes <list>', 'grains, with WebGPU; without a GPU it runs on a software driver', sizes, [1000, 4000])
  .option(
    '--coarse <choice>',
    'coarse level: off, on or auto',
    option((text) => readNames(COARSE_CHOICES, text)[0]),
    'auto',
  )
  .option('--steps <n>', 'measured steps of each case at most', countOption, 10);
suiteOptions(program, { scenes: [...SCENE_NAMES], minutes: 20, rapierGrains: 2000, name: 'bench' }).parse();

const options = program.opts<Options>();
const { scenes, backends, coarse, steps, seconds, settleSeconds, name, note } = options;
const { adapter, ...hardware } = await describeHardware(await nodeGpu('webgpu'), backends);
const suite = new Suite(
  nodeHost,
  {
    ...{ scenes, backends, coarse, steps, seconds, settleSeconds, totalSeconds: 60 * options.minutes },
    sizes: { cpu: options.sizes, webgpu: options.gpuSizes },
    rapier: options.rapier
      ? { scenes: ['pouring'], grains: options.rapierGrains, steps: options.rapierSteps, seconds: Infinity }
      : null,
  },
  {
    command: `npm run bench${quotedArguments()}`,
    machine: describeMachine(options.rapier ? await rapierVersion() : null, adapter),
    ...{ note, ...hardware },
  },
  { onProgress: progressBar(process.stderr) },
);
await suite.run();
const folder = resolve('bench', 'results');
console.log(toMarkdown(casesSection(suite.result)));
for (const { scene, backend, grains, error } of suite.result.failures)
  console.error(`${scene}, ${grains} grains, ${backend}: ${error}`);
try {
  await writeSuite(folder, name, suite.result);
} catch (error) {
  if (!(error instanceof OutputError)) throw error;
  console.error(error.message);
  process.exit(1);
}
console.error(`${name}.json, .csv, .md and .html are in ${folder}`);
// The native WebGPU module keeps the process alive.
process.exit(suite.result.failures.some(({ late }) => !late) ? 1 : 0);
