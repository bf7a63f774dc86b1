/**
 * Large packings in a real Chrome, on the built library: `npm run bench:chrome`. First a poured packing there and in Node, which must
 * have the same contacts, then the benchmark. See --help.
 * Exit code 1 where the numbers of contacts differ by more than 1 % in one of the steps, or where the page complains.
 */
import { basename, join, resolve } from 'node:path';
import { Command } from 'commander';
import type { Page } from 'puppeteer';
import { OutputError } from '../src/cli/exit';
import { writeInto } from '../src/cli/outputFile';
import { createNodeSimulation } from '../src/node';
import { runBenchPage } from '../test/support/benchPage';
import { buildLibrary } from '../test/support/builtLibrary';
import { type ChromeOptions, withChrome } from '../test/support/chrome';
import { runSuitePage, withMachine } from './chromeSuite';
import { type BenchResult, contactDifference, measure } from './measure';
import { countOption, option, quotedArguments, type SuiteOptions, suiteOptions } from './options';
import type { SuiteStatus } from './page/suite/messages';
import { stageRows, summaryRows } from './page/tables';
import { progressBar } from './progressBar';
import { pouredScene } from './scenes/poured';
import { compareResults } from './suite/compareResults';
import { readResult, writeSuite } from './suite/files';
import { readCounts } from './suite/names';
import { SCENE_NAMES } from './suite/scenes';
import { sectionsOf } from './suite/sections';
import { toMarkdown } from './suite/table';

const ROOT = resolve(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'bench/results');
/** The library and its pages are built here, so that a build of the package stays as it is. */
const BUILT = join(ROOT, 'out/bench-chrome');
const TOLERANCE = 0.01;
const CHROME_SCENES = SCENE_NAMES.filter((name) => name !== 'column');
const SIZES = [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7];

interface Options extends SuiteOptions {
  grains: number;
  steps: number;
  hardware: boolean;
  quick: boolean;
  sizes: number[];
  caseSteps: number;
  compare?: string[];
}

const program = new Command('bench:chrome')
  .description('Compares a poured packing in Chrome and in Node, then measures scenes in Chrome at growing sizes.')
  .option('--hardware', 'leave the adapter to Chrome instead of its software driver', false)
  .option('--quick', 'the comparison alone; so too with --grains or --steps', false)
  .option('--grains <count>', 'about how many grains, of the comparison', countOption, 2000)
  .option('--steps <count>', 'steps of the comparison', countOption, 20)
  .option('--sizes <list>', 'grains; the largest ones as far as adapter and time go', option(readCounts), SIZES)
  .option('--case-steps <n>', 'measured steps of each case at most', countOption, 10)
  .option('--compare <files...>', 'two JSON files of results, and nothing is run');
suiteOptions(program, { scenes: CHROME_SCENES, minutes: 15, rapierGrains: 1000, name: 'chrome-bench' }).parse();

const options = program.opts<Options>();
const chosen = (name: string) => program.getOptionValueSource(name) === 'cli';

function print(title: string, result: BenchResult): void {
  console.log(`\n${title}`);
  for (const [name, text] of summaryRows(result)) console.log(`  ${name.padEnd(22)} ${text}`);
  for (const [name, time, share] of stageRows(result))
    console.log(`  ${`Stage ${name}`.padEnd(22)} ${time.padStart(11)} ${share.padStart(7)}`);
}

/** Opens the built pages; false where a page complained. */
async function inChrome(body: (page: Page, address: string) => Promise<void>, more: ChromeOptions = {}): Promise<boolean> {
  const { hardware } = options;
  return withChrome(
    join(BUILT, 'bench'),
    async (page, address, complaints) => {
      await page.setViewport({ width: 1200, height: 1100 });
      await body(page, address);
      for (const complaint of complaints) console.log(`The page complains: ${complaint}`);
      return complaints.length === 0;
    },
    { hardware, ...more },
  );
}

async function runInNode(): Promise<BenchResult> {
  const { grains, steps } = options;
  const simulation = await createNodeSimulation(pouredScene(grains, steps), { backend: 'webgpu', profile: true });
  try {
    return await measure(simulation, steps, () => undefined);
  } finally {
    simulation.dispose();
  }
}

/** The same packing in both: whether their contacts agree. */
async function compareWithNode(): Promise<boolean> {
  const { grains, steps } = options;
  console.log(`About ${grains} grains, ${steps} steps, in Chrome, then in Node ...`);
  let chrome!: BenchResult;
  const quiet = await inChrome(async (page, address) => {
    chrome = await runBenchPage(page, address, grains, steps);
    await writeInto(RESULTS, 'chrome.png', await page.screenshot());
  });
  print('Chrome', chrome);
  const node = await runInNode();
  print('Node', node);
  const difference = contactDifference(chrome, node);
  console.log(`\nContacts in Chrome and in Node differ by at most ${(100 * difference).toFixed(3)} % in a step (bound 1 %).`);
  await writeInto(RESULTS, 'chrome.json', `${JSON.stringify({ chrome, node, difference }, null, 2)}\n`);
  console.log(`Figures: ${join(RESULTS, 'chrome.json')}`);
  return quiet && difference <= TOLERANCE;
}

/** The fields of the page's form. */
function formFields(): Record<string, string> {
  const { scenes, sizes, backends, rapier, note } = options;
  const { caseSteps: steps, seconds, settleSeconds, minutes, rapierGrains, rapierSteps } = options;
  const counts = Object.entries({ steps, seconds, settleSeconds, minutes, rapierGrains, rapierSteps });
  return {
    ...{ scenes: scenes.join(), sizes: sizes.join(), backends: backends.join(), rapier: rapier ? 'yes' : 'no', note },
    ...Object.fromEntries(counts.map(([name, count]) => [name, String(count)])),
  };
}

async function runBenchmark(signal: AbortSignal): Promise<boolean> {
  const { name } = options;
  const quiet = await inChrome(
    async (page, address) => {
      const browser = await page.browser().version();
      const tell = progressBar(process.stderr);
      const onProgress = ({ fraction, text }: SuiteStatus) => tell(fraction, text);
      const { result } = await runSuitePage(page, address, formFields(), { signal, onProgress });
      if (!result) return;
      const whole = withMachine(result, `npm run bench:chrome${quotedArguments()}`, browser);
      console.log(`\n\n${sectionsOf(whole).map(toMarkdown).join('\n')}`);
      await writeSuite(RESULTS, name, whole);
      await writeInto(RESULTS, `${name}.png`, await page.screenshot({ fullPage: true }));
      console.error(`${name}.json, .csv, .md and .html are in ${RESULTS}`);
    },
    { ownInterrupt: true },
  );
  return quiet;
}

/** Ctrl-C reaches this process from the terminal and, passed on, from npm and tsx too: signals within this time are one. */
const ONE_PRESS_MS = 1000;

/** Aborts at the first Ctrl-C; a later one ends the process, and the browser with it. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  let pressed = 0;
  process.on('SIGINT', () => {
    const now = performance.now();
    if (controller.signal.aborted && now - pressed > ONE_PRESS_MS) process.exit(130);
    if (controller.signal.aborted) return;
    pressed = now;
    console.error('\nInterrupted: writing what was measured. Once more ends at once.');
    controller.abort();
  });
  return controller.signal;
}

async function compareFiles(paths: readonly string[]): Promise<void> {
  if (paths.length !== 2) throw new RangeError(`--compare takes two files of results, got ${paths.length}`);
  const [a, b] = await Promise.all(paths.map(async (path) => ({ name: basename(path), result: await readResult(path) })));
  console.log(compareResults(a, b).sections.map(toMarkdown).join('\n'));
}

async function main(): Promise<boolean> {
  if (options.compare) {
    await compareFiles(options.compare);
    return true;
  }
  await buildLibrary(BUILT, undefined, ['bench']);
  const agrees = await compareWithNode();
  if (options.quick || chosen('grains') || chosen('steps')) return agrees;
  return (await runBenchmark(interruptSignal())) && agrees;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  if (!(error instanceof RangeError || error instanceof OutputError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof OutputError ? 1 : 2;
}
// The native WebGPU module keeps the process alive.
process.exit();
