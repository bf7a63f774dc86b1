import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { newFolder } from '../support/folder';
import { command, FALL, sceneFile, shellCommand } from './support';

const WEIGHT = (27 * 2500 * Math.PI * 10) / 6;

/** A run that does not end by itself. */
function endless() {
  const folder = newFolder();
  const out = join(folder, 'out');
  const scene = sceneFile(folder, { ...FALL, steps: 10_000_000, output: {} });
  return { out, args: ['run', scene, '--out', out, '--backend', 'cpu'] };
}

/** Waits until a run has done its first step. */
async function underWay(out: string): Promise<void> {
  const series = join(out, 'series.csv');
  await vi.waitUntil(() => existsSync(series) && readFileSync(series, 'utf8').includes('\n1,'), { timeout: 60_000 });
}

describe('run', () => {
  test('leaves its files, and the summary alone on standard output', async () => {
    const folder = newFolder();
    const out = join(folder, 'new', 'out');
    const { code, stdout, stderr } = await command(['run', sceneFile(folder, FALL), '--out', out, '--backend', 'cpu', '--json']);
    expect(stderr).toMatch(/step 20 of 20/);
    expect(code).toBe(0);
    const summary = JSON.parse(stdout);
    expect(summary).toEqual(JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')));
    expect(summary).toMatchObject({ title: 'Falling cube', backend: 'cpu', adapter: null, grains: 27, steps: 20 });
    expect(Object.keys(summary.walls)).toEqual(['floor']);
    expect(summary.walls.floor.force[2]).toBeLessThan(0);
    expect(readdirSync(out).sort()).toEqual([
      ...['contacts.pvd', 'frames', 'grains.pvd', 'scene.json', 'series.csv', 'summary.json'],
    ]);
    expect(readdirSync(join(out, 'frames'))).toHaveLength(6);
    expect(readFileSync(join(out, 'series.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(21);
  });

  test('runs the scene that it left again, to the same figures, and prints a table by default', async () => {
    const folder = newFolder();
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    writeFileSync(join(folder, 'two.csv'), 'x,y,z,radius\n0,0,0.5,0.5\n0,0,1.5,0.5\n');
    const scene = { ...FALL, steps: 100, grains: [{ material: 'glass', file: 'two.csv' }] };
    const args = ['--backend', 'cpu', '--quiet'];
    const changes = ['--steps', '50', '--set', 'timeStep=0.005'];
    const { code, stdout, stderr } = await command(['run', sceneFile(folder, scene), '--out', first, ...args, ...changes]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Falling cube\n.*grains +2\n.*steps +50, time 0\.25\n/s);
    expect(JSON.parse(readFileSync(join(first, 'scene.json'), 'utf8'))).toMatchObject({
      steps: 50,
      timeStep: 0.005,
      dimension: 3,
    });

    const again = ['run', join(first, 'scene.json'), '--out', second, ...args];
    expect((await command(again)).stderr).toMatch(/grains\[0\]\.file: .*not in the folder of the scene/);
    expect((await command([...again, '--allow-outside'])).code).toBe(0);
    expect(readFileSync(join(second, 'series.csv'))).toEqual(readFileSync(join(first, 'series.csv')));
    const { walls } = JSON.parse(readFileSync(join(second, 'summary.json'), 'utf8'));
    expect(walls.floor.force[2] / ((-2 / 27) * WEIGHT)).toBeCloseTo(1, 3);
  });

  test('refuses a folder that is not empty unless forced, and then leaves what is not its own', async () => {
    const folder = newFolder();
    const out = join(folder, 'out');
    mkdirSync(join(out, 'frames'), { recursive: true });
    writeFileSync(join(out, 'notes.txt'), 'mine');
    writeFileSync(join(out, 'frames/grains-000123.vtp'), 'of a former run');
    const args = ['run', sceneFile(folder, FALL), '--out', out, '--backend', 'cpu', '--quiet'];
    const refused = await command(args);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/is not empty.*--force/);
    expect(readdirSync(out).sort()).toEqual(['frames', 'notes.txt']);

    expect((await command([...args, '--force'])).code).toBe(0);
    expect(readFileSync(join(out, 'notes.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(out, 'frames/grains-000123.vtp'))).toBe(false);
    expect(existsSync(join(out, 'frames/grains-000020.vtp'))).toBe(true);
  });

  test('Ctrl-C finishes the step and leaves frames and summary; exit code 130', async () => {
    const { out, args } = endless();
    const { code, stdout } = await command([...args, '--json'], async (child) => {
      await underWay(out);
      child.kill('SIGINT');
    });
    expect(code).toBe(130);
    const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
    expect(JSON.parse(stdout)).toEqual(summary);
    expect(summary.steps).toBeGreaterThan(0);
    const checkpoint = join(out, `checkpoint-${String(summary.steps).padStart(6, '0')}.h5`);
    expect(summary.warnings.slice(-2)).toEqual([
      `Interrupted after ${summary.steps} of 10000000 steps.`,
      `The last checkpoint is ${checkpoint}.`,
    ]);
    expect(existsSync(checkpoint)).toBe(true);
    expect(readdirSync(join(out, 'frames'))).toEqual([`grains-${String(summary.steps).padStart(6, '0')}.vtp`]);
    const rows = readFileSync(join(out, 'series.csv'), 'utf8').trimEnd().split('\n');
    expect(rows.at(-1)?.split(',')[0]).toBe(String(summary.steps));
  });

  test('a terminal that is closed ends a run as Ctrl-C does', async () => {
    const { out, args } = endless();
    const { code } = await command(args, async (child) => {
      await underWay(out);
      child.kill('SIGHUP');
    });
    expect(code).toBe(130);
    expect(readdirSync(out).filter((name) => !name.startsWith('checkpoint-'))).toEqual([
      'frames',
      'grains.pvd',
      'scene.json',
      'series.csv',
      'summary.json',
    ]);
  });

  test('a folder that is removed during the run ends it: exit code 1, the folder is named and stays away', async () => {
    const { out, args } = endless();
    const { code, stderr } = await command(args, async () => {
      await underWay(out);
      rmSync(out, { recursive: true });
    });
    expect(stderr).toContain(
      `${out} is gone; there is no checkpoint.\nCannot write ${out}: it, or its run.lock, was removed while the run wrote into it\n`,
    );
    expect(stderr.match(/Cannot write/g)).toHaveLength(1);
    expect(code).toBe(1);
    expect(existsSync(out)).toBe(false);
  });

  test('results that cannot be written: exit code 1, the path and the cause', async () => {
    const folder = newFolder();
    const { code, stderr, stdout } = await command([
      'run',
      sceneFile(folder, FALL),
      '--out',
      '/proc/nowhere/out',
      '--backend',
      'cpu',
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Cannot write \/proc\/nowhere\/out: /);
    expect(stdout).toBe('');
  });

  test('A backend that is not available: exit code 3, nothing written', async () => {
    const folder = newFolder();
    const out = join(folder, 'out');
    const scene = { ...FALL, solver: { sweep: 'random' } };
    const { code, stderr } = await command(['run', sceneFile(folder, scene), '--out', out, '--backend', 'webgpu']);
    expect(stderr).toMatch(/random.* on the CPU only/);
    expect(code).toBe(3);
    expect(existsSync(out)).toBe(false);
  });

  // What it does to the grains in a step is still within what a scene may ask for.
  const far =
    /Step 13: grain \d+ runs away\. It would move \d\.\d+e\+\d of its diameters.* Use a shorter timeStep, or see .*gravity/;
  const through = /Step 13: grain \d+ passes into the wall "floor" by more than its radius.* Use a shorter timeStep .*gravity/;
  test.each([
    ['cpu', 'runs away', -1e12, far],
    ['webgpu', 'runs away', -1e12, far],
    ['cpu', 'sinks into the floor', -1e8, through],
    ['webgpu', 'sinks into the floor', -1e8, through],
  ] as const)(
    'on %s a grain that %s ends the run, with the step, the grain, the mend and the last checkpoint named',
    async (backend, _, gravity, fault) => {
      const folder = newFolder();
      const out = join(folder, 'out');
      const scene = { ...FALL, events: [{ when: { step: 12 }, setGravity: [0, 0, gravity] }], output: {} };
      const args = ['run', sceneFile(folder, scene), '--out', out, '--backend', backend, '--checkpoint-every', '5', '--quiet'];
      const { code, stderr } = await command(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(fault);
      const checkpoint = join(out, 'checkpoint-000010.h5');
      expect(stderr).toContain(
        `The run failed after 12 steps; what was done is in ${out}; the last checkpoint is ${checkpoint}.`,
      );
      const { steps, warnings } = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
      expect(steps).toBe(12);
      expect(warnings.slice(-2)).toEqual([expect.stringMatching(fault), `The last checkpoint is ${checkpoint}.`]);
      expect(existsSync(checkpoint)).toBe(true);
      expect(readdirSync(join(out, 'frames'))).toEqual(['grains-000012.vtp']);
    },
  );

  test('WebGPU by name runs, on a software adapter if need be', async () => {
    const folder = newFolder();
    const out = join(folder, 'out');
    const scene = { ...FALL, solver: { convergence: { criterion: 'fixed', iterations: 10 } } };
    const args = ['run', sceneFile(folder, scene), '--out', out, '--backend', 'webgpu', '--json', '--quiet'];
    const { code, stdout, stderr } = await command(args);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const summary = JSON.parse(stdout);
    expect(summary).toMatchObject({ backend: 'webgpu', steps: 20 });
    expect(summary.adapter).not.toBeNull();
    expect(summary.gpuMemoryBytes).toBeGreaterThan(0);
  });
});

test('where the disk takes no more of the series, its last line is a whole one', async () => {
  const folder = newFolder();
  const out = join(folder, 'out');
  const scene = sceneFile(folder, { ...FALL, steps: 200, output: { frames: 'none' } });
  // Files of 8 KiB at most, as a full disk has it.
  const { code, stderr } = await shellCommand(['run', scene, '--out', out, '--quiet', '--backend', 'cpu'], '', 'ulimit -f 8');
  expect(stderr).toMatch(/Cannot write .*series\.csv: the file would be larger/);
  expect(code).toBe(1);
  const series = readFileSync(join(out, 'series.csv'), 'utf8');
  const rows = series.trimEnd().split('\n');
  expect(series.endsWith('\n')).toBe(true);
  const columns = rows[0].split(',').length;
  expect(rows.map((row) => row.split(',').length)).toEqual(rows.map(() => columns));
  expect(series.length).toBeGreaterThan(8192 - 300);
  expect(rows.at(-1)).toMatch(new RegExp(`^${rows.length - 1},`));
});
