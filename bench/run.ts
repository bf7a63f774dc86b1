/** Sizes, scenes and backends, with Rapier beside them: `npm run bench`. See --help. */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { requestLargeDevice } from '../src/gpu/adapter';
import { nodeGpu } from '../src/node';
import { countOption } from './options';
import { type Comparison, compareWithRapier, comparisonTable } from './rapier/compare';
import { rapierVersion } from './rapier/world';
import { cpuBandwidth, gpuBandwidth } from './suite/bandwidth';
import { describeMachine, fit, type SuiteResult, toMarkdown, writeSuite } from './suite/report';
import { type BackendName, type Coarse, prepare, runCase, UPDATE_BYTES } from './suite/runCase';
import { SCENES, type SceneName } from './suite/scenes';

interface Options {
  sizes: number[];
  gpuSizes: number[];
  scenes: SceneName[];
  backends: BackendName[];
  coarse: Coarse;
  steps: number;
  seconds: number;
  rapierGrains: number;
  rapierSteps: number;
  rapier: boolean;
  name: string;
  note: string;
}

function oneOf<T extends string>(known: readonly T[]) {
  return (text: string): T[] => {
    const names = text.split(',');
    const stranger = names.find((name) => !known.some((one) => one === name));
    if (stranger !== undefined) throw new InvalidArgumentError(`there is no ${stranger}; there are ${known.join(', ')}`);
    return names as T[];
  };
}

const sizes = (text: string) => text.split(',').map(countOption);
const quoted = (argument: string) => (/\s/.test(argument) ? JSON.stringify(argument) : argument);
const sceneNames = Object.keys(SCENES) as SceneName[];

const program = new Command('bench')
  .description('Measures scenes at several sizes; the default takes some ten minutes on a slow machine.')
  .option('--sizes <list>', 'grains, on the CPU', sizes, [1000, 4000, 16_000])
  .option('--gpu-sizes <list>', 'grains, with WebGPU; without a GPU it runs on a software driver', sizes, [1000, 4000])
  .option('--scenes <list>', sceneNames.join(','), oneOf(sceneNames), sceneNames)
  .option('--backends <list>', 'cpu,webgpu', oneOf<BackendName>(['cpu', 'webgpu']), ['cpu', 'webgpu'])
  .option('--coarse <choice>', 'coarse level: off, on or auto', (text) => oneOf<Coarse>(['off', 'on', 'auto'])(text)[0], 'off')
  .option('--steps <n>', 'measured steps of each case at most', countOption, 10)
  .option('--seconds <n>', 'seconds after which a case begins no further step', countOption, 8)
  .option('--rapier-grains <n>', 'spheres poured beside Rapier', countOption, 2000)
  .option('--rapier-steps <n>', 'steps beside Rapier', countOption, 200)
  .option('--no-rapier', 'without Rapier')
  .option('--name <name>', 'of the files in bench/results', 'bench')
  .option('--note <text>', 'what a reader should know of the run', '')
  .parse();

async function bandwidths(backends: readonly BackendName[]) {
  const copyBandwidth: Partial<Record<BackendName, number>> = {};
  if (backends.includes('cpu')) copyBandwidth.cpu = cpuBandwidth();
  if (!backends.includes('webgpu')) return { copyBandwidth, adapter: null };
  const adapter = await (await nodeGpu('webgpu'))?.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('No WebGPU adapter answers: use --backends cpu');
  const device = await requestLargeDevice(adapter);
  copyBandwidth.webgpu = await gpuBandwidth(device, 2 ** 26);
  device.destroy();
  const { vendor, architecture, description } = adapter.info;
  return { copyBandwidth, adapter: [vendor, architecture, description].filter(Boolean).join(' ') };
}

async function main(): Promise<void> {
  const options = program.opts<Options>();
  const { copyBandwidth, adapter } = await bandwidths(options.backends);
  const result: SuiteResult = {
    command: `npm run bench${process.argv.length > 2 ? ` -- ${process.argv.slice(2).map(quoted).join(' ')}` : ''}`,
    ...{ date: new Date().toISOString().slice(0, 10), note: options.note, copyBandwidth },
    machine: describeMachine(options.rapier ? await rapierVersion() : null, adapter),
    ...{ updateBytes: UPDATE_BYTES, cases: [], failures: [], fits: [], rapier: null },
  };
  for (const scene of options.scenes) await runScene(scene, options, result);
  result.fits = fit(result.cases);
  if (options.rapier) {
    const { rapierGrains: grains, rapierSteps: steps } = options;
    console.error(`beside Rapier: ${grains} grains, ${steps} steps`);
    const results: Comparison[] = await compareWithRapier(
      grains,
      steps,
      [4, 20, 100],
      [{ sweeps: 10 }, { sweeps: 30 }, { tolerance: 1e-2 }],
    );
    result.rapier = { grains, steps, results };
    console.log(comparisonTable(results));
  }
  const folder = resolve(import.meta.dirname, 'results');
  await writeSuite(folder, options.name, result);
  console.log(toMarkdown(result.cases));
  console.error(`${options.name}.json, .csv and .html are in ${folder}`);
  if (result.failures.length > 0) process.exitCode = 1;
}

async function runScene(
  scene: SceneName,
  { sizes: cpuSizes, gpuSizes, backends, coarse, steps, seconds }: Options,
  result: SuiteResult,
): Promise<void> {
  const of = (backend: BackendName, list: readonly number[]) => (backends.includes(backend) ? list : []);
  const all = new Set([...of('cpu', cpuSizes), ...of('webgpu', gpuSizes)]);
  for (const grains of [...all].sort((a, b) => a - b)) {
    const prepared = prepare(scene, grains, coarse);
    for (const backend of backends) {
      if (!(backend === 'cpu' ? cpuSizes : gpuSizes).includes(grains)) continue;
      try {
        const figures = await runCase(
          await prepared,
          backend,
          { warmUp: 2, steps, seconds },
          result.copyBandwidth[backend] ?? null,
        );
        result.cases.push(figures);
        console.error(
          `${scene}, ${grains} grains, ${backend}: ${figures.millisecondsPerStep.toFixed(1)} ms per step, ${figures.sweeps.toFixed(0)} sweeps`,
        );
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        result.failures.push({ scene, backend, grains, error: reason });
        console.error(`${scene}, ${grains} grains, ${backend}: ${reason}`);
      }
    }
  }
}

await main();
// The native WebGPU module keeps the process alive.
process.exit();
