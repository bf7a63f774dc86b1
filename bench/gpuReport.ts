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
import { endBy, markdown, measureSizes, type Report } from './gpuReport/report';
import { measureSize } from './gpuReport/sizes';
import { countOption, option } from './options';
import { gpuBandwidth } from './suite/bandwidth';
import { readCounts } from './suite/names';

interface Options {
  sizes: number[];
  seconds: number;
  out: string;
  writeReference?: string;
}

const DEFAULT_SIZES = [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 1.6e7];

const program = new Command('gpu-report')
  .description('Checks the GPU against figures of the CPU reference, then measures a settled bed at growing sizes.')
  .option('--sizes <list>', 'grains', option(readCounts), DEFAULT_SIZES)
  .option('--seconds <n>', 'no size is begun that would end after so many seconds, and all ends then', countOption, 480)
  .option('--out <folder>', 'for gpu-report.json and gpu-report.md', 'out/gpu-report')
  .option('--write-reference <file>', 'runs the checks on the CPU instead and writes their figures')
  .parse();

const options = program.opts<Options>();
const seconds = () => performance.now() / 1000;

async function write(report: Report): Promise<void> {
  report.seconds = seconds();
  await writeInto(options.out, 'gpu-report.json', `${JSON.stringify(report, null, 2)}\n`);
  await writeInto(options.out, 'gpu-report.md', markdown(report));
}

/** Ends the process where the time is over or the device hangs: nothing but the clock tells. */
function watch(report: Report): void {
  const end = async () => {
    report.end += ` ${options.seconds} s were over.`;
    await write(report).finally(() => process.exit(1));
  };
  setTimeout(() => void end(), Math.max(0, 1000 * (options.seconds - seconds())));
}

async function main(): Promise<void> {
  if (options.writeReference) {
    const figures = await makeReference(`npm run gpu-report -- --write-reference ${options.writeReference}`);
    await writeWhole(options.writeReference, `${JSON.stringify(figures)}\n`);
    return;
  }
  const adapter = await (await nodeGpu('webgpu'))?.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('No WebGPU adapter answers here');
  // One for all: a driver takes longer to compile the kernels than to run them.
  const device = await requestLargeDevice(adapter);
  const faults: string[] = [];
  device.onuncapturederror = ({ error }) => faults.push(error.message);
  /** What a device answers whose commands were refused is no figure. */
  const sound = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    if (faults.length > 0) throw new Error(faults[0]);
    return result;
  };
  const report: Report = {
    ...{ adapter: describeAdapter(adapter.info), node: process.version, copyBandwidth: 0, checks: [], sizes: [] },
    ...{ end: 'Cut off in the checks.', failed: false, seconds: 0 },
  };
  watch(report);
  try {
    const bytes = Math.min(2 ** 28, device.limits.maxBufferSize, 2 ** (options.sizes[0] < 1e4 ? 24 : 28));
    report.copyBandwidth = await sound(gpuBandwidth(device, bytes));
    const tell = (check: Check) => {
      report.checks.push(check);
      const { scene, quantity, difference, passed } = check;
      console.error(`${scene}, ${quantity}: off by ${difference.toExponential(1)}${passed ? '' : ' FAIL'}`);
    };
    await sound(checkGpu(reference, device, tell));
  } catch (error) {
    endBy(report, 'Checks', error);
  }
  if (report.checks.some(({ passed }) => !passed)) {
    report.failed = true;
    report.end = 'No size was run, as checks failed.';
  }
  if (!report.failed) {
    const measure = async (grains: number) => {
      const result = await sound(measureSize(device, grains, report.copyBandwidth));
      console.error(`${result.grains} grains: ${result.millisecondsPerStep.toFixed(1)} ms per step`);
      return result;
    };
    const { sizes } = options;
    await measureSizes(report, { sizes, seconds: options.seconds, now: seconds, measure, write: () => write(report) });
  }
  if (report.failed) process.exitCode = 1;
  await write(report);
  console.log(markdown(report));
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
