import type { Page } from 'puppeteer';
import type { BenchResult } from '../../bench/measure';

/**
 * Runs the page of poured sand and waits for its figures.
 * @param address where the built page is served
 * @throws Error with what the page says where it fails
 */
export async function runBenchPage(page: Page, address: string, grains: number, steps: number): Promise<BenchResult> {
  const crashed = new Promise<never>((_, reject) => page.once('pageerror', reject));
  const ended = async () => {
    await page.goto(`${address}poured.html?grains=${grains}&steps=${steps}&backend=webgpu`);
    await page.waitForFunction(() => window.benchmark !== undefined, { timeout: 0, polling: 200 });
    return page.evaluate(() => window.benchmark!);
  };
  const outcome = await Promise.race([ended(), crashed]);
  if ('error' in outcome) throw new Error(`The page failed: ${outcome.error}`);
  return outcome.result;
}
