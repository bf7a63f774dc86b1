/** The published figures: `npm run validate-physics`. See --help. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Figure } from './physics/figure';
import { figures } from './physics/figures';
import { failures, markdown, type Outcome, ResultStore } from './physics/results';

const RESULTS = resolve(import.meta.dirname, 'results', 'physics');

interface Options {
  full: boolean;
  fresh: boolean;
  only?: string;
}

/** A part (A), or one figure of it (A-random). */
const isAsked = ({ id }: Figure, names: readonly string[]) => names.some((name) => id === name || id.startsWith(`${name}-`));

function choose({ full, only }: Options): Figure[] {
  const names = only?.split(',').map((name) => name.trim());
  for (const name of names ?? []) {
    if (!figures.some((figure) => isAsked(figure, [name]))) {
      throw new RangeError(`There is no figure ${name}; there are ${figures.map(({ id }) => id).join(', ')}`);
    }
  }
  // A long figure that is asked for by its own name is meant.
  const runs = (figure: Figure) => full || figure.quick || names?.includes(figure.id);
  return figures.filter((figure) => runs(figure) && (names === undefined || isAsked(figure, names)));
}

async function runFigure(figure: Figure): Promise<Outcome> {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  const named = { figure: { id: figure.id, title: figure.title } };
  try {
    const result = await figure.run((message) => console.error(`${figure.id}: ${message}, ${seconds().toFixed(0)} s`));
    return { ...named, seconds: seconds(), result };
  } catch (error) {
    return { ...named, seconds: seconds(), error: error instanceof Error ? error.message : String(error) };
  }
}

const program = new Command('validate-physics')
  .description('Runs published experiments and closed forms and compares what comes out; the quick ones take some minutes.')
  .option('--full', 'the long ones too', false)
  .option('--only <ids>', 'parts or figures, e.g. A,H or A-random; a figure named in full is run even if long')
  .option('--fresh', 'also those that an earlier call finished', false)
  .parse();

async function main(): Promise<number> {
  const options = program.opts<Options>();
  const store = new ResultStore(RESULTS);
  const outcomes: Outcome[] = [];
  for (const figure of choose(options)) {
    const known = options.fresh ? undefined : await store.load(figure);
    console.error(`${figure.id}: ${figure.title}${known ? ' (finished before)' : ''}`);
    const outcome = known ?? (await runFigure(figure));
    outcomes.push(outcome);
    if (!known && outcome.error === undefined) await store.keep(outcome);
    await store.keepTable(outcomes);
  }
  console.log(markdown(outcomes));
  const failed = failures(outcomes);
  console.error(`${failed} failed; table and plots are in ${RESULTS}`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
