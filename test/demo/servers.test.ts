import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { preview } from 'vite';
import { expect, test } from 'vitest';
import { withChrome } from '../support/chrome';
import { newFolder } from '../support/folder';
import { stepsTo } from '../support/gallery';

/** Where a server listens that is up. */
const addressOf = ({ httpServer }: { httpServer: { address(): AddressInfo | string | null } | null }) =>
  (httpServer!.address() as AddressInfo).address;

// The built gallery leaves out what its demos do not use; this server gives each module whole.
test('npm run demo shows the gallery, on the loopback address alone', async () => {
  process.env.CI ??= 'true'; // No browser is to be opened.
  const { server } = await import('../../demo/serve');
  try {
    expect(addressOf(server)).toBe('127.0.0.1');
    await withChrome(
      newFolder(),
      async (page, _, complaints) => {
        await page.goto(`${server.resolvedUrls!.local[0]}#array`);
        await stepsTo(page, 5);
        expect(complaints).toEqual([]);
      },
      { draws: true },
    );
  } finally {
    await server.close();
  }
});

test('so are the pages of the benchmark', async () => {
  const configFile = resolve(import.meta.dirname, '../../vite.config.ts');
  const server = await preview({ configFile, mode: 'bench', build: { outDir: newFolder() } });
  try {
    expect(addressOf(server)).toBe('127.0.0.1');
  } finally {
    await server.close();
  }
});
