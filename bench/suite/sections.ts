import { comparisonSections } from '../rapier/sections';
import type { CaseResult, Settling, SuiteResult } from './result';
import { SCENES } from './scenes';
import { figure, type Section, toMarkdown } from './table';

const COLUMNS: [string, (result: CaseResult) => string][] = [
  ['scene', ({ scene }) => scene],
  ['backend', ({ backend }) => backend],
  ['grains', ({ grains }) => String(grains)],
  ['from', ({ start }) => start],
  ['steps', ({ steps }) => String(steps)],
  ['contacts', ({ contacts }) => String(Math.round(contacts))],
  ['candidates', ({ candidates }) => String(Math.round(candidates))],
  ['colours', ({ colours }) => String(Math.round(colours))],
  ['sweeps', ({ sweeps }) => figure(sweeps)],
  ['converged', ({ converged }) => String(converged)],
  ['residual', ({ residual }) => figure(residual)],
  ['balance', ({ balance }) => figure(balance)],
  ['mean overlap', ({ meanOverlap }) => figure(meanOverlap)],
  ['max overlap', ({ maxOverlap }) => figure(maxOverlap)],
  ['ms/step', ({ millisecondsPerStep }) => figure(millisecondsPerStep)],
  ['CPU ms/step', ({ cpuMillisecondsPerStep }) => figure(cpuMillisecondsPerStep)],
  ['ms/sweep', ({ millisecondsPerSweep }) => figure(millisecondsPerSweep)],
  ['million contact updates/s', ({ contactUpdatesPerSecond }) => figure(contactUpdatesPerSecond / 1e6)],
  ['share of copy bandwidth', ({ bandwidthShare }) => figure(bandwidthShare)],
  ['bytes/grain', ({ bytesPerGrain }) => (bytesPerGrain === null ? '' : String(Math.round(bytesPerGrain)))],
];

const header = COLUMNS.map(([name]) => name);
const cells = (result: CaseResult) => COLUMNS.map(([, value]) => value(result));
const stageNames = (cases: readonly CaseResult[]) => [...new Set(cases.flatMap(({ stages }) => Object.keys(stages ?? {})))];

/** The cases, with the time of each stage. */
export function toCsv(cases: readonly CaseResult[]): string {
  const stages = stageNames(cases);
  const first = [...header, ...stages.map((name) => `${name} ms/step`)];
  const rows = cases.map((result) => [...cells(result), ...stages.map((name) => String(result.stages?.[name] ?? ''))]);
  return `${[first, ...rows].map((row) => row.join(',')).join('\n')}\n`;
}

/** Without the columns in which no case has a figure. */
export function casesSection(result: SuiteResult): Section {
  const rows = result.cases.map(cells);
  const isFilled = (_: string, column: number) => rows.some((row) => row[column] !== '');
  return {
    title: 'Runs',
    text: `${machineText(result)} Overlaps are in mean diameters; a contact update is one candidate in one sweep.`,
    header: header.filter(isFilled),
    rows: rows.map((row) => row.filter(isFilled)),
  };
}

function stagesSection(cases: readonly CaseResult[]): Section {
  const names = stageNames(cases);
  const timed = cases.filter(({ stages }) => stages);
  const text =
    timed.length > 0 ? '' : 'The device has no timestamps: the time of a sweep is that of the whole step over its sweeps.';
  return {
    ...{ title: 'Stages on the GPU, ms per step', text, header: ['scene', 'grains', ...names] },
    rows: timed.map(({ scene, grains, stages }) => [
      ...[scene, String(grains)],
      ...names.map((name) => (stages?.[name] ?? 0).toFixed(2)),
    ]),
  };
}

const REST: Record<string, string> = { true: 'yes', false: 'no, time was over', null: 'stays in motion' };

const settlingsSection = (settlings: readonly Settling[]): Section => ({
  title: 'Time to a settled packing',
  text: 'From the first step until at rest, each step to a residual of 0.01, on the backend that is fastest here.',
  header: ['scene', 'grains', 'backend', 'steps', 'seconds', 'at rest', 'measured from step'],
  rows: settlings.map(({ scene, grains, backend, steps, seconds, atRest, measuredFrom }) => [
    ...[scene, String(grains), backend, String(steps), seconds.toFixed(1), REST[String(atRest)], String(measuredFrom)],
  ]),
});

/** What was run where: what a reader must know of every figure. */
function machineText({ command, date, note, machine, copyBandwidth }: SuiteResult): string {
  const { cpu, cores, memoryBytes, system, runtime, library, rapier, adapter } = machine;
  const memory = memoryBytes ? `, ${(memoryBytes / 2 ** 30).toFixed(1)} GiB` : '';
  const bandwidths = Object.entries(copyBandwidth).map(([name, bytes]) => `${name} ${(bytes / 1e9).toFixed(1)} GB/s`);
  return [
    `${command}, ${date}, version ${library}${rapier ? `, Rapier ${rapier}` : ''}`,
    ...(note ? [note] : []),
    `Adapter: ${adapter ?? 'none'}`,
    `${runtime} on ${system}, ${cpu ?? 'CPU not told'}, ${cores} cores${memory}`,
    `Copy bandwidth, read and written: ${bandwidths.join(', ')}`,
  ]
    .map((sentence) => sentence.replace(/\.?$/, '.'))
    .join(' ');
}

function limitsSection({ limits, features }: SuiteResult): Section[] {
  if (!limits) return [];
  const rows = Object.entries(limits).map(([name, value]) => [name, String(value)]);
  const text = `Features: ${features.join(', ')}.`;
  return [{ title: 'Limits of the adapter', text, header: ['limit', 'value'], rows }];
}

/** All that a report says, but for the plots; parts of which there is nothing are left out. */
export function sectionsOf(result: SuiteResult): Section[] {
  const { cases, settlings, failures, fits, rapier } = result;
  const onGpu = cases.filter(({ backend }) => backend === 'webgpu');
  return [
    casesSection(result),
    ...(failures.length > 0
      ? [
          {
            ...{ title: 'Not run', header: ['scene', 'backend', 'grains', 'why'] },
            rows: failures.map(({ scene, backend, grains, error }) => [scene, backend, String(grains), error]),
          },
        ]
      : []),
    ...(onGpu.length > 0 ? [stagesSection(onGpu)] : []),
    ...(settlings.length > 0 ? [settlingsSection(settlings)] : []),
    ...(fits.length > 0
      ? [
          {
            title: 'Growth with the number of grains N',
            header: ['scene', 'backend', 'quantity', 'exponent of N'],
            rows: fits.map(({ scene, backend, quantity, exponent }) => [
              ...[SCENES[scene].title, backend, quantity, exponent.toFixed(2)],
            ]),
          },
        ]
      : []),
    ...rapier.flatMap(comparisonSections),
    ...limitsSection(result),
  ];
}

/** The report as Markdown. */
export const toReport = (result: SuiteResult): string => `# Benchmark\n\n${sectionsOf(result).map(toMarkdown).join('\n')}`;
