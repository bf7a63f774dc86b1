import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FrameWriter } from '../../src/cli/frames';
import { OutputFolder } from '../../src/cli/outputFolder';
import { readContactFrame } from '../../src/io/readContactFrame';
import { contactsPerGrain, encodeContactFrame, encodeGrainFrame } from '../../src/io/vtp';
import { readGrains } from '../../src/node/particleFiles';
import { newFolder } from '../support/folder';
import { expectFault } from '../support/scenes';
import { readVtp } from './readVtp';
import { smallProblem, smallState } from './support';

test('A grain frame is read back as the state', () => {
  const problem = smallProblem();
  const state = smallState(problem);
  const { attributes, piece, arrays } = readVtp(encodeGrainFrame(problem, state));

  expect(attributes).toEqual({ type: 'PolyData', version: '1.0', byte_order: 'LittleEndian', header_type: 'UInt64' });
  expect(piece).toMatchObject({ NumberOfPoints: '3', NumberOfVerts: '3', NumberOfLines: '0' });
  expect(arrays['FieldData/TimeValue'].values).toEqual([0.04]);
  expect(arrays['FieldData/step']).toEqual({ type: 'Float64', components: 1, values: [4] });
  expect(arrays['Points/Points']).toEqual({ type: 'Float64', components: 3, values: [...state.positions] });
  expect(arrays['PointData/id'].values).toEqual([0, 1, 2]);
  expect(arrays['PointData/radius'].values).toEqual([0.5, 0.5, 0.25]);
  expect(arrays['PointData/velocity']).toEqual({ type: 'Float32', components: 3, values: [...state.velocities] });
  expect(arrays['PointData/angularVelocity'].values).toEqual([...state.angularVelocities]);
  expect(arrays['PointData/material'].values).toEqual([0, 0, 0]);
  expect(arrays['PointData/contacts'].values).toEqual([2, 1, 0]);
  expect(arrays['Verts/connectivity'].values).toEqual([0, 1, 2]);
  expect(arrays['Verts/offsets'].values).toEqual([1, 2, 3]);
});

test('Contacts without force, and walls, are not counted for grains', () => {
  const problem = smallProblem();
  const state = smallState(problem);
  state.contacts.forces[0] = 0;
  expect([...contactsPerGrain(state, 3)]).toEqual([1, 0, 0]);
});

test('A contact frame joins centres, or a centre with the point on the wall', () => {
  const problem = smallProblem();
  const state = smallState(problem);
  const { piece, arrays } = readVtp(encodeContactFrame(problem, state));

  expect(piece).toMatchObject({ NumberOfPoints: '4', NumberOfVerts: '0', NumberOfLines: '3' });
  expect(arrays['Lines/connectivity'].values).toEqual([0, 1, 1, 2, 0, 3]);
  expect(arrays['Lines/offsets'].values).toEqual([2, 4, 6]);
  expect(arrays['Points/Points'].values.slice(0, 9)).toEqual([...state.positions]);
  expect(arrays['Points/Points'].values.slice(9)).toEqual([0, 0, 0.5 - (0.5 + 0.25)]);
  expect(arrays['CellData/force']).toEqual({ type: 'Float32', components: 3, values: [...state.contacts.forces] });
  expect(arrays['CellData/normalForce'].values).toEqual([2, 0, 8]);
  expect(arrays['CellData/gap'].values).toEqual([-0.0625, 0.125, 0.25]);
  expect(arrays['CellData/state'].values).toEqual([2, 0, 1]);
  expect(arrays['CellData/second'].values).toEqual([1, 2, 3]);
});

test('A contact frame has the torques where a law has some', () => {
  const problem = smallProblem();
  const state = smallState(problem);
  expect(readVtp(encodeContactFrame(problem, state)).arrays).not.toHaveProperty('CellData/torque');
  problem.laws[1].rollingFriction = 0.1;
  expect(readVtp(encodeContactFrame(problem, state)).arrays['CellData/torque']).toEqual({
    type: 'Float32',
    components: 3,
    values: [...state.contacts.torques],
  });
});

test('A contact across the side of a periodic box ends at the image of the second centre, and frames have the box', () => {
  const problem = smallProblem();
  const state = smallState(problem);
  problem.periodic = { min: [-2, 0, 0], lengths: [4, 0, 0] };
  state.positions.set([-1.75, 0, 0.5, 1.3125, 0, 0.5]);
  state.contacts.normals.set([-1, 0, 0]);
  const { piece, arrays } = readVtp(encodeContactFrame(problem, state));
  expect(piece).toMatchObject({ NumberOfPoints: '6', NumberOfLines: '3' });
  expect(arrays['Lines/connectivity'].values).toEqual([0, 3, 1, 4, 0, 5]);
  expect(arrays['Points/Points'].values.slice(9, 12)).toEqual([-1.75 - (1 - 0.0625), 0, 0.5]);
  for (const frame of [arrays, readVtp(encodeGrainFrame(problem, state)).arrays]) {
    expect(frame['FieldData/periodicMin']).toEqual({ type: 'Float64', components: 3, values: [-2, 0, 0] });
    expect(frame['FieldData/periodicLengths'].values).toEqual([4, 0, 0]);
  }
});

test('Only the contacts that count are written where the arrays are longer, and none is possible', () => {
  const problem = smallProblem();
  const state = smallState(problem);
  state.contacts.count = 1;
  expect(readVtp(encodeContactFrame(problem, state)).arrays['CellData/state'].values).toEqual([2]);
  state.contacts.count = 0;
  expect(readVtp(encodeContactFrame(problem, state)).piece).toMatchObject({ NumberOfPoints: '3', NumberOfLines: '0' });
});

test('A contact frame of another step than the grain frame is refused', async () => {
  const problem = smallProblem();
  const bytes = encodeContactFrame(problem, smallState(problem));
  for (const step of [4, undefined]) expect((await readContactFrame('c.vtp', bytes, { count: 3, step })).count).toBe(3);
  await expectFault(
    () => readContactFrame('c.vtp', bytes, { count: 3, step: 5 }),
    'c.vtp',
    /is of step 4, its grain frame of step 5: put frames of one step/,
  );
});

test.each([
  [
    'xyz',
    /Properties=id:I:1:species:S:1:pos:R:3:radius:R:1:velo:R:3:angular_velocity:R:3:mass:R:1:contacts:I:1 Time=.*\n(0 [\s\S]*)$/,
  ],
  ['dump', /ITEM: ATOMS id type x y z radius vx vy vz omegax omegay omegaz mass contacts\n([\s\S]*)$/],
] as const)('the frames of a run as .%s have what those for ParaView have, and the masses', async (frames, layout) => {
  const folder = newFolder();
  const problem = { ...smallProblem(), output: { every: 1, frames, contacts: false } };
  const state = smallState(problem);
  await new FrameWriter(new OutputFolder(folder), { problem }).write(4, async () => state);
  const path = join(folder, `frames/grains-000004.${frames}`);
  const [, rows] = layout.exec(readFileSync(path, 'utf8'))!;
  const counts = [2, 1, 0];
  const { radii, masses, materials } = problem.grains;
  const triple = (values: Float64Array, i: number) => [...values.subarray(3 * i, 3 * i + 3)];
  expect(
    rows
      .trimEnd()
      .split('\n')
      .map((row) => row.split(' ').map(Number)),
  ).toEqual(
    counts.map((count, i) => [
      ...[i, materials[i] + 1, ...triple(state.positions, i), radii[i]],
      ...[...triple(state.velocities, i), ...triple(state.angularVelocities, i), masses[i], count],
    ]),
  );
  const table = await readGrains(path);
  expect([table.positions, table.angularVelocities, table.step]).toEqual([state.positions, state.angularVelocities, 4]);
});
