/**
 * What the GPU of this machine makes of the solver: right first, then fast, from 10,000 grains to as far as its memory and the
 * time go: `npm run gpu-report`, or built into one file that needs Node and the package webgpu alone. See --help.
 */
import { Command } from 'commander';
import { OutputError } from '../src/cli/exit';
import { writeInto, writeWhole } from '../src/cli/outputFile';
import { describeAdapter, requestLargeDevice } from '../src/gpu/adapter';
import { nodeGpu } from '../src/node';
import { type Check, checkGpu, makeReference } from './gpuReport/checks';
import reference from './gpuReport/reference.json' with { type: 'json' };
import { measureSize, type SizeResult, SWEEPS } from './gpuReport/sizes';
import { countOption, option } from './options';
import { gpuBandwidth } from './suite/bandwidth';
import { readCounts } from './suite/names';

interface Options {
  sizes: number[];
  seconds: number;
  out: string;
  writeReference?: string;
}

interface Report {
  adapter: string;
  node: string;
  /** Bytes read and written per second. */
  copyBandwidth: number;
  checks: Check[];
  sizes: SizeResult[];
  /** Why there are no larger ones. */
  end: string;
  seconds: number;
}

const DEFAULT_SIZES = [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7];

const program = new Command('gpu-report')
  .description('Checks the GPU against figures of the CPU reference, then measures a settled bed at growing sizes.')
  .option('--sizes <list>', 'grains', option(readCounts), DEFAULT_SIZES)
  .option('--seconds <n>', 'no size is begun that would end after so many seconds', countOption, 480)
  .option('--out <folder>', 'for gpu-report.json and gpu-report.md', 'out/gpu-report')
  .option('--write-reference <file>', 'runs the checks on the CPU instead and writes their figures')
  .parse();

const options = program.opts<Options>();
const seconds = () => performance.now() / 1000;

async function measureSizes(report: Report): Promise<void> {
  let [last, lastGrains] = [0, 0];
  for (const grains of options.sizes) {
    const expected = lastGrains > 0 ? (last * grains) / lastGrains : 0;
    if (seconds() + 1.3 * expected > options.seconds) {
      report.end = `${grains} grains would take some ${expected.toFixed(0)} s more than there are`;
      return;
    }
    const start = seconds();
    const result = await measureSize(grains, report.copyBandwidth);
    if (typeof result === 'string') {
      report.end = result;
      return;
    }
    report.sizes.push(result);
    [last, lastGrains] = [seconds() - start, result.grains];
    console.error(`${result.grains} grains: ${result.millisecondsPerStep.toFixed(1)} ms per step`);
    await write(report);
  }
  report.end = 'All sizes were run.';
}

function markdown({ adapter, node, copyBandwidth, checks, sizes, end, seconds: taken }: Report): string {
  const wrong = checks.filter(({ passed }) => !passed);
  const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const share = (value: number | null) => (value === null ? '' : value.toFixed(2));
  const names = [
    ...['grains', 'candidates', 'colours', 'ms/step', 'sweeps ms', 'rest/sweeps', 'million updates/s'],
    ...['share of bandwidth', 'residual', 'bytes/grain'],
  ];
  const rows = sizes.map((size) =>
    row([
      ...[size.grains, size.candidates, size.colours].map(String),
      size.millisecondsPerStep.toFixed(2),
      size.stages?.solve?.toFixed(2) ?? '',
      share(size.restOverSweeps),
      (size.contactUpdatesPerSecond / 1e6).toFixed(1),
      share(size.bandwidthShare),
      size.residual.toExponential(1),
      size.bytesPerGrain.toFixed(0),
    ]),
  );
  return `# ${adapter}

Node ${node}, ${taken.toFixed(0)} s. Copy bandwidth, read and written: ${(copyBandwidth / 1e9).toFixed(1)} GB/s. ${SWEEPS} sweeps a step. ${end}

Checks against the CPU reference: ${checks.length - wrong.length} passed, ${wrong.length} failed.
${wrong.map(({ scene, quantity, difference, tolerance }) => `\n- ${scene}, ${quantity}: off by ${difference.toExponential(1)}, allowed ${tolerance}`).join('')}

${[row(names), row(names.map(() => '---')), ...rows].join('\n')}
`;
}

async function write(report: Report): Promise<void> {
  report.seconds = seconds();
  await writeInto(options.out, 'gpu-report.json', `${JSON.stringify(report, null, 2)}\n`);
  await writeInto(options.out, 'gpu-report.md', markdown(report));
}

async function main(): Promise<void> {
  if (options.writeReference) {
    const figures = await makeReference(`npm run gpu-report -- --write-reference ${options.writeReference}`);
    await writeWhole(options.writeReference, `${JSON.stringify(figures)}\n`);
    return;
  }
  const adapter = await (await nodeGpu('webgpu'))?.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('No WebGPU adapter answers here');
  const device = await requestLargeDevice(adapter);
  const bytes = Math.min(2 ** 28, device.limits.maxBufferSize, 2 ** (options.sizes[0] < 1e4 ? 24 : 28));
  const copyBandwidth = await gpuBandwidth(device, bytes);
  device.destroy();
  const report: Report = {
    ...{ adapter: describeAdapter(adapter.info), node: process.version, copyBandwidth, checks: [], sizes: [] },
    ...{ end: 'Cut off.', seconds: 0 },
  };
  report.checks = await checkGpu(reference, ({ scene, quantity, difference, passed }) =>
    console.error(`${scene}, ${quantity}: off by ${difference.toExponential(1)}${passed ? '' : ' FAIL'}`),
  );
  await write(report);
  if (report.checks.some(({ passed }) => !passed)) {
    report.end = 'No size was run, as checks failed.';
    process.exitCode = 1;
  } else await measureSizes(report);
  console.log(markdown(report));
  await write(report);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof OutputError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
// The native WebGPU module keeps the process alive.
process.exit();
