import { Browser, detectBrowserPlatform, install, resolveBuildId } from '@puppeteer/browsers';
import { browserCache, installedBrowsers } from '../../src/node/browsers';
import { installDebianPackage } from './debian';

const ADVICE = 'Install Chrome or Chromium, or set CHROME_PATH to the executable of one.';

/** Debian's own Chromium, which brings the libraries that it needs. Ubuntu's package of that name does not run in a container. */
const installChromium = () => installDebianPackage('chromium');

/** The stable Chrome for Testing, into puppeteer's cache. */
async function download(): Promise<string | undefined> {
  try {
    const platform = detectBrowserPlatform();
    if (!platform) return 'download: no Chrome is published for this system';
    const buildId = await resolveBuildId(Browser.CHROME, platform, 'stable');
    const installDeps = process.platform === 'linux' && process.getuid?.() === 0;
    await install({ browser: Browser.CHROME, buildId, cacheDir: browserCache(), platform, installDeps });
    return undefined;
  } catch (error) {
    return `download: ${(error as Error).message}`;
  }
}

/**
 * Executable of a Chrome or Chromium; installs one where there is none.
 * @throws Error saying what was tried and what to do
 */
export async function ensureBrowser(): Promise<string> {
  const find = () => installedBrowsers().at(0)?.executable;
  const installed = find();
  if (installed) return installed;
  console.error('No Chrome or Chromium found: installing one, which takes a minute or two ...');
  const failures: string[] = [];
  for (const attempt of [installChromium, download]) {
    const fault = await attempt();
    if (fault) failures.push(fault);
    const executable = find();
    if (executable) return executable;
  }
  throw new Error(`No browser for the WebGPU tests. ${ADVICE}\n${failures.join('\n')}`);
}
