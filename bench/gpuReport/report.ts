import { CapacityError } from '../../src/index';
import type { Check } from './checks';
import { type SizeResult, SWEEPS } from './sizes';

export interface Report {
  adapter: string;
  node: string;
  /** Bytes read and written per second. */
  copyBandwidth: number;
  checks: Check[];
  sizes: SizeResult[];
  /** Why there are no larger ones. */
  end: string;
  /** Whether that is a fault, rather than memory, time or the end of the list. */
  failed: boolean;
  seconds: number;
}

export interface Course {
  sizes: readonly number[];
  /** No size is begun that would end after so many. */
  seconds: number;
  /** Seconds that have gone. */
  now(): number;
  /** @throws what ends the report */
  measure(grains: number): Promise<SizeResult>;
  /** Keeps what is known so far. */
  write(): Promise<void>;
}

/** Fills the report size by size. Whatever ends it, what was measured before stays, and why it ends is told. */
export async function measureSizes(report: Report, { sizes, seconds, now, measure, write }: Course): Promise<void> {
  let [last, lastGrains] = [0, 0];
  for (const grains of sizes) {
    const expected = lastGrains > 0 ? (last * grains) / lastGrains : 0;
    if (now() + 1.3 * expected > seconds) {
      report.end = `${grains} grains would take some ${expected.toFixed(0)} s more than there are`;
      return;
    }
    report.end = `Cut off at ${grains} grains.`;
    await write();
    const start = now();
    try {
      report.sizes.push(await measure(grains));
    } catch (error) {
      endBy(report, `${grains} grains`, error);
      return;
    }
    [last, lastGrains] = [now() - start, grains];
  }
  report.end = 'All sizes were run.';
}

/** @param what was done when the error came */
export function endBy(report: Report, what: string, error: unknown): void {
  report.end = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  // Browsers and drivers tell of buffers that are too large by a RangeError.
  report.failed = !(error instanceof CapacityError || error instanceof RangeError);
}

export function markdown({ adapter, node, copyBandwidth, checks, sizes, end, seconds: taken }: Report): string {
  const wrong = checks.filter(({ passed }) => !passed);
  const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const share = (value: number | null) => (value === null ? '' : value.toFixed(2));
  const names = [
    ...['grains', 'candidates', 'colours', 'ms/step', 'sweeps ms', 'rest/sweeps', 'idle', 'million updates/s'],
    ...['share of bandwidth', 'residual', 'bytes/grain'],
  ];
  const rows = sizes.map((size) =>
    row([
      ...[size.grains, size.candidates, size.colours].map(String),
      size.millisecondsPerStep.toFixed(2),
      size.stages?.solve?.toFixed(2) ?? '',
      share(size.restOverSweeps),
      share(size.idleShare),
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
