import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Browser, detectBrowserPlatform, install, resolveBuildId } from '@puppeteer/browsers';
import { browserCache, installedBrowsers } from '../../src/node/browsers';

const ADVICE = 'Install Chrome or Chromium, or set CHROME_PATH to the executable of one.';

const isRoot = (): boolean => process.getuid?.() === 0;

/** Runs a command quietly; what it printed where it fails, else undefined. */
function failure(command: string, args: string[]): string | undefined {
  const result = spawnSync(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (result.status === 0) return undefined;
  return `${command} ${args.join(' ')}: ${result.error?.message ?? result.stderr.trim().split('\n').slice(-3).join('\n')}`;
}

function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

/** Debian's own Chromium, which brings the libraries that it needs. Ubuntu's package of that name does not run in a container. */
function installDebianPackage(): string | undefined {
  if (!isDebian()) return 'apt-get: only on Debian';
  const run = (...args: string[]) => (isRoot() ? failure(args[0], args.slice(1)) : failure('sudo', ['-n', ...args]));
  return run('apt-get', 'update', '-q') ?? run('apt-get', 'install', '-q', '-y', '--no-install-recommends', 'chromium');
}

/** The stable Chrome for Testing, into puppeteer's cache. */
async function download(): Promise<string | undefined> {
  try {
    const platform = detectBrowserPlatform();
    if (!platform) return 'download: no Chrome is published for this system';
    const buildId = await resolveBuildId(Browser.CHROME, platform, 'stable');
    const installDeps = process.platform === 'linux' && isRoot();
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
  for (const attempt of [installDebianPackage, download]) {
    const fault = await attempt();
    if (fault) failures.push(fault);
    const executable = find();
    if (executable) return executable;
  }
  throw new Error(`No browser for the WebGPU tests. ${ADVICE}\n${failures.join('\n')}`);
}
