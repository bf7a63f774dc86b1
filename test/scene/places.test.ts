import { expect, test } from 'vitest';
import { at, expectFault, faultsOf, listed, load, sceneWith } from '../support/scenes';

test('two grains in one place are refused and both named', async () => {
  const scene = sceneWith({ grains: [...listed(at(0, 0, 5)).grains, { material: 'glass', file: 'a.csv' }] });
  await expectFault(
    () => load(scene, { 'a.csv': 'x,y,z,radius\n0,0,5,1\n0,0,9,1\n' }),
    'a.csv line 2',
    /in one place with grains\[0\]\.list\[0\]/,
  );
  await expectFault(
    () => load(sceneWith(listed(at(0, 0, 5), at(9, 0, 5), at(0, 1e-9, 5, { radius: 3 })))),
    'grains[0].list[2]',
    /in one place with grains\[0\]\.list\[0\]/,
  );
});

test('of many grains in one place each is told once', async () => {
  const faults = await faultsOf(() => load(sceneWith(listed(at(0, 0, 5), at(0, 0, 5), at(0, 0, 5), at(0, 0, 5)))));
  expect(faults.map(({ path }) => path)).toEqual([1, 2, 3].map((k) => `grains[0].list[${k}]`));
});

test('a centre outside the walls is refused, grain and wall named', async () => {
  await expectFault(() => load(sceneWith(listed(at(0, 0, -0.5)))), 'grains[0].list[0]', /0.500 beyond wall "floor"/);
  const cylinder = (side: string) => ({
    walls: [{ name: 'pipe', material: 'steel', cylinder: { point: [0, 0, 0], axis: [0, 3, 0], radius: 4, side } }],
  });
  await expectFault(
    () => load(sceneWith({ ...listed(at(3, 7, 4)), ...cylinder('inside') })),
    'grains[0].list[0]',
    /1.00 beyond wall "pipe"/,
  );
  await expectFault(
    () => load(sceneWith({ ...listed(at(0, 7, 3)), ...cylinder('outside') })),
    'grains[0].list[0]',
    /1.00 beyond wall "pipe"/,
  );
  expect((await load(sceneWith({ ...listed(at(0, 99, 3)), ...cylinder('inside') }))).warnings).toEqual([]);
  expect((await load(sceneWith({ ...listed(at(3, 99, 4)), ...cylinder('outside') }))).warnings).toEqual([]);
});

test('overlaps with grains and walls are one warning, with their number and the largest', async () => {
  const { warnings } = await load(sceneWith(listed(at(0, 0, 0.9), at(1.5, 0, 0.9), at(9, 0, 0.95), at(20, 0, 1), at(22, 0, 1))));
  expect(warnings).toEqual([
    '1 overlaps between grains and 3 with walls at the start; the largest is 0.500 (0.250 mean diameters), of grains[0].list[0] and grains[0].list[1]. Overlaps are kept from growing, not pushed out: a settled packing has many small ones, larger ones are to be moved apart',
  ]);
});

test('fixed grains may overlap one another and the walls', async () => {
  const fixed = { fixed: true };
  expect((await load(sceneWith(listed(at(0, 0, -0.5, fixed), at(0, 1, -0.5, fixed))))).warnings).toEqual([]);
  expect((await load(sceneWith(listed(at(0, 0, 2, fixed), at(0, 1, 2))))).warnings).toHaveLength(1);
});

test('grains that overlap without end are refused, two of them named', async () => {
  const lattice = { count: [20, 20, 20], spacing: 0.01, radius: 1, origin: [0, 0, 9] };
  const [fault, ...others] = await faultsOf(() => load(sceneWith({ grains: [{ material: 'glass', lattice }] })));
  expect(others).toEqual([]);
  expect(fault.path).toMatch(/^grains\[0\]\.lattice grain/);
  expect(fault.message).toMatch(/^overlaps grains\[0\]\.lattice grain .* more than 400000 such pairs; make the radii smaller/);
});

test('fixed grains may overlap many others, within bounds', async () => {
  const dense = (count: number) => listed(...Array.from({ length: count }, (_, k) => at(1e-4 * k, 0, 9, { fixed: true })));
  expect((await load(sceneWith(dense(500)))).warnings).toEqual([]);
  await expectFault(() => load(sceneWith(dense(2500))), 'grains[0].list[2236]', /more than 2500000 such pairs/);
});

test('many grains outside are counted, ten are named', async () => {
  const scene = sceneWith({
    grains: [{ material: 'glass', lattice: { count: [10, 1, 3], spacing: 2, radius: 1, origin: [0, 0, -9] } }],
  });
  const faults = await faultsOf(() => load(scene));
  expect(faults).toHaveLength(11);
  expect(faults[0].path).toBe('grains[0].lattice grain (0, 0, 0)');
  expect(faults[10].message).toBe('and 20 more: grains outside the walls');
});

test('places and radii that numbers cannot hold together are refused', async () => {
  await expectFault(() => load(sceneWith(listed(at(0, 0, 1e12)))), 'grains[0].list[0]', /1\.00e\+12 from the origin/);
  const insert = [{ material: 'glass', list: [at(0, 0, 9), at(0, 1e12, 9)] }];
  const later = sceneWith({ events: [{ when: { step: 3 }, insert }] });
  await expectFault(() => load(later), 'events[0].insert[0].list[1]', /1\.00e\+12 from the origin/);
  const far = { count: 2, radius: 1, box: { min: [0, 0, 1e300], max: [1e300, 9, 2e300] } };
  await expectFault(
    () => load(sceneWith({ grains: [{ material: 'glass', random: far }] })),
    'grains',
    /more than 10\^9 diameters/,
  );
  await expectFault(() => load(sceneWith(listed(at(0, 0, 1e-119, { radius: 1e-120 })))), 'grains[0].list[0]', /the mass is 0/);
});
