import { constants, existsSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeHost } from '../../../bench/nodeHost';
import { progressBar } from '../../../bench/progressBar';
import { describeHardware } from '../../../bench/suite/adapter';
import { describeMachine, writeSuite } from '../../../bench/suite/files';
import { type BackendName, readCounts } from '../../../bench/suite/names';
import { Suite, type SuiteSettings } from '../../../bench/suite/runSuite';
import { SCENE_NAMES } from '../../../bench/suite/scenes';
import { casesSection } from '../../../bench/suite/sections';
import { toMarkdown } from '../../../bench/suite/table';
import { BackendError } from '../../errors';
import { isSoftwareAdapter } from '../../gpu/adapter';
import { nodeGpu } from '../../node';
import { EXIT, OutputError, UsageError } from '../exit';
import { withInterrupt } from '../interrupt';

export interface BenchOptions {
  sizes: string;
  backend: 'auto' | 'webgpu' | 'cpu';
  minutes: string;
  out: string;
  chrome?: boolean;
  force?: boolean;
  quiet?: boolean;
  json?: boolean;
}

const NAME = 'bench';
/** Of a case: steps and seconds that are measured, and seconds in which a packing is to come to rest. */
const LIMITS = { steps: 10, seconds: 8, settleSeconds: 30 };

/** Measures settled and moving packings at several sizes, and leaves the figures as JSON, CSV, Markdown and a page with plots. */
export async function benchCommand(options: BenchOptions): Promise<number> {
  if (options.chrome)
    throw new UsageError(
      '--chrome: the page that Chrome would open is not in the package. Clone the repository and run there: npm ci && npm run bench:chrome. ' +
        'Without --chrome this command measures here, in Node.',
    );
  const sizes = counts('--sizes', options.sizes);
  const [minutes] = counts('--minutes', options.minutes);
  await checkFolder(options);
  const backends = await backendsOf(options.backend);
  const gpu = backends.includes('webgpu') ? await nodeGpu('webgpu') : undefined;
  const { adapter, ...hardware } = await describeHardware(gpu, backends).catch((error: Error) => {
    throw error instanceof RangeError ? new BackendError(error.message) : error;
  });
  const settings: SuiteSettings = {
    ...{ scenes: [...SCENE_NAMES], backends, sizes: { cpu: sizes, webgpu: sizes }, coarse: 'off', ...LIMITS },
    ...{ totalSeconds: 60 * minutes, rapier: null },
  };
  const known = {
    command: `contact-dynamics bench --sizes ${options.sizes} --backend ${options.backend}`,
    ...{ machine: describeMachine(null, adapter), note: '', ...hardware },
  };
  return withInterrupt(options.quiet ?? false, async (signal) => {
    const suite = new Suite(nodeHost, settings, known, {
      signal,
      onProgress: options.quiet ? undefined : progressBar(process.stderr),
    });
    await suite.run();
    const { result } = suite;
    for (const { scene, grains, backend, error } of result.failures)
      process.stderr.write(`${scene}, ${grains} grains, ${backend}: ${error}\n`);
    process.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : `${toMarkdown(casesSection(result))}\n`);
    // What cannot be written has been told.
    await writeSuite(options.out, NAME, result);
    if (signal.aborted) return EXIT.interrupted;
    return result.failures.some(({ late }) => !late) ? EXIT.failed : EXIT.done;
  });
}

/** Finds out before the work whether its results can be left there. */
async function checkFolder({ out, force }: BenchOptions): Promise<void> {
  if (!force && existsSync(join(out, `${NAME}.json`)))
    throw new UsageError(`${out} has results already. Choose another folder by --out, or give --force to replace them.`);
  try {
    await mkdir(out, { recursive: true });
    await access(out, constants.W_OK);
  } catch (error) {
    throw new OutputError(out, error);
  }
}

/** The CPU, and WebGPU where it is asked for by name or a hardware adapter answers. */
async function backendsOf(backend: BenchOptions['backend']): Promise<BackendName[]> {
  if (backend !== 'auto') return [backend];
  const adapter = await (await nodeGpu('auto'))?.requestAdapter({ powerPreference: 'high-performance' });
  return adapter && !isSoftwareAdapter(adapter.info) ? ['cpu', 'webgpu'] : ['cpu'];
}

function counts(option: string, text: string): number[] {
  try {
    return readCounts(text);
  } catch (error) {
    throw new UsageError(`${option}: ${(error as RangeError).message}`);
  }
}
