/** The settled packing in a silo, from a dump of a soft-sphere code: `npm run bench:silo -- FILE`. See --help. */
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { OutputError } from '../src/cli/exit';
import { writeInto } from '../src/cli/outputFile';
import { createNodeSimulation, type Problem, SceneError, type Simulation, type StepReport } from '../src/node';
import { countOption } from './options';
import { analysisChecks, type Check, comparisonChecks, packingChecks, verticalLoad } from './silo/checks';
import { loadSilo } from './silo/scene';

/** Steps at the end over which the wall force is averaged. */
const AVERAGED = 100;
const RESULTS = resolve('bench', 'results');

async function run(
  problem: Problem,
  backend: 'cpu' | 'webgpu',
  steps: number,
): Promise<{ simulation: Simulation; reports: StepReport[] }> {
  const simulation = await createNodeSimulation(problem, { backend });
  console.error(`${problem.grains.count} grains on ${simulation.adapter ?? 'the CPU'}, ${steps} steps`);
  const start = performance.now();
  const reports = await simulation.step(steps, (report) => {
    if (report.step % Math.max(1, Math.round(steps / 40)) !== 0) return;
    const seconds = (performance.now() - start) / 1000;
    console.error(
      `step ${report.step}: wall force ${verticalLoad(report).toFixed(1)} N, ${report.contacts} contacts, ${report.colours} colours, ` +
        `${report.iterations} sweeps, residual ${report.residual.toExponential(1)}, ${seconds.toFixed(0)} s`,
    );
  });
  console.error(`${((performance.now() - start) / 1000 / steps).toFixed(3)} s per step`);
  return { simulation, reports };
}

async function settle(file: string, backend: 'cpu' | 'webgpu', steps: number, sweeps: number): Promise<Check[]> {
  const problem = await loadSilo(file, steps, sweeps);
  const checks = analysisChecks(problem);
  const { simulation, reports } = await run(problem, backend, steps);
  checks.push(...packingChecks(problem, reports.slice(-AVERAGED), await simulation.read()));
  simulation.dispose();
  return checks;
}

/**
 * Plain sweeps: with momentum, sweeps that are broken off early amplify differences of rounding, so that two runs of the
 * reference that differ by 1e-7 in the positions differ by 1e-3 in the wall force after a dozen steps; plain ones by 4e-5.
 */
async function compare(file: string, steps: number, sweeps: number): Promise<Check[]> {
  const problem = await loadSilo(file, steps, sweeps, 0);
  const [cpu, gpu] = [await run(problem, 'cpu', steps), await run(problem, 'webgpu', steps)];
  for (const { simulation } of [cpu, gpu]) simulation.dispose();
  return comparisonChecks(gpu.reports, cpu.reports);
}

const program = new Command('bench:silo')
  .description(
    'Runs the settled packing of FILE (a text dump with x, y, z, radius in metres; cylinder of radius 0.25 about (0.25, 0.25) ' +
      'on a floor at z = 0) and checks that the walls carry its weight and that it stays as it is; of the published packing of 22,410 ' +
      'spheres the volume fraction and the coordination number too.',
  )
  .argument('<FILE>')
  .addOption(new Option('--backend <name>', 'where it runs').choices(['cpu', 'webgpu']).default('cpu'))
  .addOption(new Option('--steps <count>', 'steps (default: 400; 20 with --compare)').argParser(countOption))
  .addOption(
    new Option(
      '--sweeps <count>',
      'sweeps per step (default: 300, with 200 overlaps grow too much; 50 with --compare)',
    ).argParser(countOption),
  )
  .option('--compare', 'runs on the CPU and on WebGPU and compares the two', false)
  .parse();

interface Options {
  backend: 'cpu' | 'webgpu';
  steps?: number;
  sweeps?: number;
  compare: boolean;
}

async function main(): Promise<number> {
  const options = program.opts<Options>();
  const { backend, compare: comparing, steps = comparing ? 20 : 400, sweeps = comparing ? 50 : 300 } = options;
  const path = resolve(process.env.INIT_CWD ?? '.', program.args[0]);
  const checks = comparing ? await compare(path, steps, sweeps) : await settle(path, backend, steps, sweeps);
  for (const { name, measured, bound, passed } of checks)
    console.log(`${passed ? 'pass' : 'FAIL'}  ${name}: ${measured}; ${bound}`);
  const name = `silo-${comparing ? 'comparison' : backend}.json`;
  await writeInto(RESULTS, name, `${JSON.stringify({ steps, sweeps, checks }, null, 2)}\n`);
  return checks.every(({ passed }) => passed) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SceneError || error instanceof OutputError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof OutputError ? 1 : 2;
}
