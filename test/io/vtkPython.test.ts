import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { convertCommand } from '../../src/cli/commands/convert';
import { FrameWriter } from '../../src/cli/frames';
import { OutputFolder } from '../../src/cli/outputFolder';
import { readGrains } from '../../src/node/particleFiles';
import { newFolder } from '../support/folder';
import { runVtk } from '../support/vtk';
import { smallProblem, smallState } from './support';

/** An array as VTK has read it. */
interface VtkArray {
  type: string;
  components: number;
  values: number[];
}
interface VtkData {
  /** Of the collection that lists the file. */
  time?: number;
  points: number[];
  pointType: string;
  verts: number[][];
  lines: number[][];
  polys: number[][];
  pointData: Record<string, VtkArray>;
  cellData: Record<string, VtkArray>;
  fieldData: Record<string, VtkArray>;
}

/** VTK's own reader, by Python, as a judge of the files that did not come from here. */
const readByVtk = <T extends (VtkData | VtkData[])[]>(...paths: string[]): T =>
  runVtk<T>(resolve(import.meta.dirname, 'vtk/read.py'), paths);

const array = (type: string, components: number, values: Iterable<number>): VtkArray => ({
  type,
  components,
  values: [...values],
});
const numbers = (type: string, values: Iterable<number>) => array(type, 1, values);

test("VTK reads a run's frames of grains and contacts as the states, with their times, lines, torques and the periodic box", async () => {
  const folder = newFolder();
  const problem = { ...smallProblem(), timeStep: 0.1, output: { every: 1, frames: 'vtp' as const, contacts: true } };
  problem.periodic = { min: [-2, 0, 0], lengths: [8, 0, 0] };
  problem.laws[1].rollingFriction = 0.1;
  const first = smallState(problem);
  first.positions[0] = 1 / 3;
  first.contacts.forces[3] = 1 / 3;
  const second = { ...smallState(problem), step: 7, positions: first.positions.map((x) => x + 0.01) };
  second.contacts.count = 0;
  const writer = new FrameWriter(new OutputFolder(folder), { problem });
  for (const state of [first, second]) await writer.write(state.step, async () => state);

  const [grains, contacts] = readByVtk<VtkData[][]>(join(folder, 'grains.pvd'), join(folder, 'contacts.pvd'));
  expect([grains, contacts].map((frames) => frames.map(({ time }) => time))).toEqual([
    [0.4, 0.7],
    [0.4, 0.7],
  ]);
  for (const [k, state] of [first, second].entries()) {
    expect(grains[k]).toEqual({
      time: [0.4, 0.7][k],
      points: [...state.positions],
      pointType: 'double',
      verts: [[0], [1], [2]],
      lines: [],
      polys: [],
      pointData: {
        id: numbers('unsigned int', [0, 1, 2]),
        radius: numbers('double', [0.5, 0.5, 0.25]),
        velocity: array('float', 3, state.velocities),
        angularVelocity: array('float', 3, state.angularVelocities),
        material: numbers('unsigned int', [0, 0, 0]),
        contacts: numbers('unsigned int', k === 0 ? [2, 1, 0] : [0, 0, 0]),
      },
      cellData: {},
      fieldData: {
        TimeValue: numbers('double', [state.step * 0.1]),
        step: numbers('double', [state.step]),
        periodicMin: array('double', 3, [-2, 0, 0]),
        periodicLengths: array('double', 3, [8, 0, 0]),
      },
    });
  }

  const { positions, contacts: known } = first;
  const [frame, empty] = contacts;
  // The second and third end where no grain is: at the image of one in the periodic box, and on the wall.
  expect(frame.points.slice(0, 9)).toEqual([...positions]);
  expect(frame.lines.map(([from]) => from)).toEqual([0, 1, 0]);
  expect(frame.lines[0]).toEqual([0, 1]);
  const end = frame.lines[2][1];
  expect(frame.points.slice(3 * end, 3 * end + 3)).toEqual([1 / 3, 0, 0.5 - (0.5 + 0.25)]);
  expect(frame.cellData).toEqual({
    force: array('float', 3, Float32Array.from(known.forces)),
    torque: array('float', 3, known.torques),
    normalForce: numbers('float', [2, 0, 8]),
    gap: numbers('float', known.gaps),
    state: numbers('unsigned char', known.states),
    first: numbers('unsigned int', known.first),
    second: numbers('unsigned int', known.second),
  });
  expect([frame.verts, frame.polys, frame.pointData]).toEqual([[], [], {}]);
  expect([frame.fieldData.TimeValue.values, frame.fieldData.step.values]).toEqual([[0.4], [4]]);
  expect([empty.points, empty.lines]).toEqual([[...second.positions], []]);
});

test('VTK reads what convert writes, as one file and as a collection, to the same bits', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  const dump = (step: number) =>
    `ITEM: TIME\n${step / 3}\nITEM: TIMESTEP\n${step}\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\n` +
    `ITEM: ATOMS id type x y z radius vx vy vz omegax omegay omegaz mass\n` +
    `7 2 0.1 2 ${step} 0.3333333333333333 1e-300 -0 3 4 5 6 0.7\n5 1 1 2 3 0.25 1 2 3 4 5 6 1\n`;
  writeFileSync(at('a.dump'), dump(1) + dump(2));
  for (const name of ['a.vtp', 'a.pvd']) expect(await convertCommand(at('a.dump'), at(name), { quiet: true })).toBe(0);

  const [file, frames] = readByVtk<[VtkData, VtkData[]]>(at('a.vtp'), at('a.pvd'));
  expect(frames.map(({ time }) => time)).toEqual([1 / 3, 2 / 3]);
  expect({ ...file, time: 2 / 3 }).toEqual(frames[1]);
  const table = await readGrains(at('a.dump'));
  expect(file).toEqual({
    points: [...table.positions],
    pointType: 'double',
    verts: [[0], [1]],
    lines: [],
    polys: [],
    pointData: {
      id: numbers('double', [7, 5]),
      radius: numbers('double', table.radii),
      velocity: array('double', 3, table.velocities!),
      angularVelocity: array('double', 3, table.angularVelocities!),
      mass: numbers('double', table.masses!),
      material: numbers('unsigned int', [1, 0]),
    },
    cellData: {},
    fieldData: { TimeValue: numbers('double', [2 / 3]), step: numbers('double', [2]) },
  });
});

test('Grains that VTK has written are read to the same bits: inline, appended, compressed, in either byte order, in pieces', async () => {
  const folder = newFolder();
  const { names, ...known } = runVtk<
    Record<'names', string[]> & Record<'positions' | 'radii' | 'velocities' | 'types', number[]>
  >(resolve(import.meta.dirname, 'vtk/write.py'), [folder]);
  expect(names).toHaveLength(36 + 1 + 9);
  for (const name of names) {
    const text = readFileSync(join(folder, name), 'latin1');
    expect(text.match(/<Piece /g), name).toHaveLength(name.startsWith('pieces') ? 3 : 1);
    const table = await readGrains(join(folder, name));
    expect(table.time, name).toBe(1 / 3);
    // Into its pieces VTK puts grains by turns; which one it is tells its place along x.
    const order = Array.from({ length: table.count }, (_, k) => Math.round(3 * table.positions[3 * k]));
    expect(new Set(order).size, name).toBe(known.radii.length);
    if (!name.startsWith('pieces'))
      expect(
        order.every((grain, k) => grain === k),
        name,
      ).toBe(true);
    // Its filter also makes single precision of the places.
    const positions = name.startsWith('pieces') ? known.positions.map(Math.fround) : known.positions;
    for (const [key, values] of Object.entries({ ...known, positions })) {
      const read = table[key as keyof typeof known]!;
      expect(read, name).toHaveLength(values.length);
      const width = values.length / order.length;
      const wrong = order.filter((grain, k) => {
        for (let c = 0; c < width; c++) if (values[width * grain + c] !== read[width * k + c]) return true;
        return false;
      });
      expect(wrong, `${name}: ${key}`).toEqual([]);
    }
  }
  await expect(readGrains(join(folder, 'lzma.vtp'))).rejects.toThrow(
    /lzma\.vtp: is compressed by vtkLZMADataCompressor, which is not supported; write it with zlib/,
  );
});
