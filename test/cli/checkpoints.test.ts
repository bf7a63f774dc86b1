import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type RunOptions, runCommand } from '../../src/cli/commands/run';
import { readCheckpoint } from '../../src/node';
import { newFolder } from '../support/folder';
import { command, FALL, sceneFile, shellCommand } from './support';

const CPU = ['--backend', 'cpu', '--quiet'];
const checkpoints = (out: string) =>
  readdirSync(out)
    .filter((name) => /\.h5$/.test(name))
    .sort();
const rows = (out: string) => readFileSync(join(out, 'series.csv'), 'utf8').trimEnd().split('\n');

test('The last two of the regular checkpoints and those of events are kept; a run goes on from one to the same figures', async () => {
  const folder = newFolder();
  const [whole, rest] = [join(folder, 'whole'), join(folder, 'rest')];
  const ball = (name: string, z: number) => ({
    name,
    material: 'glass',
    sphere: { centre: [1.1, 1.1, z], radius: 0.5, side: 'outside' },
  });
  const events = [
    { when: { step: 3 }, setMotion: { gate: { velocity: [0, 0, 1] }, ball: { velocity: [0, 0, 2] } } },
    { when: { step: 7 }, checkpoint: true },
    { when: { step: 9 }, removeWalls: ['gate'], setMotion: { ball: { velocity: [1, 0, 0] } } },
    { when: { step: 18 }, setMotion: { ball: { velocity: [0, 1, 0] } } },
  ];
  const scene = sceneFile(folder, { ...FALL, walls: [...FALL.walls, ball('gate', 20), ball('ball', 10)], events });
  expect((await command(['run', scene, '--out', whole, '--checkpoint-every', '4', ...CPU])).code).toBe(0);
  expect(checkpoints(whole)).toEqual(['checkpoint-000007.h5', 'checkpoint-000016.h5', 'checkpoint-000020.h5']);
  const from = join(whole, 'checkpoint-000016.h5');
  const again = await command(['run', scene, '--out', rest, '--resume', from, ...CPU, '--json']);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(again.stdout)).toMatchObject({ steps: 20, fromStep: 16, time: 0.2, events: [{ step: 18 }] });
  // The axis of a wall's figures and the columns of one that is gone stay as they were.
  expect(rows(rest)).toEqual([rows(whole)[0], ...rows(whole).slice(17)]);
  expect(rows(whole)[0]).toMatch(/,gate\.position,gate\.velocity,gate\.force,ball\.position,/);
  const frame = 'frames/contacts-000020.vtp';
  expect(readFileSync(join(rest, frame))).toEqual(readFileSync(join(whole, frame)));

  const gpu = ['--backend', 'webgpu', '--quiet', '--json', '--steps', '17'];
  const other = await command(['run', scene, '--out', join(folder, 'gpu'), '--resume', from, ...gpu]);
  const change = 'The checkpoint was made on cpu and goes on on webgpu: not with the same bits.';
  expect(JSON.parse(other.stdout).warnings).toContain(change);

  const done = await command([
    'run',
    scene,
    '--out',
    join(folder, 'more'),
    '--resume',
    join(whole, 'checkpoint-000020.h5'),
    ...CPU,
  ]);
  expect(done).toMatchObject({ code: 2, stderr: expect.stringMatching(/ends at step 20: give a larger --steps/) });
  const foreign = await command(['run', scene, '--out', join(folder, 'more'), '--resume', scene, ...CPU]);
  expect(foreign).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/fall\.json is no checkpoint: it is not an HDF5 file/),
  });
  expect(existsSync(join(folder, 'more'))).toBe(false);
  const never = await command(['run', scene, '--out', join(folder, 'more'), '--checkpoint-every', '0', ...CPU]);
  expect(never).toMatchObject({ code: 2, stderr: expect.stringMatching(/--checkpoint-every: expected a whole number/) });
});

test('A run goes on in its own folder: its pieces are one, and nothing of it is lost', async () => {
  const folder = newFolder();
  const scene = sceneFile(folder, FALL);
  const [whole, out] = [join(folder, 'whole'), join(folder, 'out')];
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const run = (options: Partial<RunOptions>, path = scene) =>
    runCommand(path, { out, backend: 'cpu', quiet: true, ...options }).finally(() => write.mockClear());
  const at = (name: string) => readFileSync(join(out, name), 'utf8');
  await run({ out: whole });
  await run({ steps: '13', checkpointEvery: '4' });
  const [cut, summary] = [at('series.csv'), at('summary.json')];

  const from = join(out, 'checkpoint-000008.h5');
  const later =
    /has results of steps after 8, the step of the checkpoint \(series\.csv and \d+ more\)\. Go on from .*checkpoint-000012\.h5, /;
  await expect(run({ resume: from })).rejects.toThrow(later);
  expect(at('series.csv')).toBe(cut);
  await run({ resume: from, force: true, steps: '20', checkpointEvery: '6' }, join(out, 'scene.json'));
  expect(rows(out)).toEqual(rows(whole));
  for (const list of ['grains.pvd', 'contacts.pvd']) expect(at(list)).toBe(readFileSync(join(whole, list), 'utf8'));
  expect(readdirSync(join(out, 'frames'))).toEqual(readdirSync(join(whole, 'frames')));
  expect(checkpoints(out)).toEqual(['checkpoint-000008.h5', 'checkpoint-000012.h5', 'checkpoint-000018.h5']);
  expect(at('summary-000008.json')).toBe(summary);
  expect(JSON.parse(at('scene-000008.json'))).toMatchObject({ steps: 13 });
  expect(JSON.parse(at('summary.json'))).toMatchObject({ fromStep: 8, steps: 20, warnings: [] });

  // As a kill in the middle of writing leaves it: half a row, half a frame, a row that did not reach the disk.
  writeFileSync(join(out, 'series.csv'), `${rows(out).slice(0, 18).join('\n')}\n18,0.1`);
  for (const name of readdirSync(join(out, 'frames')).filter((name) => name.includes('20'))) rmSync(join(out, 'frames', name));
  writeFileSync(join(out, 'frames', 'grains-000020.vtp.0123abcd.tmp'), 'half');
  await run({ resume: join(out, 'checkpoint-000018.h5') });
  expect(rows(out)).toEqual(rows(whole).filter((_, row) => row !== 18));
  expect(readdirSync(join(out, 'frames'))).toEqual(readdirSync(join(whole, 'frames')));
  const { warnings } = JSON.parse(at('summary.json'));
  expect(warnings).toEqual(['series.csv lacks the rows of steps 18 to 18: they were not there.']);

  writeFileSync(join(out, 'series.csv'), 'step,other\n1,2\n');
  const foreign = run({ resume: join(out, 'checkpoint-000018.h5'), force: true });
  await expect(foreign).rejects.toThrow(/series\.csv has other columns than this run: /);
  write.mockRestore();
});

test('kill -9 at any moment leaves the last checkpoint whole, and Ctrl-C leaves one', async () => {
  const folder = newFolder();
  const scene = sceneFile(folder, { ...FALL, steps: 1e6, output: { frames: 'none' } });
  const out = (k: number) => join(folder, `out${k}`);
  const stopped = (k: number, signal: NodeJS.Signals, after: number) =>
    command(['run', scene, '--out', out(k), '--checkpoint-every', '1', ...CPU], async (child) => {
      await vi.waitFor(() => expect(checkpoints(out(k)).length).toBeGreaterThan(0), { timeout: 60_000, interval: 5 });
      await new Promise((resolve) => setTimeout(resolve, after));
      child.kill(signal);
    });
  const kept = async (k: number) => {
    const last = checkpoints(out(k)).at(-1)!;
    const { step } = await readCheckpoint(join(out(k), last));
    expect(last).toBe(`checkpoint-${String(step).padStart(6, '0')}.h5`);
    return step;
  };
  for (const k of [0, 1]) {
    expect((await stopped(k, 'SIGKILL', 100 * Math.random())).code).toBe(null);
    await kept(k);
  }
  expect((await stopped(2, 'SIGINT', 30)).code).toBe(130);
  const { steps, warnings } = JSON.parse(readFileSync(join(out(2), 'summary.json'), 'utf8'));
  expect(await kept(2)).toBe(steps);
  expect(warnings.at(-1)).toMatch(/^The last checkpoint is .*checkpoint-\d+\.h5\.$/);
});

test('Ctrl-C while grains are poured in and events are still to come: what was done is whole, and goes on to the same bits', async () => {
  const folder = newFolder();
  const [cut, rest, whole] = ['cut', 'rest', 'whole'].map((name) => join(folder, name));
  const bin = { name: 'bin', material: 'glass', box: { min: [0, 0, 0], max: [6, 6, 30], open: ['+z'] } };
  const region = { box: { min: [0.5, 0.5, 20], max: [5.5, 5.5, 29] } };
  const scene = sceneFile(folder, {
    ...{ ...FALL, steps: 1e6, output: { frames: 'vtp' }, grains: [], walls: [bin] },
    events: [
      { when: { step: 2 }, pour: { material: 'glass', count: 5000, radius: 0.5, rate: 100, region } },
      { when: { step: 25 }, removeWalls: ['bin.+x'] },
      { when: { rest: 1e-9 }, stop: true },
    ],
  });
  const { code, stderr } = await command(['run', scene, '--out', cut, '--backend', 'cpu'], async (child) => {
    await vi.waitFor(() => expect(rows(cut).length).toBeGreaterThan(30), { timeout: 60_000, interval: 5 });
    child.kill('SIGINT');
  });
  expect(code).toBe(130);
  expect(stderr).toMatch(/event: step 25, .*removeWalls bin\.\+x/);
  const { steps, grains, events, warnings } = JSON.parse(readFileSync(join(cut, 'summary.json'), 'utf8'));
  expect(rows(cut)).toHaveLength(steps + 1);
  expect(events.map(({ step }: { step: number }) => step)).toEqual([2, 25]);
  expect(grains).toBeGreaterThan(10);
  expect(warnings.at(-2)).toBe(`Interrupted after ${steps} of 1000000 steps.`);
  const name = `checkpoint-${String(steps).padStart(6, '0')}.h5`;
  expect(checkpoints(cut)).toEqual([name]);

  const more = ['--steps', String(steps + 30), ...CPU];
  expect((await command(['run', scene, '--out', rest, '--resume', join(cut, name), ...more])).code).toBe(0);
  expect((await command(['run', scene, '--out', whole, ...more])).code).toBe(0);
  const last = `frames/grains-${String(steps + 30).padStart(6, '0')}.vtp`;
  expect(readFileSync(join(rest, last))).toEqual(readFileSync(join(whole, last)));
  expect(rows(rest).slice(1)).toEqual(rows(whole).slice(steps + 1));
});

test('A disk that takes no checkpoint ends the run, says so and leaves no half file', async () => {
  const folder = newFolder();
  const out = join(folder, 'out');
  const scene = sceneFile(folder, { ...FALL, output: { frames: 'none' } });
  // Files of 8 blocks of 1024 bytes at most, as a full disk has it.
  const { code, stderr } = await shellCommand(
    ['run', scene, '--out', out, '--checkpoint-every', '20', ...CPU],
    '',
    'ulimit -f 8',
  );
  expect(stderr).toMatch(/Cannot write .*checkpoint-000020\.h5: the file would be larger than this system allows \(EFBIG\)\n$/);
  expect(code).toBe(1);
  expect(readdirSync(out).filter((name) => /\.h5/.test(name))).toEqual([]);
});
