import { setTimeout } from 'node:timers/promises';
import type { Page } from 'puppeteer';
import type { SuiteStatus } from './page/suite/messages';
import { describeMachine } from './suite/files';
import type { SuiteResult } from './suite/result';

/** Between two looks at the page, in milliseconds. */
const INTERVAL = 500;

/**
 * Has the page of the benchmark run, until it ends or the signal aborts: then with what was measured so far.
 * @param query fields of the page's form (bench/page/suite/settings.ts)
 * @throws Error with what the page says where it fails
 */
export async function runSuitePage(
  page: Page,
  address: string,
  query: Record<string, string>,
  { signal, onProgress = () => {} }: { signal?: AbortSignal; onProgress?: (status: SuiteStatus) => void } = {},
): Promise<SuiteStatus> {
  await page.goto(`${address}index.html?${new URLSearchParams({ ...query, run: '' })}`);
  for (;;) {
    const status = await page.evaluate(() => window.suite!);
    if (status.state === 'failed') throw new Error(`The page failed: ${status.text}`);
    if (status.state === 'ended' || status.state === 'stopped') return status;
    onProgress(status);
    if (signal?.aborted) return { ...status, state: 'stopped' };
    await setTimeout(INTERVAL, undefined, { signal }).catch(() => undefined);
  }
}

/** The page's result with what a page is not told of its machine. */
export function withMachine(result: SuiteResult, command: string, browser: string): SuiteResult {
  const { cpu, memoryBytes, system } = describeMachine(null, null);
  return { ...result, command, machine: { ...result.machine, cpu, memoryBytes, system, runtime: browser } };
}
