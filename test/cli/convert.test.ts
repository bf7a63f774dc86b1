import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { convertCommand } from '../../src/cli/commands/convert';
import { encodePolyData } from '../../src/io/polyData';
import { encodePvd } from '../../src/io/pvd';
import { readGrains } from '../../src/node/particleFiles';
import { newFolder } from '../support/folder';
import { command, shellCommand } from './support';

const DUMP = (step: number, x: number) =>
  `ITEM: TIMESTEP\n${step}\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp ff ff\n0 4\n0 1\n0 1\nITEM: ATOMS id type x y z radius vx vy vz\n7 2 ${x} 2 3 0.1 1e-300 -0 0.30000000000000004\n`;

test('Frames go from format to format without losing a bit, and files that are there stay', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('a.dump'), DUMP(1, 1 / 3) + DUMP(2, 2 / 3));
  const names = ['a.dump', 'b.pvd', 'c.xyz.gz', 'd.dump.gz', 'e.csv', 'f.vtp', 'g.particles'];
  for (const [k, name] of names.slice(1).entries()) expect(await convertCommand(at(names[k]), at(name), { quiet: true })).toBe(0);
  const [first, last] = [await readGrains(at('a.dump')), await readGrains(at('g.particles'))];
  for (const key of ['positions', 'radii', 'velocities', 'ids', 'types'] as const) expect(last[key]).toEqual(first[key]);
  expect(readFileSync(at('b.pvd'), 'utf8').match(/<DataSet/g)).toHaveLength(2);
  expect(last.step).toBe(0); // A table has no steps: that of the last frame ended there.
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);

  await expect(convertCommand(at('a.dump'), at('e.csv'), {})).rejects.toThrow(/is there already.*--force/);
  writeFileSync(at('k-000001.vtp'), 'mine');
  await expect(convertCommand(at('a.dump'), at('k.pvd'), { quiet: true })).rejects.toThrow(/k-000001\.vtp is there already/);
  expect(readFileSync(at('k-000001.vtp'), 'utf8')).toBe('mine');
  await expect(convertCommand(at('a.dump'), at('e.txt'), {})).rejects.toThrow(/the name must end in/);
  writeFileSync(at('bad.dump'), DUMP(1, 1) + DUMP(2, Number.NaN));
  await expect(convertCommand(at('bad.dump'), at('h.xyz'), { quiet: true })).rejects.toThrow(/bad\.dump line 20: x is "NaN"/);
  await expect(convertCommand(at('missing.dump'), at('h.xyz'), { quiet: true })).rejects.toThrow(/missing\.dump: cannot be read/);
  expect(readdirSync(folder).filter((name) => name.startsWith('h.'))).toEqual([]);
});

test('Steps go with frames, and number the frames of a dump where the source has none', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  const stepsOf = (name: string) =>
    [...readFileSync(at(name), 'utf8').matchAll(/ITEM: TIMESTEP\n(.*)/g)].map(([, step]) => Number(step));
  writeFileSync(at('a.dump'), DUMP(50, 1) + DUMP(100, 2) + DUMP(2 ** 40, 3));
  const names = ['a.dump', 'b.pvd', 'c.xyz', 'd.dump'];
  for (const [k, name] of names.slice(1).entries()) expect(await convertCommand(at(names[k]), at(name), { quiet: true })).toBe(0);
  expect(stepsOf('d.dump')).toEqual([50, 100, 2 ** 40]);
  for (const name of ['b.pvd', 'b-000002.vtp']) expect((await readGrains(at(name))).step).toBe(2 ** 40);

  writeFileSync(at('e.xyz'), '1\nProperties=pos:R:3:radius:R:1\n1 2 3 0.5\n'.repeat(3));
  for (const name of ['e.dump', 'e.vtp']) expect(await convertCommand(at('e.xyz'), at(name), { quiet: true })).toBe(0);
  expect(stepsOf('e.dump')).toEqual([0, 1, 2]);
  const { step, time } = await readGrains(at('e.vtp'));
  expect([step, time]).toEqual([undefined, undefined]);
});

test.each(['dump', 'csv', 'vtp', 'pvd', 'h5'])('a pipe and a device are no file of grains: .%s', async (ending) => {
  const folder = newFolder();
  const [pipe, device, out] = [`pipe.${ending}`, `zero.${ending}`, 'out.xyz'].map((name) => join(folder, name));
  execFileSync('mkfifo', [pipe]);
  symlinkSync('/dev/zero', device);
  for (const path of [pipe, device]) {
    await expect(convertCommand(path, out, { quiet: true })).rejects.toThrow(/it is a pipe or a device; give a file/);
  }
});

test('what the program gets as its input is read as a file where a link names it', async () => {
  const folder = newFolder();
  const [link, out] = [join(folder, 'in.dump'), join(folder, 'out.csv')];
  symlinkSync('/dev/stdin', link);
  const { stdout, code } = await shellCommand(['convert', link, out], `< <(printf '${DUMP(1, 2).replaceAll('\n', '\\n')}')`);
  expect([code, stdout]).toEqual([0, `${out}: 1 grains\n`]);
});

test('A folder that is not there is told', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'a.dump'), DUMP(1, 1));
  await expect(convertCommand(join(folder, 'a.dump'), join(folder, 'none/b.csv'), { quiet: true })).rejects.toThrow(
    /Cannot write .*b\.csv: .*ENOENT/,
  );
});

test('A source that is a folder, or that cannot be read on, is told as its fault', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  mkdirSync(at('a.dump'));
  await expect(convertCommand(at('a.dump'), at('b.csv'), { quiet: true })).rejects.toThrow(
    /a\.dump: cannot be read: it is a folder/,
  );
  mkdirSync(at('a.h5'));
  await expect(convertCommand(at('a.h5'), at('b.csv'), { quiet: true })).rejects.toThrow(/a\.h5 cannot be read: it is a folder/);
  // It can be opened, and its first byte cannot be read.
  symlinkSync('/proc/self/mem', at('c.dump'));
  await expect(convertCommand(at('c.dump'), at('b.csv'), { quiet: true })).rejects.toThrow(/c\.dump: cannot be read: /);
  expect(readdirSync(folder).sort()).toEqual(['a.dump', 'a.h5', 'c.dump']);
});

test('A disk that takes no more is told with the file, which stays as it was', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('a.dump'), Array.from({ length: 20 }, (_, k) => DUMP(k, k)).join(''));
  for (const name of ['b.dump', 'b.pvd']) {
    writeFileSync(at(name), 'mine');
    const args = ['convert', at('a.dump'), at(name), '--force', '--quiet'];
    const { code, stderr } = await shellCommand(args, '', 'trap "" XFSZ; ulimit -f 1');
    expect(stderr).toMatch(/^Cannot write .*b(-000000)?\.(dump|vtp|pvd): the file would be larger/);
    expect(code).toBe(1);
    expect(readFileSync(at(name), 'utf8')).toBe('mine');
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('A collection is replaced whole or not at all, and files of the user beside it stay', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  const contents = () => readdirSync(folder).map((name) => [name, readFileSync(at(name), 'utf8')]);
  writeFileSync(at('a.dump'), DUMP(1, 1) + DUMP(2, 2) + DUMP(3, 3));
  writeFileSync(at('bad.dump'), DUMP(1, 4) + DUMP(2, 5) + DUMP(3, Number.NaN));
  writeFileSync(at('c.csv.tmp'), 'mine');
  for (const name of ['b.pvd', 'c.csv']) await convertCommand(at('a.dump'), at(name), { quiet: true });
  expect(readFileSync(at('c.csv.tmp'), 'utf8')).toBe('mine');
  const before = contents();
  for (const name of ['b.pvd', 'new.pvd']) {
    const failing = convertCommand(at('bad.dump'), at(name), { quiet: true, force: true });
    await expect(failing).rejects.toThrow(/bad\.dump line \d+: x is "NaN"/);
    expect(contents()).toEqual(before);
  }
  writeFileSync(at('twice.dump'), DUMP(5, 1) + DUMP(5, 2));
  await expect(convertCommand(at('twice.dump'), at('d.pvd'), { quiet: true })).rejects.toThrow(
    /twice\.dump has two frames of the time 5; in a \.pvd each needs its own/,
  );
  mkdirSync(at('d.pvd'));
  await expect(convertCommand(at('a.dump'), at('d.pvd'), { quiet: true, force: true })).rejects.toThrow(/d\.pvd is a folder/);
});

test('A file that is read is not replaced, nor one that it lists', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('a.dump'), DUMP(1, 1) + DUMP(2, 2));
  await convertCommand(at('a.dump'), at('b.pvd'), { quiet: true });
  symlinkSync(folder, at('link'));
  symlinkSync('b.pvd', at('same.pvd'));
  writeFileSync(at('c.pvd'), readFileSync(at('b.pvd')));
  symlinkSync('b-000000.vtp', at('c-000001.vtp'));
  const before = readdirSync(folder);
  for (const [from, to] of [
    ['a.dump', 'a.dump'],
    ['b.pvd', 'b.pvd'],
    ['same.pvd', 'link/b.pvd'],
    ['b.pvd', 'b-000001.vtp'],
    ['b.pvd', 'link/b-000000.vtp'],
    ['c.pvd', 'link/b.pvd'],
    ['b.pvd', 'c.pvd'],
  ]) {
    const replacing = convertCommand(at(from), at(to), { quiet: true, force: true });
    await expect(replacing).rejects.toThrow(/is read and would be replaced as .*Choose another name/);
  }
  expect(readdirSync(folder)).toEqual(before);
});

/** Contacts of grains 0 and 1, and of grain 1 with a wall. */
const CONTACTS = encodePolyData({
  points: Float64Array.of(0, 0, 0, 1, 0, 0, 1, -0.5, 0),
  cells: { kind: 'lines', size: 2, connectivity: Int32Array.of(0, 1, 1, 2) },
  pointData: [],
  cellData: [
    { name: 'force', values: Float32Array.of(1.5, 2, 3, 4, 0.1, 6), components: 3 },
    { name: 'first', values: Uint32Array.of(0, 1) },
    { name: 'second', values: Uint32Array.of(1, 2) },
    { name: 'my &quot;load&quot;, N', values: Float64Array.of(1 / 3, -0) },
  ],
});
const CONTACT_ROWS = `forceX,forceY,forceZ,first,second,"my ""load"", N",fromX,fromY,fromZ,toX,toY,toZ
1.5,2,3,0,1,${1 / 3},0,0,0,1,0,0
4,${Math.fround(0.1)},6,1,2,-0,1,0,0,1,-0.5,0
`;

test('The contacts of a contact frame become a table, and nothing else takes them for grains', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  const none = encodePolyData({
    points: new Float64Array(),
    cells: { kind: 'lines', size: 2, connectivity: new Int32Array() },
    pointData: [],
    cellData: ['first', 'second'].map((name) => ({ name, values: new Uint32Array() })),
  });
  writeFileSync(at('none.vtp'), none);
  writeFileSync(at('contacts-000001.vtp'), CONTACTS);
  writeFileSync(at('b.vtp.gz'), gzipSync(CONTACTS));
  const frames = ['none.vtp', 'contacts-000001.vtp'].map((file, time) => ({ time, file }));
  writeFileSync(at('c.pvd'), encodePvd(frames));
  for (const name of ['contacts-000001.vtp', 'b.vtp.gz', 'c.pvd']) {
    await convertCommand(at(name), at('out.csv'), { quiet: true, force: true });
    expect(readFileSync(at('out.csv'), 'utf8')).toBe(CONTACT_ROWS);
  }
  await convertCommand(at('c.pvd'), at('out.csv.gz'), { quiet: true });
  expect(gunzipSync(readFileSync(at('out.csv.gz'))).toString()).toBe(CONTACT_ROWS);
  await convertCommand(at('none.vtp'), at('none.csv'), { quiet: true });
  expect(readFileSync(at('none.csv'), 'utf8')).toBe('first,second,fromX,fromY,fromZ,toX,toY,toZ\n');

  const before = readdirSync(folder);
  for (const name of ['out.dump', 'out.xyz', 'out.vtp', 'out.pvd'])
    await expect(convertCommand(at('c.pvd'), at(name), { quiet: true })).rejects.toThrow(
      /none\.vtp: holds the contacts of a run, not its grains: .* by `convert` as \.csv/,
    );
  await expect(readGrains(at('b.vtp.gz'))).rejects.toThrow(/holds the contacts of a run/);
  expect(readdirSync(folder)).toEqual(before);
});

test('refuses to write a box that no reader could take, a folder and an unknown ending, and says what helps', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  const refusal = (input: string, output: string) => convertCommand(at(input), at(output), { quiet: true }).catch(String);
  writeFileSync(at('far.csv'), 'x,y,z,radius\n-1e308,0,0,1\n1e308,0,0,1\n');
  for (const output of ['far.xyz', 'far.dump']) {
    expect(await refusal('far.csv', output)).toMatch(
      /from -1e\+308 to 1e\+308 in x; that is longer .*; choose \.csv, \.vtp or \.pvd/,
    );
  }
  expect(readdirSync(folder)).toEqual(['far.csv']);
  expect(await refusal('far.csv', 'far.vtp')).toBe(0);
  expect((await readGrains(at('far.vtp'))).positions).toEqual(Float64Array.of(-1e308, 0, 0, 1e308, 0, 0));

  expect(await refusal('.', 'x.csv')).toMatch(/is a folder\. Give a file of grains in it/);
  writeFileSync(at('grains.pvd'), '');
  expect(await refusal('.', 'x.csv')).toMatch(/is a folder\. Give .*grains\.pvd\./);
  const { message } = (await convertCommand(at('far.csv'), at('x.vtk'), {}).catch((error) => error)) as Error;
  const endings = message.match(/\.\w+(?=[ ,]|$)/g)!.filter((ending) => !['.vtk', '.gz', '.vtp', '.pvd'].includes(ending));
  expect(endings).toContain('.extxyz');
  writeFileSync(at('one.csv'), 'x,y,z,radius\n0,0,0,1\n');
  for (const ending of endings) expect(await refusal('one.csv', `one-again${ending}`)).toBe(0);
});

test('Where it is interrupted it leaves nothing behind', async () => {
  const folder = newFolder();
  const rows = Array.from({ length: 100_000 }, (_, k) => `${k} ${k / 3} ${k / 7} 1 0.5\n`).join('');
  const frame = (step: number) => {
    const bounds = '0 1\n'.repeat(3);
    return `ITEM: TIMESTEP\n${step}\nITEM: NUMBER OF ATOMS\n100000\nITEM: BOX BOUNDS ff ff ff\n${bounds}ITEM: ATOMS id x y z radius\n${rows}`;
  };
  const [from, to] = [join(folder, 'a.dump'), join(folder, 'b.dump')];
  writeFileSync(from, [1, 2, 3, 4, 5, 6].map(frame).join(''));
  const { code, stdout, stderr } = await command(['convert', from, to], async (child) => {
    while (readdirSync(folder).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGTERM');
  });
  expect(stderr).toMatch(/\nInterrupted: nothing is written\. Once more ends at once\.\n$/);
  expect({ code, stdout, files: readdirSync(folder) }).toEqual({ code: 130, stdout: '', files: ['a.dump'] });
});
