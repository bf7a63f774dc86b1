import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { analyseCommand } from '../../src/cli/commands/analyse';
import { convertCommand } from '../../src/cli/commands/convert';
import { runCommand } from '../../src/cli/commands/run';
import { validateCommand } from '../../src/cli/commands/validate';
import { ReadProgress } from '../../src/cli/readProgress';
import { newFolder } from '../support/folder';
import { FALL } from './support';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const MEBIBYTE = 2 ** 20;

/** What is written while a file of 8 MiB is read, 1 MiB in each of so many seconds. */
function linesOf(seconds: number, isTTY: boolean, quiet = false): string[] {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: string[] = [];
  const progress = new ReadProgress({ isTTY, write: (text) => lines.push(text) }, quiet);
  for (let k = 1; k <= 8; k++) {
    vi.advanceTimersByTime(1000 * seconds);
    progress.update('folder/a.dump', k * MEBIBYTE, 8 * MEBIBYTE);
  }
  progress.end();
  return lines;
}

test('A terminal has a bar of what has been read, elsewhere there is a line now and then', () => {
  expect(linesOf(2, false)).toEqual(['a.dump: 38 % of 8 MiB read\n', 'a.dump: 75 % of 8 MiB read\n']);
  expect(linesOf(0.5, false)).toEqual([]);
  const shown = linesOf(0.5, true);
  expect(shown).toHaveLength(9);
  expect(shown[3]).toBe('\r\x1b[K[############............] a.dump: 50 % of 8 MiB read');
  expect(shown.at(-1)).toBe('\n');
  expect(linesOf(2, true, true)).toEqual([]);
});

test('Every command that reads grains tells how far it is, unless it is to be quiet', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('grains.csv'), 'x,y,z,radius\n0,0,1,0.5\n2,0,1,0.5\n');
  writeFileSync(at('scene.json'), JSON.stringify({ ...FALL, steps: 1, grains: [{ material: 'glass', file: 'grains.csv' }] }));
  let [now, told] = [0, ''];
  // Each look at the clock finds that a minute has gone.
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 60_000;
    return now;
  });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += text;
    return true;
  });
  const commands = (quiet: boolean) => [
    () => validateCommand(at('scene.json'), { quiet }),
    () => analyseCommand(at('grains.csv'), { quiet }),
    () => convertCommand(at('grains.csv'), at('grains.xyz'), { quiet, force: true }),
    () => runCommand(at('scene.json'), { out: at('out'), backend: 'cpu', force: true, quiet }),
  ];
  for (const call of commands(false)) {
    told = '';
    expect(await call()).toBe(0);
    expect(told).toContain('grains.csv: 100 % of 0 MiB read\n');
  }
  told = '';
  for (const call of commands(true)) expect(await call()).toBe(0);
  expect(told).toBe('');
});
