import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { preview } from 'vite';
import { expect, test } from 'vitest';
import { newFolder } from '../support/folder';

/** Where a server listens that is up. */
const addressOf = ({ httpServer }: { httpServer: { address(): AddressInfo | string | null } | null }) =>
  (httpServer!.address() as AddressInfo).address;

test('the gallery of demos is served on the loopback address alone', async () => {
  process.env.CI ??= 'true'; // No browser is to be opened.
  const { server } = await import('../../demo/serve');
  try {
    expect(addressOf(server)).toBe('127.0.0.1');
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
