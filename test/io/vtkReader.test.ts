import { expect, test } from 'vitest';
import { encodeContactFrame, encodeGrainFrame } from '../../src/io/vtp';
import { smallProblem, smallState } from './support';

/** VTK's own reader for the web, as a judge of the files that did not come from here. It counts on one constant of browsers. */
async function readByVtk(file: Uint8Array) {
  Object.assign(globalThis, { Node: { ELEMENT_NODE: 1 } });
  const { default: XMLPolyDataReader } = await import('@kitware/vtk.js/IO/XML/XMLPolyDataReader.js');
  const reader = XMLPolyDataReader.newInstance();
  expect(reader.parseAsArrayBuffer(file.slice().buffer)).toBe(true);
  return reader.getOutputData();
}

test('VTK reads a grain frame as the state', async () => {
  const problem = smallProblem();
  const state = smallState(problem);
  const read = await readByVtk(encodeGrainFrame(problem, state));
  expect([...read.getPoints().getData()]).toEqual([...state.positions]);
  expect([...read.getVerts().getData()]).toEqual([1, 0, 1, 1, 1, 2]);
  const values = (name: string) => [...read.getPointData().getArrayByName(name)!.getData()];
  expect(values('id')).toEqual([0, 1, 2]);
  expect(values('radius')).toEqual([0.5, 0.5, 0.25]);
  expect(values('velocity')).toEqual([...state.velocities]);
  expect(values('contacts')).toEqual([2, 1, 0]);
});

test('VTK reads a contact frame as the contacts', async () => {
  const problem = smallProblem();
  const state = smallState(problem);
  const read = await readByVtk(encodeContactFrame(problem, state));
  expect([...read.getLines().getData()]).toEqual([2, 0, 1, 2, 1, 2, 2, 0, 3]);
  const values = (name: string) => [...read.getCellData().getArrayByName(name)!.getData()];
  expect(values('force')).toEqual([...state.contacts.forces]);
  expect(values('gap')).toEqual([-0.0625, 0.125, 0.25]);
});
