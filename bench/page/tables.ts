import type { StepReport } from '../../src/index';
import type { BenchResult } from '../measure';

const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;

/** What the run was and what it took, a name and a text each. */
export function summaryRows(result: BenchResult): [string, string][] {
  const last = result.contacts.length - 1;
  return [
    ['Backend', result.backend === 'cpu' ? 'CPU reference' : 'WebGPU'],
    ['Adapter', result.adapter ? `${result.adapter}${result.softwareAdapter ? ' (software)' : ''}` : 'none'],
    ['Grains', result.grains.toLocaleString('en')],
    ['Steps', `${result.contacts.length}`],
    [
      'Contacts, last step',
      `${result.contacts[last].toLocaleString('en')} of ${result.candidates[last].toLocaleString('en')} candidates`,
    ],
    ['Colours, most', `${Math.max(...result.colours)}`],
    ['Sweeps per step', `${mean(result.iterations).toFixed(1)} (most ${Math.max(...result.iterations)})`],
    ['Residual, last step', result.residual[last].toExponential(2)],
    ['Time per step', `${mean(result.milliseconds).toFixed(1)} ms`],
    ['GPU memory', `${(result.gpuMemoryBytes / 2 ** 20).toFixed(1)} MiB`],
  ];
}

/** The time of each stage on the GPU, and its share; nothing where the stages were not timed. */
export function stageRows({ stages }: BenchResult): [string, string, string][] {
  const entries = Object.entries(stages ?? {});
  const total = entries.reduce((sum, [, time]) => sum + time, 0);
  return entries.map(([name, time]) => [name, `${time.toFixed(3)} ms`, `${((100 * time) / total).toFixed(1)} %`]);
}

/** Replaces the rows of a table whose first cell is a heading. */
export function fillTable(table: HTMLTableElement, rows: readonly (readonly string[])[]): void {
  table.replaceChildren();
  for (const cells of rows) appendRow(table, cells);
}

function appendRow(table: HTMLTableElement, [heading, ...cells]: readonly string[]): void {
  const row = table.insertRow();
  const th = document.createElement('th');
  th.scope = 'row';
  th.textContent = heading;
  row.append(th);
  for (const text of cells) row.insertCell().textContent = text;
}

const STEP_COLUMNS = ['Step', 'Contacts', 'Candidates', 'Colours', 'Sweeps', 'Residual'];

/** Empties the table of the steps but for its head. */
export function startSteps(table: HTMLTableElement): void {
  table.replaceChildren();
  const row = table.createTHead().insertRow();
  for (const text of STEP_COLUMNS) {
    const th = document.createElement('th');
    th.scope = 'col';
    th.textContent = text;
    row.append(th);
  }
  table.createTBody();
}

export function appendStep(table: HTMLTableElement, report: StepReport): void {
  const { step, contacts, candidates, colours, iterations, residual } = report;
  appendRow(table, [...[step, contacts, candidates, colours, iterations].map(String), residual.toExponential(2)]);
}
