import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** A Chrome or Chromium on this machine. */
export interface InstalledBrowser {
  executable: string;
  /** Where its libraries are: the software Vulkan driver SwiftShader is among them on Linux. */
  folder: string;
}

const WINDOWS_CHROME = 'C:\\Program Files\\Google\\Chrome\\Application';
const MAC_CHROME = '/Applications/Google Chrome.app/Contents';

/** Where packages put a browser; some executables are scripts outside the browser's folder. */
const INSTALLED: readonly InstalledBrowser[] = [
  { executable: '/usr/bin/chromium', folder: '/usr/lib/chromium' },
  { executable: '/usr/lib/chromium-browser/chromium-browser', folder: '/usr/lib/chromium-browser' },
  { executable: '/usr/lib64/chromium-browser/chromium-browser', folder: '/usr/lib64/chromium-browser' },
  { executable: '/usr/bin/google-chrome', folder: '/opt/google/chrome' },
  { executable: `${MAC_CHROME}/MacOS/Google Chrome`, folder: `${MAC_CHROME}/Frameworks` },
  { executable: `${WINDOWS_CHROME}\\chrome.exe`, folder: WINDOWS_CHROME },
];

const MAC_DOWNLOAD = 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing';
const DOWNLOADED_EXECUTABLES = ['chrome', 'chrome.exe', MAC_DOWNLOAD];

/** Folder that puppeteer keeps its downloads in. */
export function browserCache(): string {
  return process.env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache', 'puppeteer');
}

/** Paths of the folders in a folder; none where it is missing. */
function folders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  const entries = readdirSync(parent, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name));
}

/** Browsers that the user names, then those of the system, then those that puppeteer downloaded. */
export function installedBrowsers(): InstalledBrowser[] {
  const chosen = [process.env.PUPPETEER_EXECUTABLE_PATH, process.env.CHROME_PATH]
    .filter((path) => path !== undefined && existsSync(path))
    .map((executable) => ({ executable: executable as string, folder: dirname(realpathSync(executable as string)) }));
  const downloaded = folders(join(browserCache(), 'chrome'))
    .flatMap(folders)
    .flatMap((folder) => DOWNLOADED_EXECUTABLES.map((name) => ({ executable: join(folder, name), folder })));
  return [...chosen, ...[...INSTALLED, ...downloaded].filter(({ executable }) => existsSync(executable))];
}
