import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstOfAlike } from '../../src/cli/firstOfAlike';
import { newFolder } from '../support/folder';
import { command, FALL, sceneFile } from './support';

test('of texts in a row that are alike but for numbers the first ten are told, and the others counted', () => {
  const alike = Array.from({ length: 13 }, (_, k) => `wall ${k} is ${-0.5 * k} too far`);
  expect(firstOfAlike(['one', ...alike, 'other', 'one'])).toEqual([
    ...['one', ...alike.slice(0, 10), 'and 3 more: like the last'],
    ...['other', 'one'],
  ]);
  expect(firstOfAlike([])).toEqual([]);
});

test('events and warnings by the hundred are counted in validate, on standard error and in the summary', async () => {
  const folder = newFolder();
  const tilt = (k: number) => ({ when: { step: 3 + k }, setGravity: [Math.sin(k / 100), 0, -Math.cos(k / 100)] });
  const path = sceneFile(folder, { ...FALL, steps: 2, events: Array.from({ length: 100 }, (_, k) => tilt(k)) });
  const late = Array.from({ length: 10 }, (_, k) => `events[${k}] comes at step ${3 + k}, after the last (2): it never happens`);

  const { stdout } = await command(['validate', path]);
  expect(stdout.match(/^ +event +after step \d+: setGravity -?0(\.0\d{1,4})? 0 -(0\.99\d\d?|1)$/gm)).toHaveLength(10);
  expect(stdout).toMatch(/^ +event +and 90 more: like the last$/m);
  expect(stdout.match(/^ +warning .*never happens$/gm)).toHaveLength(10);
  const validated = JSON.parse((await command(['validate', path, '--json'])).stdout);
  expect(validated.events).toHaveLength(100);

  const out = join(folder, 'out');
  const { stderr } = await command(['run', path, '--out', out, '--backend', 'cpu']);
  expect(stderr.match(/^warning: .*never happens$/gm)).toEqual(late.map((text) => `warning: ${text}`));
  expect(stderr).toMatch(/^warning: and 90 more: like the last$/m);
  const { warnings } = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
  expect(warnings.slice(0, 11)).toEqual([...late, 'and 90 more: like the last']);
  expect(warnings.length).toBeLessThan(15);
});
