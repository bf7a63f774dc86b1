/**
 * Runs a benchmark as the package runs: bundled, so that constants of other modules are numbers in the inner loops, which else are
 * read and checked anew in every turn (a tenth of a sweep). `npx tsx bench/bundled.ts NAME [ARGUMENTS]`, of bench/NAME.ts.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const [name] = process.argv.splice(2, 1);
const file = resolve('out', 'bundled', `${name}.mjs`);
await build({
  input: resolve(import.meta.dirname, `${name}.ts`),
  platform: 'node',
  external: ['webgpu', 'h5wasm/node'],
  output: { file, format: 'esm', codeSplitting: false },
  logLevel: 'warn',
});
await import(pathToFileURL(file).href);
