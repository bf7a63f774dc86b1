import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { withChrome } from '../support/chrome';

/** Bytes, gzipped, that a page gets at once which makes simulations, as a bundler makes it small. The backends come as they run. */
const MOST_BYTES = 60_000;
const PAGE = 'a page';

/**
 * @param entry of the installed package
 * @returns bytes of what createSimulation needs of it, gzipped
 * @throws Error where it is too large, or imports another package
 */
export async function coreSize(entry: string): Promise<number> {
  const bundle = await rolldown({
    input: PAGE,
    platform: 'browser',
    checks: { pluginTimings: false },
    plugins: [
      {
        name: PAGE,
        resolveId: (id) => (id === PAGE ? id : null),
        load: (id) => (id === PAGE ? `export { createSimulation } from ${JSON.stringify(entry)}` : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const [core] = output;
  const foreign = core.imports.filter((name) => !output.some(({ fileName }) => fileName === name));
  if (foreign.length > 0) throw new Error(`the core imports ${foreign.join(', ')}`);
  const files = output.filter((file) => file.type === 'chunk' && (file === core || core.imports.includes(file.fileName)));
  const bytes = files.reduce((sum, file) => sum + gzipSync('code' in file ? file.code : '', { level: 9 }).length, 0);
  if (bytes > MOST_BYTES) throw new Error(`the core takes ${bytes} bytes, gzipped; ${MOST_BYTES} are allowed`);
  return bytes;
}

/**
 * Opens pages of the project in Chrome, each of which plays a packing of two grains to its end.
 * @throws Error with what a page complains of
 */
export async function openPages(project: string, pages: readonly string[]): Promise<void> {
  await withChrome(
    project,
    async (page, address, complaints) => {
      for (const name of pages) {
        await page.goto(`${address}${name}`);
        await page
          .waitForFunction('document.querySelector("contact-dynamics")?.show?.player.ended', { timeout: 120_000 })
          .catch((error: Error) => {
            throw new Error(`${name}: ${error.message}\n${complaints.join('\n')}`);
          });
        if (complaints.length > 0) throw new Error(`${name}: ${complaints.join('\n')}`);
      }
    },
    { draws: true },
  );
}

/** Where the built page is, in the project. */
export const BUILT_PAGE = join('page', 'dist');
