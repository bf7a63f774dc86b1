import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { version } from '../../package.json';
import { newFolder } from '../support/folder';
import { command, FALL, sceneFile, shellCommand } from './support';

/** Runs the scene and expects exit code 2 and no folder; gives standard error. */
async function refused(scene: unknown, ...more: string[]): Promise<string> {
  const folder = newFolder();
  const out = join(folder, 'out');
  const { code, stdout, stderr } = await command(['run', sceneFile(folder, scene), '--out', out, ...more]);
  expect(stderr).not.toMatch(/\n {4}at /);
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(existsSync(out)).toBe(false);
  return stderr;
}

test('A missing scene, a truncated one', async () => {
  const { code, stderr } = await command(['run', 'no-such-scene.json', '--out', join(newFolder(), 'out')]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/no-such-scene\.json: cannot read the scene: there is no such file/);
  expect(await refused(JSON.stringify(FALL).slice(0, 200))).toMatch(/fall\.json/);
});

test('Every fault of a scene is listed with its path', async () => {
  const grains = [{ ...FALL.grains[0], material: 'gold' }];
  const stderr = await refused({ ...FALL, timeStep: -1, steps: 1.5, colour: 'red', grains });
  expect(stderr).toMatch(/4 faults/);
  for (const path of ['timeStep', 'steps', 'colour', 'grains[0].material']) expect(stderr).toContain(`  ${path}: `);
  const list = Array.from({ length: 12 }, (_, k) => ({ position: [k, 0, 0], radius: -1 }));
  const many = await refused({ ...FALL, grains: [{ material: 'glass', list }] });
  expect(many).toMatch(
    /many faults:\n( {2}grains\[0\]\.list\[\d\]\.radius: .*\n){10} {2}and 2 more: like grains\[0\]\.list\[0\]\.radius\n$/,
  );
});

test('Faults that --set and --steps bring in', async () => {
  expect(await refused(FALL, '--steps', '0')).toContain('  steps: ');
  expect(await refused(FALL, '--steps', 'ten')).toContain('  steps: ');
  expect(await refused(FALL, '--set', 'solver.momentum=2', '--set', 'nonsense')).toContain('nonsense');
});

test('Wrong usage: exit code 2 and a hint', async () => {
  const cases: [string[], RegExp][] = [
    [['run', 'scene.json'], /required option '--out/],
    [['run', 'scene.json', '--out', 'out', '--colour'], /unknown option '--colour'/],
    [['run', 'scene.json', '--out', 'out', '--backend', 'metal'], /Allowed choices are auto, webgpu, cpu/],
    [['walk'], /unknown command 'walk'/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await command(args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  }
});

test('bench measures, and leaves its files; wrong options and Chrome are refused first', async () => {
  const out = join(newFolder(), 'bench');
  const { code, stdout } = await command([
    'bench',
    '--sizes',
    '60',
    '--backend',
    'cpu',
    '--minutes',
    '1',
    '--out',
    out,
    '--json',
    '--quiet',
  ]);
  expect(code).toBe(0);
  expect(readdirSync(out).sort()).toEqual(['bench.csv', 'bench.html', 'bench.json', 'bench.md']);
  const { cases, failures } = JSON.parse(stdout);
  expect(failures).toEqual([]);
  expect(cases.map(({ scene, backend }: Record<string, string>) => `${scene} ${backend}`)).toContain('drum cpu');
  expect(cases[0].contacts).toBeGreaterThan(0);
  for (const [args, message] of [
    [['--sizes', 'many'], /--sizes: expected a whole number/],
    [['--chrome'], /npm run bench:chrome/],
    [['--out', out], /has results already.*--force/],
  ] as const) {
    const refused = await command(['bench', '--out', join(out, 'none'), ...args]);
    expect(refused.stderr).toMatch(message);
    expect(refused.code).toBe(2);
  }
  const full = ['bench', '--out', join(out, 'full'), '--sizes', '100', '--backend', 'cpu', '--minutes', '1', '--quiet'];
  const cut = await shellCommand(full, '', 'trap "" XFSZ; ulimit -f 1');
  expect(cut.stderr).toMatch(/^Cannot write .*bench\.json: the file would be larger/);
  expect(cut.stdout).toContain('| pouring |');
  expect(cut.code).toBe(1);
  const blocked = await command(['bench', '--out', join(out, 'bench.csv')]);
  expect(blocked.stderr).toMatch(/Cannot write .*bench\.csv/);
  expect(blocked.code).toBe(1);
  expect(existsSync(join(out, 'none'))).toBe(false);
});

test('Help and version', async () => {
  const help = await command(['run', '--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/--backend.*Examples:/s);
  expect(await command(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
});

test('validate tells what would run, and lists faults', async () => {
  const folder = newFolder();
  const path = sceneFile(folder, FALL);
  const text = await command(['validate', path]);
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toMatch(/grains +27\n.*radii +0\.5 to 0\.5.*walls +1: floor\n.*memory +about .* of main memory/s);
  const json = JSON.parse((await command(['validate', path, '--json', '--set', 'contacts=[]'])).stdout);
  expect(json).toMatchObject({ grains: 27, radius: { min: 0.5, mean: 0.5, max: 0.5 }, walls: ['floor'], steps: 20 });
  expect(json.mass).toBeCloseTo((27 * 2500 * Math.PI) / 6, 6);
  expect(json.warnings).toHaveLength(1);
  writeFileSync(path, '{}');
  expect((await command(['validate', path])).code).toBe(2);
});

test('The example that npm start runs is a right scene of at least 1,000 grains, without warnings', async () => {
  const { code, stdout } = await command(['validate', resolve(import.meta.dirname, '../../bench/scenes/pour.json'), '--json']);
  expect(code).toBe(0);
  const preview = JSON.parse(stdout);
  expect(preview.grains).toBeGreaterThanOrEqual(1000);
  expect(preview.warnings).toEqual([]);
});

test('info never fails', async () => {
  const { code, stdout } = await command(['info', '--json']);
  expect(code).toBe(0);
  const info = JSON.parse(stdout);
  expect(info).toMatchObject({ version, node: process.versions.node });
  expect(['cpu', 'webgpu']).toContain(info.auto);
  expect(info.adapters[0].limits.maxStorageBufferBindingSize).toBeGreaterThanOrEqual(2 ** 27);
});

test('what a scene says cannot steer the terminal or stand for lines of the program', async () => {
  const folder = newFolder();
  const [clear, turned] = ['\u001b[2J\u009b1A', '\u202egnp'];
  const name = `${clear}\nresults  gone\r${turned}`;
  const { walls, ...rest } = FALL;
  const scene = { ...rest, title: `mine${name}`, steps: 2, walls: [{ ...walls[0], name: `floor${name}` }], contacts: [] };
  const path = sceneFile(folder, scene);
  const wrong = { ...scene, [`x${name}`]: 1, grains: [{ material: `y${name}`, file: `z${name}.csv` }] };
  const results = [
    await command(['validate', path]),
    await command(['run', path, '--out', join(folder, 'out'), '--backend', 'cpu']),
    await command(['validate', sceneFile(folder, wrong)]),
  ];
  expect(results.map(({ code }) => code)).toEqual([0, 0, 2]);
  for (const { stdout, stderr } of results) {
    expect(`${stdout}${stderr}`).not.toMatch(/[\p{Bidi_Control}]|(?!\n)\p{Cc}/u);
    expect(`${stdout}${stderr}`).toContain('\\u001b[2J\\u009b1A\\u000aresults  gone\\u000d\\u202egnp');
    expect(`${stdout}${stderr}`).not.toMatch(/^results {2}gone/m);
  }
});
