/** The settled packing in a silo, from a dump of a soft-sphere code: `npm run bench:silo -- FILE`. See --help. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createNodeSimulation, type Problem, SceneError, type Simulation, type StepReport } from '../src/node';
import { type Check, comparisonChecks, packingChecks, verticalLoad } from './silo/checks';
import { loadSilo, type SiloConvergence } from './silo/scene';

const HELP = `Usage: npm run bench:silo -- FILE [options]

Runs the settled packing of FILE (a text dump with x, y, z, radius in metres; cylinder of radius 0.25 about (0.25, 0.25)
on a floor at z = 0) and checks that the walls carry its weight and that it stays as it is.

  --backend cpu|webgpu   where it runs (default cpu)
  --steps N              steps (default 400; 20 with --compare)
  --sweeps N             a fixed number of sweeps per step (default: until the residual is below 1e-3, at most 1000;
                         50 with --compare)
  --compare              run on the CPU and on WebGPU and compare the two
`;

/** Steps at the end over which the wall force is averaged. */
const AVERAGED = 100;
const RESULTS = resolve(import.meta.dirname, 'results');

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

async function settle(file: string, backend: 'cpu' | 'webgpu', steps: number, convergence: SiloConvergence): Promise<Check[]> {
  const { simulation, reports } = await run(await loadSilo(file, steps, convergence), backend, steps);
  const checks = packingChecks(simulation.problem, reports.slice(-AVERAGED), await simulation.read());
  simulation.dispose();
  return checks;
}

async function compare(file: string, steps: number, convergence: SiloConvergence): Promise<Check[]> {
  const problem = await loadSilo(file, steps, convergence);
  const [cpu, gpu] = [await run(problem, 'cpu', steps), await run(problem, 'webgpu', steps)];
  for (const { simulation } of [cpu, gpu]) simulation.dispose();
  return comparisonChecks(gpu.reports, cpu.reports);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      backend: { type: 'string', default: 'cpu' },
      steps: { type: 'string' },
      sweeps: { type: 'string' },
      compare: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [file] = positionals;
  const { backend, compare: comparing } = values;
  const steps = Number(values.steps ?? (comparing ? 20 : 400));
  const sweeps = values.sweeps ?? (comparing ? '50' : undefined);
  const usable = file && (backend === 'cpu' || backend === 'webgpu') && Number.isInteger(steps) && steps > 0;
  if (values.help || !usable) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  const convergence: SiloConvergence = sweeps
    ? { criterion: 'fixed', iterations: Number(sweeps) }
    : { criterion: 'residual', tolerance: 1e-3, maxIterations: 1000 };
  const path = resolve(process.env.INIT_CWD ?? '.', file);
  const checks = comparing ? await compare(path, steps, convergence) : await settle(path, backend, steps, convergence);
  for (const { name, measured, bound, passed } of checks)
    console.log(`${passed ? 'pass' : 'FAIL'}  ${name}: ${measured}; ${bound}`);
  await mkdir(RESULTS, { recursive: true });
  await writeFile(
    join(RESULTS, `silo-${comparing ? 'comparison' : backend}.json`),
    `${JSON.stringify({ steps, convergence, checks }, null, 2)}\n`,
  );
  return checks.every(({ passed }) => passed) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SceneError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
