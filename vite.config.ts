import { chmod, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

/** `dist` unless the tests build elsewhere. */
const DIST = resolve(import.meta.dirname, process.env.BUILD_DIR ?? 'dist');

/** Packages that are installed beside this one: a native one, one that needs Node's own `require`, HDF5, which is large; Rapier is never asked for. */
const EXTERNAL = ['webgpu', 'commander', 'h5wasm/node', '@dimforge/rapier3d-simd-compat'];

/** three.js is the user's own. */
const isExternal = (id: string) => isBuiltin(id) || EXTERNAL.includes(id) || id.startsWith('three/');

/** Writes the JSON Schema of the scene file beside the library and makes the command executable. */
function packageFiles(): Plugin {
  return {
    name: 'package-files',
    async writeBundle({ dir = DIST }) {
      const { sceneJsonSchema } = await import(pathToFileURL(join(dir, 'index.js')).href);
      await writeFile(join(dir, 'scene.schema.json'), `${JSON.stringify(sceneJsonSchema(), null, 2)}\n`);
      await chmod(join(dir, 'cli.js'), 0o755);
    },
  };
}

/** The code of the worker is a text within the library, which no bundler of a user's makes smaller. */
const WORKER: UserConfig['worker'] = { format: 'es', rolldownOptions: { output: { minify: true } } };

/** The library for browsers (no Node module in it), for Node, and the command. Other packages are bundled, their licences in one file. */
const library: UserConfig = {
  plugins: [packageFiles()],
  worker: WORKER,
  build: {
    outDir: DIST,
    target: 'es2023',
    minify: false,
    license: { fileName: 'licenses.md' },
    lib: {
      entry: {
        index: 'src/index.ts',
        cpu: 'src/cpu.ts',
        viewer: 'src/viewer.ts',
        element: 'src/element.ts',
        node: 'src/node.ts',
        cli: 'src/cli/main.ts',
      },
      formats: ['es'],
    },
    rolldownOptions: { external: isExternal, output: { chunkFileNames: 'chunks/[name].js' } },
  },
};

/** All for pages in one file, three with it. */
const bundle: UserConfig = {
  worker: WORKER,
  build: {
    outDir: DIST,
    emptyOutDir: false,
    target: 'es2023',
    license: { fileName: 'contact-dynamics.bundle.licenses.md' },
    lib: { entry: 'src/bundle.ts', formats: ['es'], fileName: () => 'contact-dynamics.bundle.js' },
    rolldownOptions: { output: { minify: true, codeSplitting: false } },
  },
};

/** The benchmark's pages, on the built library: what a user of the package runs. */
const benchPage: UserConfig = {
  root: 'bench/page',
  base: './',
  preview: { host: '127.0.0.1' },
  resolve: { alias: [{ find: /^.*\/src\/index$/, replacement: join(DIST, 'index.js') }] },
  worker: WORKER,
  build: {
    outDir: join(DIST, 'bench'),
    emptyOutDir: true,
    target: 'es2023',
    // Rapier carries its WebAssembly within it.
    chunkSizeWarningLimit: 4000,
    rolldownOptions: { input: ['index.html', 'poured.html'].map((page) => resolve(import.meta.dirname, 'bench/page', page)) },
  },
};

/** The gallery of demos, for any folder of a web server. */
const gallery: UserConfig = {
  root: 'demo',
  base: './',
  worker: WORKER,
  build: { outDir: join(DIST, 'demo'), emptyOutDir: true, target: 'es2023', chunkSizeWarningLimit: 2000 },
};

const MODES: Record<string, UserConfig> = { bench: benchPage, bundle, demo: gallery };

export default defineConfig(({ mode }) => MODES[mode] ?? library);
