import { isBuiltin } from 'node:module';
import { defineConfig } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

/** Bundled declarations, with those of packages inside: a consumer's compiler needs no package but this one. */
export default defineConfig({
  input: { index: 'src/index.ts', node: 'src/node.ts' },
  external: (id) => isBuiltin(id) || id === 'webgpu',
  plugins: [dts({ emitDtsOnly: true, oxc: false })],
  output: { dir: process.env.BUILD_DIR ?? 'dist', chunkFileNames: 'chunks/[name].js' },
  checks: { pluginTimings: false },
});
