/**
 * The poured packing in a real Chrome, on the built library, and the same scene in Node: `npm run bench:chrome`.
 * Exit code 1 where the numbers of contacts differ by more than 1 % in one of the steps, or where the page complains.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { createNodeSimulation } from '../src/node';
import { runBenchPage } from '../test/support/benchPage';
import { withChrome } from '../test/support/chrome';
import { type BenchResult, contactDifference, measure } from './measure';
import { countOption } from './options';
import { stageRows, summaryRows } from './page/tables';
import { pouredScene } from './scenes/poured';

const ROOT = resolve(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'bench/results');
const TOLERANCE = 0.01;

const { grains, steps, hardware } = new Command('bench:chrome')
  .option('--grains <count>', 'about how many grains', countOption, 2000)
  .option('--steps <count>', 'steps', countOption, 20)
  .option('--hardware', 'leave the adapter to Chrome instead of its software driver', false)
  .parse()
  .opts<{ grains: number; steps: number; hardware: boolean }>();

function print(title: string, result: BenchResult): void {
  console.log(`\n${title}`);
  for (const [name, text] of summaryRows(result)) console.log(`  ${name.padEnd(22)} ${text}`);
  for (const [name, time, share] of stageRows(result))
    console.log(`  ${`Stage ${name}`.padEnd(22)} ${time.padStart(11)} ${share.padStart(7)}`);
}

async function runInChrome(): Promise<{ result: BenchResult; complaints: readonly string[] }> {
  return withChrome(
    join(ROOT, 'dist/bench'),
    async (page, address, complaints) => {
      await page.setViewport({ width: 1200, height: 1100 });
      const result = await runBenchPage(page, address, grains, steps);
      await page.screenshot({ path: join(RESULTS, 'chrome.png') });
      return { result, complaints };
    },
    { hardware },
  );
}

async function runInNode(): Promise<BenchResult> {
  const simulation = await createNodeSimulation(pouredScene(grains, steps), { backend: 'webgpu', profile: true });
  try {
    return await measure(simulation, steps, () => undefined);
  } finally {
    simulation.dispose();
  }
}

await mkdir(RESULTS, { recursive: true });
console.log(`About ${grains} grains, ${steps} steps, in Chrome, then in Node ...`);
const { result: chrome, complaints } = await runInChrome();
print('Chrome', chrome);
const node = await runInNode();
print('Node', node);
const difference = contactDifference(chrome, node);
await writeFile(join(RESULTS, 'chrome.json'), `${JSON.stringify({ chrome, node, difference }, null, 2)}\n`);
console.log(`\nContacts in Chrome and in Node differ by at most ${(100 * difference).toFixed(3)} % in a step (bound 1 %).`);
for (const complaint of complaints) console.log(`The page complains: ${complaint}`);
console.log(`Figures: ${join(RESULTS, 'chrome.json')}`);
process.exitCode = difference <= TOLERANCE && complaints.length === 0 ? 0 : 1;
