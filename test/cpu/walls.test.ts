import { expect, test } from 'vitest';
import type { Vector, WallShape } from '../../src/index';
import { type WallContact, wallContact } from '../../src/scene/wallContact';
import { dot, length } from '../support/vectors';

const touch = (shape: WallShape, [x, y, z]: Vector, radius: number): WallContact => {
  const out: WallContact = { gap: Number.NaN, normal: [0, 0, 0] };
  wallContact(shape, x, y, z, radius, out);
  return out;
};

test('plane: the gap is the height over it less the radius, the normal points into it', () => {
  const shape: WallShape = { kind: 'plane', point: [1, 1, 1], normal: [0.6, 0, 0.8] };
  const { gap, normal } = touch(shape, [1 + 0.6 * 2, 7, 1 + 0.8 * 2], 0.5);
  expect(gap).toBeCloseTo(1.5, 12);
  expect(normal).toEqual([-0.6, -0, -0.8]);
});

test('cylinder: gaps and normals from inside and outside about a tilted axis', () => {
  const axis: Vector = [0.6, 0, 0.8];
  const across: Vector = [0.8, 0, -0.6];
  const point: Vector = [1, 2, 3];
  const centre = point.map((p, k) => p + 5 * axis[k] + 1.5 * across[k]) as Vector;
  const inside = touch({ kind: 'cylinder', point, axis, radius: 4, side: 'inside' }, centre, 0.5);
  expect(inside.gap).toBeCloseTo(2, 12);
  expect(dot(inside.normal, across)).toBeCloseTo(1, 12);
  const outside = touch({ kind: 'cylinder', point, axis, radius: 0.75, side: 'outside' }, centre, 0.5);
  expect(outside.gap).toBeCloseTo(0.25, 12);
  expect(dot(outside.normal, across)).toBeCloseTo(-1, 12);
});

test.each<Vector>([
  [0, 0, 1],
  [1, 0, 0],
  [0.6, 0.8, 0],
])('on the axis of a cylinder the normal is a unit vector across it', (...axis) => {
  const { gap, normal } = touch({ kind: 'cylinder', point: [0, 0, 0], axis, radius: 4, side: 'inside' }, axis, 0.5);
  expect(gap).toBeCloseTo(3.5, 12);
  expect(length(normal)).toBeCloseTo(1, 12);
  expect(dot(normal, axis)).toBeCloseTo(0, 12);
});
