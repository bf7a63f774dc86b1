import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

/** Builds the package's files for browsers into a folder, and puts a folder of pages beside them as `site`. */
export async function buildLibrary(folder: string, pages?: string, modes: readonly string[] = []): Promise<void> {
  process.env.BUILD_DIR = folder;
  await build({ logLevel: 'error' });
  for (const mode of modes) await build({ logLevel: 'error', mode });
  if (pages) await cp(pages, join(folder, 'site'), { recursive: true });
}
