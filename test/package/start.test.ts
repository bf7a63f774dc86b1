import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

test('npm start builds the command and leaves what other builds made, which projects beside the clone load', () => {
  // Within the clone, as dist is: elsewhere Vite empties nothing.
  mkdirSync(join(ROOT, 'out'), { recursive: true });
  const dist = mkdtempSync(join(ROOT, 'out/start-'));
  onTestFinished(() => rmSync(dist, { recursive: true }));
  const others = ['contact-dynamics.bundle.js', 'index.d.ts', 'bench/index.html', 'chunks/simulation.d.ts'];
  for (const folder of ['bench', 'chunks']) mkdirSync(join(dist, folder));
  for (const name of others) writeFileSync(join(dist, name), name);
  const { start } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
  const [build] = start.split('&&');
  const bin = join(ROOT, 'node_modules/.bin');
  const env = { ...process.env, BUILD_DIR: dist, PATH: `${bin}:${process.env.PATH}` };
  const { status, stderr } = spawnSync('sh', ['-c', build], { cwd: ROOT, env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(existsSync(join(dist, 'cli.js'))).toBe(true);
  expect(others.filter((name) => !existsSync(join(dist, name)))).toEqual([]);
});
