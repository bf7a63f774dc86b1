import { describe, expect, test } from 'vitest';
import * as analysis from '../../src/index';
import { load, sceneWith } from '../support/scenes';

const problem = await load(sceneWith());
const simulation = await analysis.createSimulation(problem, { backend: 'cpu' });
const state = await simulation.read();
const { contacts } = state;
const box = { kind: 'box', min: [0, 0, 0], max: [1, 1, 3] };

describe('figures of packings refuse', () => {
  const cylinder = { kind: 'cylinder', point: [0, 0, 0], axis: [0, 0, 1], radius: 1, height: 2 } as const;
  test.each([
    ['a negative radius', { ...cylinder, radius: -1 }, /region.radius must be a finite number from 0, got -1/],
    [
      'an axis that is no direction',
      { ...cylinder, axis: [0, 0, 2] },
      /region.axis must be three numbers of length 1, got \[0,0,2\]/,
    ],
    ['a height of none', { ...cylinder, height: Number.NaN }, /region.height must be a finite number from 0, got NaN/],
    ['corners that are exchanged', { kind: 'box', min: [0, 0, 1], max: [1, 1, 0] }, /region.max must be at least region.min/],
    ['corners of two numbers', { kind: 'box', min: [0, 0], max: [1, 1] }, /region.min must be three finite numbers/],
    ['a box without an end', { kind: 'box', min: [0, 0, 0], max: [1, 1, Infinity] }, /region.max must be three finite numbers/],
    ['a cylinder in two dimensions', cylinder, /region must be a box in two dimensions/, 2],
  ] as const)('%s', (_, region, message, dimension: 2 | 3 = 3) => {
    expect(() => analysis.regionVolume(region as analysis.Region, dimension)).toThrow(message);
    const coordination = () => analysis.coordination(contacts, state.positions, { region: region as analysis.Region, dimension });
    expect(coordination).toThrow(message);
  });

  test('arrays that do not belong together, told by their lengths', () => {
    const { positions } = state;
    const two = new Float64Array(6);
    const call = (given: unknown) => () => analysis.volumeFraction(problem, given as Float64Array, box as analysis.Region);
    expect(call(two)).toThrow(/positions must be a Float64Array of 3 finite numbers, 3 for each, got a Float64Array of 6/);
    expect(call(Float64Array.of(0, Number.NaN, 0))).toThrow(/got a Float64Array of 3 with NaN at 1/);
    expect(call([0, 0, 0])).toThrow(/positions must be a Float64Array/);
    const one = { ...contacts, count: 1, first: Uint32Array.of(7), second: Uint32Array.of(0) };
    const pair = { ...one, normals: Float64Array.of(0, 0, 1), forces: Float64Array.of(0, 0, 1) };
    expect(() => analysis.coordination(pair, positions)).toThrow(/contacts.first\[0\] names grain 7, and there are 1/);
    expect(() => analysis.coordination({ ...pair, forces: two }, positions)).toThrow(
      /contacts.forces must be .* got a Float64Array of 6/,
    );
    expect(() => analysis.touchingContacts(two, Float64Array.of(1, 0))).toThrow(/radii must be above 0, got 0 for grain 1/);
    const narrow = { min: [0, 0, 0], lengths: [0, 4, 0] } as analysis.Periodic;
    const apart = Float64Array.of(0, 0, 0, 0, 2, 0);
    expect(() => analysis.touchingContacts(apart, Float64Array.of(1, 1), 0, narrow)).toThrow(
      /periodic.lengths must be 0 or above 4 each: pairs in a narrower box touch from two sides, got \[0,4,0\]/,
    );
  });
});
