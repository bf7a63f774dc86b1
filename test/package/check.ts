/**
 * Checks the package as a user gets it: packed, installed in an empty project, imported in Node, compiled against, run.
 * Needs a build (`npm run build`) first. Exit code 1 and the failed checks on standard error where one fails.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { runExamples } from './examples';
import { BUILT_PAGE, coreSize, openPages } from './pages';

const ROOT = resolve(import.meta.dirname, '../..');
const CONSUMER = join(import.meta.dirname, 'consumer');
const project = mkdtempSync(join(tmpdir(), 'contact-dynamics-package-'));
const installed = join(project, 'node_modules/contact-dynamics');
const { version: threeVersion } = JSON.parse(readFileSync(join(ROOT, 'node_modules/three/package.json'), 'utf8'));
const { version: viteVersion } = JSON.parse(readFileSync(join(ROOT, 'node_modules/vite/package.json'), 'utf8'));
/** The packed package. */
let tarball = '';

/** Runs a command in the empty project. */
function run(command: string, args: string[], { cwd = project, status = 0 } = {}): string {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (result.status !== status)
    throw new Error(`${command} ${args.join(' ')}: exit code ${result.status}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

function assert(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** The files that a page loads: the entry for browsers and all that it imports. */
function browserFiles(file = join(installed, 'dist/index.js'), seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g))
    browserFiles(resolve(file, '..', path), seen);
  return seen;
}

const checks: Record<string, () => void | Promise<void>> = {
  'packs and installs in an empty project': () => {
    const [{ filename }] = JSON.parse(
      run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], { cwd: ROOT }),
    );
    tarball = join(project, filename);
    cpSync(CONSUMER, project, { recursive: true });
    const others = [`three@${threeVersion}`, `vite@${viteVersion}`];
    run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${filename}`, ...others]);
    const entries = ['index', 'cpu', 'viewer', 'element', 'contact-dynamics.bundle', 'node'];
    const files = entries.flatMap((entry) => [`${entry}.js`, `${entry}.d.ts`]);
    for (const file of [...files, 'cli.js', 'scene.schema.json', 'licenses.md'])
      assert(existsSync(join(installed, 'dist', file)), `the package has no dist/${file}`);
  },
  'what the README links to is in the package, pictures apart': () => {
    const links = [...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)];
    assert(links.length > 10, 'the README has no links');
    for (const [, path] of links)
      assert(/\.(jpg|png)$/.test(path) || existsSync(join(installed, path)), `the package has no ${path}`);
  },
  'publint finds nothing': async () => {
    const { messages } = await publint({ pkgDir: installed, level: 'suggestion', strict: true, pack: false });
    const pkg = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert(messages.length === 0, messages.map((message) => formatMessage(message, pkg)).join('\n'));
  },
  'attw finds nothing': () => {
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    run('node', [attw, tarball, '--profile', 'esm-only', '--exclude-entrypoints', 'scene.schema.json', 'package.json']);
  },
  'the core is small, and nothing else in it': async () => {
    console.log(`        ${await coreSize(join(installed, 'dist/index.js'))} bytes, gzipped`);
  },
  'a page that Vite builds and a plain page show a packing': async () => {
    run(join('node_modules', '.bin', 'vite'), ['build', 'page', '--base', './', '--outDir', 'dist', '--logLevel', 'error']);
    await openPages(project, [`${BUILT_PAGE}/index.html`, 'plain.html']);
  },
  'the entry for browsers imports no package and no Node module': () => {
    for (const file of browserFiles()) {
      const [bare] = readFileSync(file, 'utf8').match(/^(?:import|export)\b[^;]*?from\s*["'](?!\.)[^"']+["']/m) ?? [];
      assert(bare === undefined, `${file}: ${bare}`);
    }
  },
  'imports and runs in Node': () => {
    run('node', ['run.mjs']);
  },
  'its types compile for a consumer': () => {
    for (const resolution of ['nodenext', 'bundler'])
      run('node', [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '-p',
        '.',
        '--moduleResolution',
        resolution,
        '--module',
        resolution === 'nodenext' ? 'nodenext' : 'esnext',
      ]);
  },
  'the command validates and runs a scene': () => {
    const command = join('node_modules', '.bin', 'contact-dynamics');
    run(command, ['validate', 'scene.json']);
    run(command, ['run', 'scene.json', '--out', 'out', '--backend', 'cpu', '--quiet']);
    const summary = JSON.parse(readFileSync(join(project, 'out/summary.json'), 'utf8'));
    assert(summary.grains === 2 && summary.steps === 20, `summary.json: ${JSON.stringify(summary)}`);
    writeFileSync(join(project, 'broken.json'), '{ "format": "contact-dynamics/1", "extra": 1 }');
    run(command, ['validate', 'broken.json'], { status: 2 });
  },
  'the examples of the documents run': () => {
    const count = runExamples(ROOT, project);
    assert(count >= 10, `only ${count} examples were found`);
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.error(`FAILED  ${name}\n${(error as Error).message}`);
  }
}
rmSync(project, { recursive: true });
console.log(`package: ${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks hold`);
process.exitCode = failed > 0 ? 1 : 0;
