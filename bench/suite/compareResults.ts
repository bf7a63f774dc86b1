import type { Plot } from '../../src/cli/plot';
import { families } from './growth';
import { BACKENDS } from './names';
import { logLog } from './page';
import type { CaseResult, SuiteResult } from './result';
import { SCENES } from './scenes';
import { figure, type Section } from './table';

/** A result and what to call it. */
export interface NamedResult {
  name: string;
  result: SuiteResult;
}

const QUANTITIES: [string, (result: CaseResult) => number | null][] = [
  ['ms/step', ({ millisecondsPerStep }) => millisecondsPerStep],
  ['sweeps', ({ sweeps }) => sweeps],
  ['ms/sweep', ({ millisecondsPerSweep }) => millisecondsPerSweep],
  ['million contact updates/s', ({ contactUpdatesPerSecond }) => contactUpdatesPerSecond / 1e6],
  ['share of copy bandwidth', ({ bandwidthShare }) => bandwidthShare],
  ['mean overlap', ({ meanOverlap }) => meanOverlap],
  ['bytes/grain', ({ bytesPerGrain }) => bytesPerGrain],
];

const keyOf = ({ scene, backend, grains }: CaseResult) => `${scene}, ${backend}, ${grains} grains`;

/** Two values and the second over the first. */
function change(a: number | null, b: number | null): string {
  if (a === null && b === null) return '';
  const ratio = a !== null && b !== null && a > 0 ? ` (${(b / a).toFixed(2)})` : '';
  return `${figure(a) || '-'} → ${figure(b) || '-'}${ratio}`;
}

/**
 * Two results case by case.
 * @throws RangeError where they have no case in common
 */
export function compareResults(a: NamedResult, b: NamedResult): { sections: Section[]; plots: Plot[] } {
  const [casesA, casesB] = [a, b].map(({ result }) => new Map(result.cases.map((one) => [keyOf(one), one])));
  const common = [...casesA.keys()].filter((key) => casesB.has(key));
  if (common.length === 0) {
    const list = (cases: Map<string, CaseResult>) => [...cases.keys()].join('; ') || 'none';
    throw new RangeError(
      `The two results have no case in common. ${a.name} has: ${list(casesA)}. ${b.name} has: ${list(casesB)}. Run both with the same scenes, sizes and backends.`,
    );
  }
  const only = (name: string, cases: Map<string, CaseResult>, others: Map<string, CaseResult>): [string, string][] =>
    [...cases.keys()].filter((key) => !others.has(key)).map((key) => [key, `only in ${name}`]);
  const alone = [...only(a.name, casesA, casesB), ...only(b.name, casesB, casesA)];
  const sections: Section[] = [
    {
      title: 'Where they ran',
      text: [a, b].map(({ name, result: { command, note } }) => `${name}: ${command}. ${note}`.trim()).join(' '),
      header: ['', a.name, b.name],
      rows: [
        ['date', a.result.date, b.result.date],
        ...(['cpu', 'runtime', 'library', 'adapter'] as const).map((key) => [
          key,
          ...[a, b].map(({ result }) => result.machine[key] ?? 'not known'),
        ]),
      ],
    },
    {
      title: 'Case by case',
      text: `${a.name} → ${b.name}, in brackets the second over the first.`,
      header: ['scene', 'backend', 'grains', ...QUANTITIES.map(([name]) => name)],
      rows: common.map((key) => {
        const [one, other] = [casesA.get(key)!, casesB.get(key)!];
        return [one.scene, one.backend, String(one.grains), ...QUANTITIES.map(([, value]) => change(value(one), value(other)))];
      }),
    },
    ...(alone.length > 0 ? [{ title: 'Without a counterpart', header: ['case', ''], rows: alone }] : []),
  ];
  return { sections, plots: comparisonPlots(a, b, common) };
}

/** Time per step of what both have, a plot for each backend. */
function comparisonPlots(a: NamedResult, b: NamedResult, common: readonly string[]): Plot[] {
  return BACKENDS.flatMap((backend) => {
    const groups = [a, b].map(({ result }) =>
      families(result.cases.filter((one) => one.backend === backend && common.includes(keyOf(one)))),
    );
    const nameOf = (group: CaseResult[]) => `${SCENES[group[0].scene].title}, ${groups[0].includes(group) ? a.name : b.name}`;
    const quantity = 'milliseconds per step';
    return groups[0].length > 0
      ? [logLog(`${quantity}, ${backend}`, quantity, groups.flat(), (one) => one.millisecondsPerStep, nameOf)]
      : [];
  });
}
