import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { analyseCommand } from '../../src/cli/commands/analyse';
import { newFolder } from '../support/folder';
import { printed } from './support';

test('a periodic box that is shorter than a grain is refused, but for the z of disks', async () => {
  const folder = newFolder();
  const at = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const xyz = '1\nLattice="10 0 0 0 0.3 0 0 0 10" Properties=pos:R:3:radius:R:1\n1 2 3 0.5\n';
  const narrow = /the periodic box is 0\.3 long in y, shorter than the largest grain, whose diameter is 1/;
  await expect(analyseCommand(at('a.xyz', xyz), {})).rejects.toThrow(narrow);
  const dump = (z: number) =>
    `ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 4\n0 4\n-0.05 0.05\nITEM: ATOMS x y z radius\n1 1 ${z} 0.5\n3 3 ${z} 0.5\n`;
  await expect(analyseCommand(at('b.dump', dump(0.01)), {})).rejects.toThrow(/is 0\.1 long in z/);
  expect(JSON.parse(await printed(at('c.dump', dump(0)), { json: true })).volumeFraction).toBeCloseTo(Math.PI / 32, 10);
});

test('a periodic box in which grains touch from two sides is refused, as their contacts would count once', async () => {
  const folder = newFolder();
  const cells = (n: number) => {
    const at = Array.from({ length: n ** 3 }, (_, k) => [k % n, Math.floor(k / n) % n, Math.floor(k / n ** 2)]);
    const rows = at.flatMap(([x, y, z]) =>
      [[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]].map(([a, b, c]) => `${x + a} ${y + b} ${z + c} ${Math.SQRT2 / 4}`),
    ); // biome-ignore format: a table
    const path = join(folder, `${n}.xyz`);
    writeFileSync(
      path,
      `${rows.length}\nLattice="${n} 0 0 0 ${n} 0 0 0 ${n}" Properties=pos:R:3:radius:R:1\n${rows.join('\n')}\n`,
    );
    return path;
  };
  const narrow =
    /the periodic box is 1 long in x, and grains that touch are up to 0\.70\d* apart: they could do so from two sides/;
  await expect(analyseCommand(cells(1), {})).rejects.toThrow(narrow);
  const { coordination } = JSON.parse(await printed(cells(2), { json: true }));
  expect(coordination.mean).toBe(12);
  await expect(analyseCommand(cells(2), { gap: '0.5' })).rejects.toThrow(/is 2 long in x, and grains that touch are up to 1\.06/);
});

test('unwrapped coordinates of a dump are those of its periodic box', async () => {
  const folder = newFolder();
  const at = [0, 1, 2, 3].flatMap((x) => [0, 1, 2, 3].flatMap((y) => [0, 1, 2, 3].map((z) => [x, y, z])));
  const write = (name: string, columns: string, shift: (k: number) => number) => {
    const rows = at.map((place, k) => `${k} ${place.map((x, axis) => x + 0.25 + 4 * shift(k + axis)).join(' ')} 0.5`);
    const head = `ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n${at.length}\nITEM: BOX BOUNDS pp pp pp\n0 4\n0 4\n0 4\nITEM: ATOMS id`;
    writeFileSync(join(folder, name), `${head} ${columns} radius\n${rows.join('\n')}\n`);
    return join(folder, name);
  };
  const options = { json: true, box: '0,0,1,4,4,3', layers: '2' };
  const figuresOf = async (path: string) => ({ ...JSON.parse(await printed(path, options)), file: '' });
  const wrapped = await figuresOf(write('a.dump', 'x y z', () => 0));
  const unwrapped = await figuresOf(write('b.dump', 'xu yu zu', (k) => (k % 5) - 2));
  expect(wrapped).toMatchObject({ inside: 32, coordination: { mean: 6 } });
  expect(unwrapped).toEqual(wrapped);
});

test.each([
  [{ box: '0,0,0,4,4,4.5' }, '--box: the region reaches from 0 to 4.5 in z, beyond the periodic box, which reaches from 0 to 4.'],
  [{ box: '-4,0,0,4,4,9' }, '--box: the region reaches from -4 to 4 in x'],
  [{ cylinder: '2,2,-1,0,0,1,1,3' }, '--cylinder: the region reaches from -1 to 2 in z'],
  [{ cylinder: '2,2,0,0,0,-1,1,1' }, '--cylinder: the region reaches from -1 to 0 in z'],
  [{ cylinder: '2,2,1,4,0,3,1,1' }, '--cylinder: the region reaches from '],
])('a region beyond the periodic box is refused: %o', async (options, message) => {
  const path = join(newFolder(), 'a.xyz');
  const length = 'cylinder' in options && options.cylinder?.includes('4,0,3') ? 3.3 : 4;
  writeFileSync(path, `1\nLattice="${length} 0 0 0 4 0 0 0 4" Properties=pos:R:3:radius:R:1\n2 2 1 0.5\n`);
  await expect(analyseCommand(path, options)).rejects.toThrow(message);
  for (const region of [{ box: '0,0,0,3.3,4,4' }, { cylinder: '2,2,0,0,0,1,1,4' }]) await printed(path, region);
});
