import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { preview } from 'vite';
import { ensureBrowser } from './browser';

export interface ChromeOptions {
  /** Leave the adapter to the browser; else the software adapter, the same on every machine. */
  hardware?: boolean;
  /** The software adapter shows what it draws on a canvas too, which takes it some more time to begin. */
  draws?: boolean;
  /** Leave Ctrl-C to the caller, who closes the browser; else it ends the process at once. */
  ownInterrupt?: boolean;
}

/** With which the software adapter presents: without them the device is lost at the first picture. */
const DRAWING = [
  '--use-angle=swiftshader',
  '--enable-features=Vulkan',
  '--disable-vulkan-surface',
  '--use-vulkan=swiftshader',
  '--enable-unsafe-swiftshader',
];

const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

async function launch(
  userDataDir: string,
  { hardware = false, draws = false, ownInterrupt = false }: ChromeOptions,
): Promise<Browser> {
  const adapter = hardware ? ['--enable-features=Vulkan'] : ['--use-webgpu-adapter=swiftshader', ...(draws ? DRAWING : [])];
  return puppeteer.launch({
    executablePath: await ensureBrowser(),
    userDataDir,
    headless: true,
    handleSIGINT: !ownInterrupt,
    handleSIGTERM: !ownInterrupt,
    protocolTimeout: 600_000,
    args: ['--no-sandbox', '--enable-unsafe-webgpu', ...adapter, ...QUIET],
  });
}

/** Everything that the page complains of: errors, failed requests, and what it logs as error or warning (validation errors too). */
export function watch(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${(error as Error).message}`));
  page.on('requestfailed', (request) => complaints.push(`request failed: ${request.url()}`));
  page.on('console', (message) => {
    // That a picture was read back from WebGL, which the driver remarks, is no fault.
    if (message.text().includes('GPU stall due to ReadPixels')) return;
    if (['error', 'warn'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  return complaints;
}

/**
 * Serves `folder` on the loopback address and opens a page in a real Chrome with a fresh profile.
 * @param body gets the page, the address of the folder, and what the page complained of so far
 */
export async function withChrome<T>(
  folder: string,
  body: (page: Page, address: string, complaints: readonly string[]) => Promise<T>,
  options: ChromeOptions = {},
): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'contact-dynamics-chrome-'));
  const server = await preview({
    configFile: false,
    logLevel: 'error',
    root: folder,
    build: { outDir: '.' },
    preview: { host: '127.0.0.1', port: 0 },
  });
  let browser: Browser | undefined;
  try {
    browser = await launch(profile, options);
    const page = await browser.newPage();
    const address = server.resolvedUrls?.local[0];
    if (!address) throw new Error('The page is not served: no loopback address');
    return await body(page, address, watch(page));
  } finally {
    await browser?.close();
    await server.close();
    await rm(profile, { recursive: true, force: true });
  }
}
