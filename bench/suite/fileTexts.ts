import { toPage } from './page';
import type { SuiteResult } from './result';
import { toCsv, toReport } from './sections';

/** What a result is written as, by the ends of the files' names. */
export const fileTexts = {
  json: (result: SuiteResult): string => `${JSON.stringify(result, null, 2)}\n`,
  csv: ({ cases }: SuiteResult): string => toCsv(cases),
  md: toReport,
  html: toPage,
};
export type FileKind = keyof typeof fileTexts;
