import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeInto } from '../../src/cli/outputFile';
import { toSvg } from '../../src/cli/plot';
import type { Backend, Figure, Result } from './figure';

/** What is known of a figure: its result, or why there is none. */
export interface Outcome {
  figure: Pick<Figure, 'id' | 'title'>;
  backend: Backend;
  /** Null on the CPU. */
  adapter: string | null;
  seconds: number;
  result?: Result;
  error?: string;
}

/** The figures that are finished on one backend, one JSON file each. */
export class ResultStore {
  constructor(private readonly folder: string) {}

  async load(figure: Figure): Promise<Outcome | undefined> {
    try {
      return JSON.parse(await readFile(this.path(figure), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /**
   * Writes the result and its plots; what is there under its name is whole.
   * @throws OutputError naming what cannot be written
   */
  async keep(outcome: Outcome): Promise<void> {
    for (const [k, plot] of (outcome.result?.plots ?? []).entries()) {
      await writeInto(this.folder, `${outcome.figure.id}-${k + 1}.svg`, toSvg(plot));
    }
    await writeInto(this.folder, `${outcome.figure.id}.json`, `${JSON.stringify(outcome, null, 2)}\n`);
  }

  /** @throws OutputError naming what cannot be written */
  async keepTable(outcomes: readonly Outcome[]): Promise<void> {
    await writeInto(this.folder, 'table.md', markdown(outcomes));
    await writeInto(this.folder, 'table.json', `${JSON.stringify(outcomes.map(withoutPlots), null, 2)}\n`);
  }

  private path({ id }: Pick<Figure, 'id'>): string {
    return join(this.folder, `${id}.json`);
  }
}

function withoutPlots({ result, ...outcome }: Outcome) {
  return { ...outcome, rows: result?.rows ?? [] };
}

/** The table of all figures: expected, got, verdict. */
export function markdown(outcomes: readonly Outcome[]): string {
  const lines = outcomes.flatMap(({ figure, seconds, result, error }) => [
    `| **${figure.id}** | ${figure.title} | | ${seconds.toFixed(0)} s |`,
    ...(result?.rows ?? []).map(({ name, expected, got, verdict }) => `| ${name} | ${expected} | ${got} | ${verdict} |`),
    ...(error === undefined ? [] : [`| not finished | | ${error.replaceAll('\n', ' ').replaceAll('|', '/')} | FAIL |`]),
  ]);
  const places = new Set(outcomes.map(({ backend, adapter }) => (adapter === null ? backend : `${backend}, ${adapter}`)));
  return `Backend: ${[...places].join('; ')}.\n\n| figure | expected | got | verdict |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`;
}

export function failures(outcomes: readonly Outcome[]): number {
  return outcomes.reduce(
    (sum, { result, error }) =>
      sum + (error === undefined ? 0 : 1) + (result?.rows ?? []).filter(({ verdict }) => verdict === 'FAIL').length,
    0,
  );
}
