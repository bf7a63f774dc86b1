import { expect, test } from 'vitest';
import { oneChunk } from '../../src/io/bytes';
import { lastFrame } from '../../src/io/particleFile';
import { expectFault, faultsOf } from '../support/scenes';

const COLUMNS = 'id type x y z vx vy vz omegax omegay omegaz radius mass';
const ROWS = ['7 1 0 0 1 1 2 3 4 5 6 0.5 2', '3 1 2 0 1 0 0 0 0 0 0 0.25 1'];

function dump(rows: readonly string[] = ROWS, { columns = COLUMNS, count = rows.length, bounds = 'ff ff ff' } = {}): string {
  const header = ['ITEM: TIMESTEP', '100', 'ITEM: NUMBER OF ATOMS', count, `ITEM: BOX BOUNDS ${bounds}`, '-1 1', '-1 1', '0 4'];
  return [...header, `ITEM: ATOMS ${columns}`, ...rows, ''].join('\n');
}
const FIRST_ROW = 10;
const readAs = (file: string, text: string) => lastFrame(file, async () => oneChunk(new TextEncoder().encode(text)));
const read = (text: string) => readAs('a.dump', text);

test('reads a text dump in the order of the file', async () => {
  const table = await read(dump());
  expect(table).toEqual({
    count: 2,
    positions: Float64Array.of(0, 0, 1, 2, 0, 1),
    radii: Float64Array.of(0.5, 0.25),
    velocities: Float64Array.of(1, 2, 3, 0, 0, 0),
    angularVelocities: Float64Array.of(4, 5, 6, 0, 0, 0),
    masses: Float64Array.of(2, 1),
    ids: Float64Array.of(7, 3),
    types: Uint32Array.of(1, 1),
    step: 100,
    box: { min: [-1, -1, 0], max: [1, 1, 4], periodic: [false, false, false] },
    firstLine: FIRST_ROW,
  });
});

test('reads columns in any order, diameters, and lines that end as on Windows', async () => {
  const table = await read(dump(['1 4 3 2 1 '], { columns: 'diameter z y x id' }).replaceAll('\n', '\r\n'));
  expect([...table.positions, ...table.radii]).toEqual([2, 3, 4, 0.5]);
  expect(table.velocities).toBeUndefined();
});

test('takes x, y, z before unwrapped and scaled coordinates, and unwrapped ones where there are no others', async () => {
  for (const other of ['xu yu zu', 'xs ys zs']) {
    const { positions } = await read(dump(['9 8 7 1 2 3 1'], { columns: `${other} x y z radius` }));
    expect([...positions]).toEqual([1, 2, 3]);
  }
  expect([...(await read(dump(['9 8 7 1'], { columns: 'xu yu zu radius' }))).positions]).toEqual([9, 8, 7]);
});

test('a column may come twice with the same values, as dumps of LIGGGHTS often have the type', async () => {
  const { types, positions } = await read(
    dump(['1 2 2 4 5 6 6.0 1', '2 1 1 7 8 9 9 1'], { columns: 'id type type x y z z radius' }),
  );
  expect([...types!, ...positions]).toEqual([2, 1, 4, 5, 6, 7, 8, 9]);
});

test('reads plain decimal numbers in all their forms', async () => {
  const { positions, radii } = await read(dump(['+1.5 -2. .25e1 1E-1'], { columns: 'x y z radius' }));
  expect([...positions, ...radii]).toEqual([1.5, -2, 2.5, 0.1]);
});

test.each(['constructor', '__proto__', 'valueOf'])('passes over a column %s', async (name) => {
  const { positions, radii } = await read(dump(['9 1 2 3 4'], { columns: `${name} x y z radius` }));
  expect([...positions, ...radii]).toEqual([1, 2, 3, 4]);
});

test('takes the last of several frames', async () => {
  const table = await read(dump() + dump(['1 1 9 9 9 0 0 0 0 0 0 3 1']));
  expect([table.count, ...table.positions, table.firstLine]).toEqual([1, 9, 9, 9, 21]);
});

test('reads what a newer LAMMPS writes besides', async () => {
  const text = `ITEM: UNITS\nlj\nITEM: TIME\n0.5\n${dump()}`;
  expect(await read(text)).toMatchObject({ count: 2, firstLine: FIRST_ROW + 4 });
});

const cutShort = dump().split('\n');
test.each([
  [
    'without its last grain',
    dump(ROWS.slice(0, 1), { count: 2 }),
    'a.dump line 11',
    /after 1 of the 2 grains that line 4 announces/,
  ],
  ['in the middle of a line', dump().slice(0, -10), 'a.dump line 11', /has 10 values where the header names 13/],
  ['in the box bounds', cutShort.slice(0, 6).join('\n'), 'a.dump line 7', /the file ends here/],
  ['before the grains', cutShort.slice(0, 8).join('\n'), 'a.dump line 9', /the file ends here.*ITEM: ATOMS/],
])('says where a dump was cut short: %s', (_, text, path, message) => expectFault(() => read(text), path, message));

const row = (x: unknown, radius: unknown) => `1 ${x} 0 0 ${radius}`;
const five = { columns: 'id x y z radius' };
test.each([
  ['nothing in it', '', 'a.dump', /is empty/],
  ['another content', 'x,y,z\n1,2,3\n', 'a.dump line 1', /is not a text dump/],
  ['no radius', dump(['1 0 0 0'], { columns: 'id x y z' }), 'a.dump line 9', /no column radius/],
  ['no z', dump(['1 0 0 1'], { columns: 'id x y radius' }), 'a.dump line 9', /no column z/],
  [
    'scaled places',
    dump(['0 0 0 1'], { columns: 'xs ys zs radius' }),
    'a.dump line 9',
    /no column x, y, z; xs is scaled by a box/,
  ],
  ['half a velocity', dump(['0 0 0 1 2'], { columns: 'x y z radius vx' }), 'a.dump line 9', /no column vy, vz/],
  ['a column twice', dump(['0 0 0 1 2'], { columns: 'x y z radius radius' }), 'a.dump line 10', /radius twice, as "1" and "2"/],
  ['NaN', dump([row('nan', 1)], five), 'a.dump line 10', /x is "nan"; expected a finite number/],
  ['infinity', dump([row('-inf', 1)], five), 'a.dump line 10', /x is "-inf"/],
  ['a number too large', dump([row('1e999', 1)], five), 'a.dump line 10', /x is "1e999"/],
  ['a radius of zero', dump([row(0, 1), row(5, 0)], five), 'a.dump line 11', /radius is 0; it must be above 0/],
  ['a negative radius', dump([row(0, -0.5)], five), 'a.dump line 10', /radius is -0.5/],
  ['a mass of zero', dump(['0 0 0 1 0'], { columns: 'x y z radius mass' }), 'a.dump line 10', /mass is 0; it must be above 0/],
  ['a negative mass', dump(['0 0 0 1 -2'], { columns: 'x y z radius mass' }), 'a.dump line 10', /mass is -2/],
  ['a mass that is no number', dump(['0 0 0 1 nan'], { columns: 'x y z radius mass' }), 'a.dump line 10', /mass is "nan"/],
  ['radius and diameter', dump(['0 0 0 1 2'], { columns: 'x y z radius diameter' }), 'a.dump line 9', /both columns radius and/],
  ['far too many columns', dump([row(0, 1)], { columns: 'a '.repeat(200_000) }), 'a.dump line 9', /names 200000 columns/],
  ['x twice', dump(['0 0 0 1 2'], { columns: 'x y z radius x' }), 'a.dump line 10', /x twice, as "0" and "2"; keep one/],
  ['a hexadecimal number of atoms', dump([row(0, 1)], { ...five, count: '0x1' as never }), 'a.dump line 4', /number of atoms/],
  ['no grains', dump([], five), 'a.dump line 4', /holds no grains/],
  ['a wrong number of atoms', dump([row(0, 1)], { ...five, count: 1.5 }), 'a.dump line 4', /expected the number of atoms/],
  [
    'more grains than announced',
    dump([row(0, 1), row(5, 1)], { ...five, count: 1 }),
    'a.dump line 11',
    /goes on after the 1 grains/,
  ],
  ['more grains than fit', dump([row(0, 1)], { ...five, count: 2 ** 24 + 2 }), 'a.dump', /holds 16777218 grains; the most/],
  ['a triclinic box', dump([row(0, 1)], { ...five, bounds: 'xy xz yz pp pp pp' }), 'a.dump line 5', /triclinic/],
])('refuses a dump with %s', (_, text, path, message) => expectFault(() => read(text), path, message));

test.each([
  ['ff ff ff', '1 0', true],
  ['pp ff ff', '1 1', true],
  ['ff ff ff', '1 1', false],
])('bounds %s of %s, refused: %s', async (bounds, first, isRefused) => {
  const text = dump([row(0, 1)], { ...five, bounds }).replace('-1 1', first);
  if (isRefused) await expectFault(() => read(text), 'a.dump line 5', /in x; its upper end must lie above the lower one/);
  else expect((await read(text)).box?.max[0]).toBe(1);
});

test.each(['0x10', '0b11', '0o7', '1_000', '1,5', 'Infinity', '1e', '.'])('refuses the number %s', (x) =>
  expectFault(() => read(dump([row(x, 1)], five)), 'a.dump line 10', /^x is .*; expected/),
);

test('names ten of many faults and counts the others', async () => {
  const faults = await faultsOf(() => read(dump(Array(25).fill(row(0, 0)), five)));
  expect(faults).toHaveLength(11);
  expect(faults[10].message).toBe('and 15 more: in a.dump');
});

test('refuses grains that have the id of another, wherever they stand', async () => {
  const ids = [7, 3, 5, 3, 7, 3];
  const faults = await faultsOf(() =>
    read(
      dump(
        ids.map((id) => `${id} 0 0 0 1`),
        five,
      ),
    ),
  );
  const mend = 'give each grain an id of its own, or leave the ids out';
  expect(faults).toEqual([
    { path: 'a.dump line 13', message: `has the id 3, as line 11 has; ${mend}` },
    { path: 'a.dump line 14', message: `has the id 7, as line 10 has; ${mend}` },
    { path: 'a.dump line 15', message: `has the id 3, as line 11 has; ${mend}` },
  ]);
  await expectFault(() => readTable('x,y,z,radius,id\n1,2,3,1,0\n1,2,9,1,0\n'), 'a.csv line 3', /id 0, as line 2 has/);
  const xyz = '2\nProperties=pos:R:3:radius:R:1:id:I:1\n1 2 3 1 4\n1 2 9 1 4\n';
  await expectFault(() => readAs('a.xyz', xyz), 'a.xyz line 4', /id 4, as line 3 has/);
});

const readTable = (text: string) => readAs('a.csv', text);

test('reads a table', async () => {
  const table = await readTable('\uFEFFx, y,z,radius,vx,vy,vz\r\n1,2, 3,0.5,4,5,6\r\n7,8,9,1,0,0,0\r\n\r\n');
  expect(table).toEqual({
    count: 2,
    positions: Float64Array.of(1, 2, 3, 7, 8, 9),
    radii: Float64Array.of(0.5, 1),
    velocities: Float64Array.of(4, 5, 6, 0, 0, 0),
    firstLine: 2,
  });
});

test('reads a table with row numbers, and with angular velocities as dumps name them', async () => {
  const table = await readTable('"","omegaZ",omegay,omegax,z,y,x,"radius"\n0,6,5,4,3,2,1,0.5\n');
  expect([...table.positions, ...table.angularVelocities!]).toEqual([1, 2, 3, 4, 5, 6]);
});

test.each([
  ['no radius', 'x,y,z\n1,2,3\n', 'a.csv line 1', /no column radius/],
  ['an unknown column', 'x,y,z,raduis\n1,2,3,4\n', 'a.csv line 1', /"raduis"; did you mean radius/],
  ['a column of something else', 'x,y,z,radius,fx\n1,2,3,4,5\n', 'a.csv line 1', /"fx"; rename it or take it out: .* wz, mass,/],
  ['semicolons', 'x;y;z;radius\n1;2;3;4\n', 'a.csv line 1', /put commas between the columns/],
  ['no grains', 'x,y,z,radius\n', 'a.csv line 1', /no grains/],
  ['no header', '1,2,3,4\n', 'a.csv line 1', /numbers alone; the first line must name the columns, such as x,y,z,radius: add/],
  ['a header behind #', '# x,y,z,radius\n1,2,3,4\n', 'a.csv line 1', /begins with #; .*: take the # or the line out/],
  ['too few values', 'x,y,z,radius\n1,2,3,4\n1,2,3\n', 'a.csv line 3', /has 3 values where the header names 4/],
  ['too many values', 'x,y,z,radius\n1,2,3,4,5\n', 'a.csv line 2', /has 5 values/],
  ['an empty value', 'x,y,z,radius\n1,,3,4\n', 'a.csv line 2', /y is ""/],
  ['an underscore in a number', 'x,y,z,radius\n1,1_000,3,4\n', 'a.csv line 2', /y is "1_000"/],
  ['radius and diameter', 'x,y,z,radius,diameter\n1,2,3,1,2\n', 'a.csv line 1', /both columns/],
  ['a negative mass', 'x,y,z,radius,mass\n1,2,3,1,-2\n', 'a.csv line 2', /mass is -2/],
  ['a text', 'x,y,z,radius\n1,two,3,4\n', 'a.csv line 2', /y is "two"/],
  ['a blank line', 'x,y,z,radius\n1,2,3,4\n\n1,2,3,4\n', 'a.csv line 3', /is blank, and grains follow/],
])('refuses a table with %s', (_, text, path, message) => expectFault(() => readTable(text), path, message));
