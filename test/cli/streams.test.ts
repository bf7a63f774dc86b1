import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../support/folder';
import { FALL, sceneFile, shellCommand } from './support';

function run(line: string, ...more: string[]) {
  const folder = newFolder();
  const out = join(folder, 'out');
  const args = ['run', sceneFile(folder, FALL), '--out', out, '--backend', 'cpu', ...more];
  return { finished: shellCommand(args, line), summary: () => JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')) };
}

test('progress that finds a full disk or no reader does not end a run', async () => {
  for (const line of ['2>/dev/full', '2> >(exec 0<&-; sleep 0.1)']) {
    const { finished, summary } = run(line, '--json');
    const { code, stdout } = await finished;
    expect(code).toBe(0);
    expect(summary()).toMatchObject({ steps: 20 });
    expect(JSON.parse(stdout)).toEqual(summary());
  }
});

test('a summary that cannot be printed: exit code 1 and the cause, the results are there', async () => {
  const { finished, summary } = run('>/dev/full', '--quiet');
  const { code, stderr } = await finished;
  expect(stderr).toMatch(/^Cannot write standard output: no space left/);
  expect(code).toBe(1);
  expect(summary()).toMatchObject({ steps: 20 });
});

test('a reader that has seen enough is no error', async () => {
  const { finished } = run('| head -c 1; exit $PIPESTATUS', '--quiet');
  expect(await finished).toMatchObject({ code: 0, stdout: 'F', stderr: '' });
});

test('a slow reader gets all that a pipe does not hold at once; one that leaves in its middle is waited for no longer', async () => {
  // More than a pipe's 64 KiB, told again by the message.
  const long = 'x'.repeat(120_000);
  const args = ['analyse', newFolder(), `--box=${long}`];
  const slow = await shellCommand(args, '2>&1 | (sleep 1; cat); exit $PIPESTATUS');
  expect(slow.stdout.endsWith(`${long}".\n`)).toBe(true);
  expect(slow.code).toBe(2);
  expect(await shellCommand(args, '2>&1 | head -c 1; exit $PIPESTATUS')).toMatchObject({ code: 2, stdout: '-' });
});
