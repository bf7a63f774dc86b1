import { isBuiltin } from 'node:module';
import { defineConfig } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

/** Bundled declarations: they compile under any module resolution. Those of zod, which the scene's type is made of, stay its own. */
export default defineConfig({
  input: {
    index: 'src/index.ts',
    cpu: 'src/cpu.ts',
    viewer: 'src/viewer.ts',
    element: 'src/element.ts',
    'contact-dynamics.bundle': 'src/bundle.ts',
    node: 'src/node.ts',
  },
  external: (id) => isBuiltin(id) || id.startsWith('zod/'),
  plugins: [dts({ emitDtsOnly: true, oxc: false })],
  output: { dir: process.env.BUILD_DIR ?? 'dist', chunkFileNames: 'chunks/[name].js' },
  checks: { pluginTimings: false },
});
