import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OutputFolder } from '../../src/cli/outputFolder';
import { newFolder } from '../support/folder';
import { asOrdinaryUser } from '../support/user';
import { command, FALL, sceneFile } from './support';

const GRAINS = 'x,y,z,radius\n0,0,1,0.5\n';

/** A folder with results and an input, which `place` puts there. */
function withInput(place: (folder: string, out: string) => string): { out: string; input: string } {
  const folder = newFolder();
  const out = join(folder, 'out');
  mkdirSync(join(out, 'frames'), { recursive: true });
  return { out, input: place(folder, out) };
}

function written(path: string): string {
  writeFileSync(path, GRAINS);
  return path;
}

function linked(target: string, path: string): string {
  symlinkSync(target, path);
  return path;
}

describe('a run with --force spares what it reads', () => {
  const results = ['summary.json', 'series.csv', 'scene.json', 'grains.pvd', 'contacts.pvd', 'frames/grains-000010.vtp'];
  test.each(results)('%s, by its name, through a link and as a link', async (name) => {
    const cases = [
      withInput((_, out) => written(join(out, name))),
      withInput((folder, out) => linked(written(join(out, name)), join(folder, 'mine.csv'))),
      withInput((folder, out) => linked(written(join(folder, 'mine.csv')), join(out, name))),
      withInput((folder, out) => linked(out, join(folder, 'other')) + written(join(out, name)).slice(out.length)),
    ];
    for (const { out, input } of cases) {
      const check = new OutputFolder(out).check(true, ['scene.json', input]);
      await expect(check).rejects.toThrow(`The run reads ${input} and would replace or remove it as ${join(out, name)}`);
    }
  });

  test('and takes an input that no result replaces', async () => {
    const { out, input } = withInput((_, out) => written(join(out, 'mine.csv')));
    written(join(out, 'series.csv'));
    await new OutputFolder(out).check(true, [input]);
  });

  test('the command line too: exit code 2, the file as it was', async () => {
    const folder = newFolder();
    const out = join(folder, 'out');
    mkdirSync(out);
    const input = written(join(out, 'series.csv'));
    const scene = sceneFile(folder, { ...FALL, grains: [{ material: 'glass', file: 'out/series.csv' }] });
    const { code, stderr } = await command(['run', scene, '--out', out, '--force', '--backend', 'cpu']);
    expect(stderr).toContain(`The run reads ${input} and would replace or remove it`);
    expect(code).toBe(2);
    expect(readFileSync(input, 'utf8')).toBe(GRAINS);
    expect(readdirSync(out)).toEqual(['series.csv']);
  });
});

describe('a path that can be no folder is wrong usage', () => {
  const folder = newFolder();
  written(join(folder, 'file'));
  symlinkSync('nowhere', join(folder, 'dangling'));
  symlinkSync('loop', join(folder, 'loop'));
  test.each([
    ['nothing', '', /--out is empty/],
    ['a long name', join(folder, 'x'.repeat(300)), /longer name than this system allows/],
    ['a long name in a new folder', join(folder, 'new', 'x'.repeat(300)), /longer name than this system allows/],
    ['a path too long for what goes in', folder + '/new'.repeat(1018), /longer name than this system allows/],
    ['a link that leads nowhere', join(folder, 'dangling'), /dangling is a link that leads nowhere/],
    ['a folder in such a link', join(folder, 'dangling', 'out'), /dangling is a link that leads nowhere/],
    ['a link to itself', join(folder, 'loop'), /leads back to itself/],
    ['a file', join(folder, 'file'), /file is not a folder, or lies in something that is not\. Choose another/],
    ['a folder in a file', join(folder, 'file', 'out'), /out is not a folder, or lies in something that is not\. Choose another/],
  ])('%s', async (_, path, message) => {
    const check = new OutputFolder(path).check(false, []);
    await expect(check).rejects.toMatchObject({ name: 'UsageError', message: expect.stringMatching(message) });
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });
});

describe('a folder that a run writes into', () => {
  test('is refused to another until that gives it back', async () => {
    const out = newFolder();
    const first = new OutputFolder(out);
    await first.prepare();
    writeFileSync(join(out, 'series.csv'), 'of the first');
    await expect(new OutputFolder(out).prepare()).rejects.toThrow(`A run (process ${process.pid}) is writing into ${out}`);
    expect(readFileSync(join(out, 'series.csv'), 'utf8')).toBe('of the first');
    await first.release();
    await new OutputFolder(out).prepare();
    expect(readdirSync(out)).toEqual(['run.lock']);
  });

  test.each([
    ['that was killed', 4194303999],
    ['that was killed in a container, as the process whose id this one has', process.pid],
  ])('is free where it is of one %s', async (_, id) => {
    const out = newFolder();
    writeFileSync(join(out, 'run.lock'), lockOf(id));
    await new OutputFolder(out).check(false, []);
    const folder = new OutputFolder(out);
    await folder.prepare();
    expect(readdirSync(out)).toEqual(['run.lock']);
    await folder.release();
    expect(readdirSync(out)).toEqual([]);
  });

  test.each([
    [
      'another host, whose processes cannot be seen here',
      lockOf(4194303999, 'far'),
      /A run on the host far \(process 4194303999\)/,
    ],
    ['one that has not written it yet', '', /A run is writing/],
  ])('is refused where the lock is of %s', async (_, lock, message) => {
    const out = newFolder();
    writeFileSync(join(out, 'run.lock'), lock);
    await expect(new OutputFolder(out).prepare()).rejects.toThrow(message);
    await expect(new OutputFolder(out).prepare()).rejects.toThrow(`remove ${join(out, 'run.lock')}`);
    expect(readFileSync(join(out, 'run.lock'), 'utf8')).toBe(lock);
  });

  test('goes to one alone of those that find a killed run in it', async () => {
    const root = newFolder();
    const module = JSON.stringify(resolve(import.meta.dirname, '../../src/cli/folderLock.ts'));
    const code = `import { lockFolder } from ${module};
      process.on('message', (folder) => lockFolder(folder).then(() => process.send('got'), (error) => process.send(error.name)));`;
    const flags = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', code];
    const runs = [1, 2, 3].map(() => spawn(process.execPath, flags, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
    try {
      for (let k = 0; k < 100; k++) {
        const out = join(root, String(k));
        mkdirSync(out);
        writeFileSync(join(out, 'run.lock'), lockOf(4194303999));
        for (const run of runs) run.send(out);
        const answers = await Promise.all(runs.map(async (run) => (await once(run, 'message'))[0]));
        expect(answers.sort()).toEqual(['UsageError', 'UsageError', 'got']);
        expect(readdirSync(out)).toEqual(['run.lock']);
      }
    } finally {
      for (const run of runs) run.kill();
    }
  }, 60_000);
});

/** What a process leaves in a folder. */
function lockOf(id: number, host = hostname()): string {
  return `${id} 00000000-0000-4000-8000-000000000000 ${host}\n`;
}

describe('an ordinary user, whom the system denies', () => {
  const results = ['series.csv', 'summary.json', 'frames/grains-000001.vtp'];
  /** A folder of results in which one part may not be changed by anybody but root. */
  function denied(part: string): string {
    const out = join(newFolder(), 'out');
    mkdirSync(join(out, 'frames'), { recursive: true });
    for (const name of results) written(join(out, name));
    for (const folder of [dirname(out), out, join(out, 'frames')]) chmodSync(folder, 0o777);
    chmodSync(join(out, part), 0o555);
    return out;
  }

  test.each(['frames', '.'])('the replacing of "%s", loses no result of a former run', async (part) => {
    const out = denied(part);
    const folder = new OutputFolder(out);
    await folder.check(true, []);
    await expect(asOrdinaryUser(() => folder.prepare())).rejects.toThrow(
      part === '.'
        ? `Cannot write ${out}: permission denied (EACCES)`
        : `Cannot write ${join(out, part)}: permission denied (EACCES)`,
    );
    await asOrdinaryUser(() => folder.release());
    for (const name of results) expect(readFileSync(join(out, name), 'utf8')).toBe(GRAINS);
    chmodSync(join(out, part), 0o755);
  });

  test('rows behind those of series.csv, loses none of the later results that were to go', async () => {
    const out = denied('series.csv');
    const earlier = { step: 0, series: { bytes: 0 }, frames: [], later: [join('frames', 'grains-000001.vtp')], halves: [] };
    const folder = new OutputFolder(out);
    await expect(asOrdinaryUser(() => folder.prepare(earlier))).rejects.toThrow(
      `Cannot write ${join(out, 'series.csv')}: permission denied (EACCES)`,
    );
    await asOrdinaryUser(() => folder.release());
    for (const name of results) expect(readFileSync(join(out, name), 'utf8')).toBe(GRAINS);
  });
});
