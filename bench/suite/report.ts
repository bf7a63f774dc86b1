import { mkdir, writeFile } from 'node:fs/promises';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { version } from '../../package.json';
import { escapeXml, type Plot, toSvg } from '../../src/cli/plot';
import { type Comparison, comparisonTable } from '../rapier/compare';
import type { BackendName, CaseResult, UPDATE_BYTES } from './runCase';
import { SCENES, type SceneName } from './scenes';

export interface Machine {
  cpu: string;
  cores: number;
  memoryBytes: number;
  system: string;
  node: string;
  library: string;
  rapier: string | null;
  adapter: string | null;
}

export function describeMachine(rapier: string | null, adapter: string | null): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${platform()} ${arch()}`,
    node: process.version,
    library: version,
    rapier,
    adapter,
  };
}

/** y = factor N^exponent, by least squares of the logarithms. */
export interface Fit {
  scene: SceneName;
  backend: BackendName;
  quantity: 'milliseconds per step' | 'sweeps';
  exponent: number;
}

export interface SuiteResult {
  command: string;
  date: string;
  note: string;
  machine: Machine;
  /** Bytes read and written per second. */
  copyBandwidth: Partial<Record<BackendName, number>>;
  updateBytes: typeof UPDATE_BYTES;
  cases: CaseResult[];
  /** What was asked for and could not be run, and why. */
  failures: { scene: SceneName; backend: BackendName; grains: number; error: string }[];
  fits: Fit[];
  rapier: { grains: number; steps: number; results: Comparison[] } | null;
}

/** CPU time on the CPU, where it is disturbed least; the clock on a GPU. */
export const timeOf = ({ softwareAdapter, backend, cpuMillisecondsPerStep, millisecondsPerStep }: CaseResult) =>
  backend === 'cpu' || softwareAdapter ? cpuMillisecondsPerStep : millisecondsPerStep;

/** Slope of log y against log x; NaN for fewer than two sizes. */
export function exponent(x: readonly number[], y: readonly number[]): number {
  const [logX, logY] = [x.map(Math.log), y.map(Math.log)];
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(logX), mean(logY)];
  const squares = logX.reduce((sum, value) => sum + (value - meanX) ** 2, 0);
  return squares > 0 ? logX.reduce((sum, value, k) => sum + (value - meanX) * (logY[k] - meanY), 0) / squares : Number.NaN;
}

/** Else the sweeps are those that were allowed, and their growth tells nothing. */
const allConverged = ({ steps, converged }: CaseResult) => converged === steps;

/** Cases of one scene on one backend, by size. */
function families(cases: readonly CaseResult[]): CaseResult[][] {
  const groups = new Map<string, CaseResult[]>();
  for (const result of cases) {
    const key = `${result.scene} ${result.backend}`;
    groups.set(
      key,
      [...(groups.get(key) ?? []), result].sort((a, b) => a.grains - b.grains),
    );
  }
  return [...groups.values()];
}

export function fit(cases: readonly CaseResult[]): Fit[] {
  return families(cases)
    .filter((family) => family.length > 1)
    .flatMap((family) => {
      const [{ scene, backend }] = family;
      const sizes = family.map(({ grains }) => grains);
      const milliseconds = {
        scene,
        backend,
        quantity: 'milliseconds per step' as const,
        exponent: exponent(sizes, family.map(timeOf)),
      };
      if (!family.every(allConverged)) return [milliseconds];
      const sweeps = family.map((result) => result.sweeps);
      return [milliseconds, { scene, backend, quantity: 'sweeps' as const, exponent: exponent(sizes, sweeps) }];
    });
}

const COLUMNS: [string, (result: CaseResult) => string | number | null][] = [
  ['scene', ({ scene }) => scene],
  ['backend', ({ backend }) => backend],
  ['grains', ({ grains }) => grains],
  ['steps', ({ steps }) => steps],
  ['candidates', ({ candidates }) => Math.round(candidates)],
  ['colours', ({ colours }) => Math.round(colours)],
  ['sweeps', ({ sweeps }) => round(sweeps)],
  ['converged', ({ converged }) => converged],
  ['residual', ({ residual }) => round(residual)],
  ['balance', ({ balance }) => balance],
  ['mean overlap', ({ meanOverlap }) => round(meanOverlap)],
  ['ms/step', ({ millisecondsPerStep }) => round(millisecondsPerStep)],
  ['CPU ms/step', ({ cpuMillisecondsPerStep }) => round(cpuMillisecondsPerStep)],
  ['million contact updates/s', ({ contactUpdatesPerSecond }) => round(contactUpdatesPerSecond / 1e6)],
  ['share of copy bandwidth', ({ bandwidthShare }) => (bandwidthShare === null ? null : round(bandwidthShare))],
  ['bytes/grain', ({ bytesPerGrain }) => (bytesPerGrain === null ? null : Math.round(bytesPerGrain))],
];

const round = (value: number) => Number(value.toPrecision(3));

const cells = (result: CaseResult) => COLUMNS.map(([, value]) => String(value(result) ?? ''));
const stageNames = (cases: readonly CaseResult[]) => [...new Set(cases.flatMap(({ stages }) => Object.keys(stages ?? {})))];

export function toCsv(cases: readonly CaseResult[]): string {
  const stages = stageNames(cases);
  const header = [...COLUMNS.map(([name]) => name), ...stages.map((name) => `${name} ms/step`)];
  const rows = cases.map((result) => [...cells(result), ...stages.map((name) => String(result.stages?.[name] ?? ''))]);
  return `${[header, ...rows].map((row) => row.join(',')).join('\n')}\n`;
}

export function toMarkdown(cases: readonly CaseResult[]): string {
  const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const names = COLUMNS.map(([name]) => name);
  return `${[row(names), row(names.map(() => '---')), ...cases.map((result) => row(cells(result)))].join('\n')}\n`;
}

function plots(cases: readonly CaseResult[]): Plot[] {
  const backends = [...new Set(cases.map(({ backend }) => backend))];
  return backends.flatMap((backend) => {
    const some = families(cases.filter((result) => result.backend === backend));
    const converged = some.filter((family) => family.every(allConverged));
    const sweeps = converged.length > 0 ? [logLog('sweeps per step', backend, converged, (result) => result.sweeps)] : [];
    return [
      logLog('milliseconds per step', backend, some, timeOf),
      ...sweeps,
      logLog('contact updates per second', backend, some, ({ contactUpdatesPerSecond }) => contactUpdatesPerSecond),
    ];
  });
}

function logLog(quantity: string, backend: BackendName, some: CaseResult[][], value: (result: CaseResult) => number): Plot {
  const series = some.map((family) => {
    const [x, y] = [family.map(({ grains }) => grains), family.map(value)];
    const slope = family.length > 1 ? `: N^${exponent(x, y).toFixed(2)}` : '';
    return { name: `${SCENES[family[0].scene].title}${slope}`, x, y, kind: 'line' as const };
  });
  return { title: `${quantity}, ${backend}`, xLabel: 'grains', yLabel: quantity, logX: true, logY: true, series };
}

function htmlTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (texts: readonly string[], tag: string) =>
    `<tr>${texts.map((text) => `<${tag}>${escapeXml(text)}</${tag}>`).join('')}</tr>`;
  return `<table>${line(header, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
}

/** A page that needs nothing beside itself. */
export function toHtml({ command, date, note, machine, copyBandwidth, cases, failures, fits, rapier }: SuiteResult): string {
  const stages = stageNames(cases);
  const bandwidth = Object.entries(copyBandwidth).map(([name, bytes]) => `${name} ${((bytes ?? 0) / 1e9).toFixed(1)} GB/s`);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>contact-dynamics: benchmark</title>
<style>body { font: 15px sans-serif; margin: 2em auto; max-width: 82em; padding: 0 1em } table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid #ddd; padding: 3px 8px; text-align: right } svg { max-width: 100%; height: auto }</style>
<h1>Benchmark</h1>
<p><code>${escapeXml(command)}</code>, ${date}. ${escapeXml(note)}</p>
<p>${escapeXml(
    Object.entries(machine)
      .map(([key, value]) => `${key}: ${value ?? 'none'}`)
      .join('; '),
  )}. Copy bandwidth, read and written: ${bandwidth.join(', ')}.</p>
<h2>Runs</h2>
${htmlTable(
  COLUMNS.map(([name]) => name),
  cases.map(cells),
)}
${
  failures.length > 0
    ? `<h2>Not run</h2>${htmlTable(
        ['scene', 'backend', 'grains', 'why'],
        failures.map(({ scene, backend, grains, error }) => [scene, backend, String(grains), error]),
      )}`
    : ''
}
${
  stages.length > 0
    ? `<h2>Stages on the GPU, ms per step</h2>${htmlTable(
        ['scene', 'grains', ...stages],
        cases
          .filter((result) => result.stages)
          .map((result) => [
            result.scene,
            String(result.grains),
            ...stages.map((name) => (result.stages?.[name] ?? 0).toFixed(2)),
          ]),
      )}`
    : ''
}
<h2>Growth with the number of grains N</h2>
${htmlTable(
  ['scene', 'backend', 'quantity', 'exponent of N'],
  fits.map(({ scene, backend, quantity, exponent: slope }) => [scene, backend, quantity, slope.toFixed(2)]),
)}
${plots(cases).map(toSvg).join('\n')}
${rapier ? `<h2>Beside Rapier</h2><p>Pouring, ${rapier.grains} grains, ${rapier.steps} steps.</p><pre>${escapeXml(comparisonTable(rapier.results))}</pre>` : ''}
</html>
`;
}

/** Leaves `<name>.json`, `.csv` and `.html`. */
export async function writeSuite(folder: string, name: string, result: SuiteResult): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(folder, `${name}.csv`), toCsv(result.cases));
  await writeFile(join(folder, `${name}.html`), toHtml(result));
}
