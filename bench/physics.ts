/** The published figures: `npm run validate-physics`. See --help. */
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { OutputError } from '../src/cli/exit';
import { BackendError } from '../src/node';
import { type Backend, type Figure, runOn } from './physics/figure';
import { figures } from './physics/figures';
import { failures, markdown, type Outcome, ResultStore } from './physics/results';

const RESULTS = resolve('bench', 'results', 'physics');

interface Options {
  full: boolean;
  fresh: boolean;
  backend: Backend;
  only?: string;
}

/** A part (A), or one figure of it (A-random). */
const isAsked = ({ id }: Figure, names: readonly string[]) => names.some((name) => id === name || id.startsWith(`${name}-`));

function choose({ full, only, backend }: Options): Figure[] {
  const names = only?.split(',').map((name) => name.trim());
  for (const name of names ?? []) {
    if (!figures.some((figure) => isAsked(figure, [name]))) {
      throw new RangeError(`There is no figure ${name}; there are ${figures.map(({ id }) => id).join(', ')}`);
    }
  }
  // A long figure that is asked for by its own name is meant.
  const runs = (figure: Figure) => full || names?.includes(figure.id) || isQuick(figure, backend);
  const named = figures.filter((figure) => names === undefined || isAsked(figure, names));
  if (backend === 'cpu') return named.filter(runs);
  const chosen = named.filter((figure) => runs(figure) && typeof figure.gpu === 'string');
  if (chosen.length === 0) {
    const whys = named.map(({ id, gpu }) => `${id}: ${typeof gpu === 'string' ? 'with --full' : gpu.not}`);
    throw new RangeError(`Nothing of ${only} runs on the GPU. ${whys.join('; ')}`);
  }
  return chosen;
}

const isQuick = ({ quick, gpu }: Figure, backend: Backend) => (backend === 'cpu' ? quick : gpu === 'quick');

async function runFigure(figure: Figure, backend: Backend): Promise<Outcome> {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  const on = runOn(backend, (message) => console.error(`${figure.id}: ${message}, ${seconds().toFixed(0)} s`));
  const named = () => ({ figure: { id: figure.id, title: figure.title }, backend, adapter: on.adapter, seconds: seconds() });
  try {
    const result = await figure.run(on);
    return { ...named(), result };
  } catch (error) {
    // Every other figure would fail alike.
    if (error instanceof BackendError) throw error;
    return { ...named(), error: error instanceof Error ? error.message : String(error) };
  }
}

const program = new Command('validate-physics')
  .description('Runs published experiments and closed forms and compares what comes out; the quick ones take some minutes.')
  .option('--full', 'the long ones too', false)
  .option('--only <ids>', 'parts or figures, e.g. A,H or A-random; a figure named in full is run even if long')
  .option('--fresh', 'also those that an earlier call finished', false)
  .addOption(
    new Option('--backend <name>', 'webgpu: those that can run there, on a software driver where there is no GPU')
      .choices(['cpu', 'webgpu'])
      .default('cpu'),
  )
  .parse();

async function main(): Promise<number> {
  const options = program.opts<Options>();
  const { backend, fresh } = options;
  const folder = join(RESULTS, backend);
  const store = new ResultStore(folder);
  const outcomes: Outcome[] = [];
  for (const figure of choose(options)) {
    const known = fresh ? undefined : await store.load(figure);
    console.error(`${figure.id}: ${figure.title}${known ? ' (finished before)' : ''}`);
    const outcome = known ?? (await runFigure(figure, backend));
    outcomes.push(outcome);
    try {
      if (!known && outcome.error === undefined) await store.keep(outcome);
      await store.keepTable(outcomes);
    } catch (error) {
      console.log(markdown(outcomes));
      throw error;
    }
  }
  console.log(markdown(outcomes));
  const failed = failures(outcomes);
  console.error(`${failed} failed; table and plots are in ${folder}`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof RangeError || error instanceof BackendError || error instanceof OutputError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof OutputError ? 1 : 2;
}
