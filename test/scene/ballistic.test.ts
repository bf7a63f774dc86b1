import { describe, expect, test } from 'vitest';
import type { Problem, Vector } from '../../src/scene/problem';
import { nearestOf } from '../support/periodic';
import { expectFault, load, sceneWith } from '../support/scenes';
import { at, length } from '../support/vectors';

const RADIUS = 0.5;
const BOX = { min: [1, -2, 3] as Vector, max: [8, 4, 200] as Vector };
const periodicXY = { periodic: { axes: 'xy', min: [1, -2, 0], max: [8, 4, 0] } };
const ballistic = (parts: object = {}, scene: object = {}) =>
  sceneWith({
    walls: [],
    grains: [{ material: 'glass', ballistic: { count: 250, radius: RADIUS, captureRadius: 1, box: BOX, ...parts } }],
    ...scene,
  });

const lengthsOf = ({ periodic }: Problem): Vector => (periodic ? [periodic.lengths[0], periodic.lengths[1], 0] : [0, 0, 0]);

/** Of each grain, the least gap to an earlier one or to the bottom, by brute force over all images. */
function leastGaps(problem: Problem): number[] {
  const { count, positions, radii } = problem.grains;
  return Array.from({ length: count }, (_, i) => {
    let least = positions[3 * i + 2] - BOX.min[2] - radii[i];
    for (let j = 0; j < i; j++) {
      const gap = length(nearestOf(at(positions, i), at(positions, j), lengthsOf(problem))) - radii[i] - radii[j];
      least = Math.min(least, gap);
    }
    return least;
  });
}

describe('ballistic deposition', () => {
  test.each<[string, object, object]>([
    ['in an open box', {}, {}],
    ['in a periodic box', {}, periodicXY],
    ['in a periodic box with a wide capture', { captureRadius: 2.7 }, periodicXY],
    ['with radii that differ', { radius: { uniform: [0.25, 0.6] }, captureRadius: 1.7 }, periodicXY],
  ])('every grain touches one that came before, or the bottom, and overlaps none, %s', async (_, parts, scene) => {
    const problem = await load(ballistic(parts, scene));
    for (const gap of leastGaps(problem)) expect(Math.abs(gap)).toBeLessThan(1e-12);
    expect(problem.warnings).toEqual([]);
    const heights = problem.grains.positions.filter((_, k) => k % 3 === 2);
    expect(Math.max(...heights)).toBeGreaterThan(BOX.min[2] + 5);
  });

  test('grains lie across the sides of a periodic box, and within those of an open one', async () => {
    const { grains } = await load(ballistic({}, periodicXY));
    expect(grains.positions.some((x, k) => k % 3 === 0 && x < BOX.min[0] + 0.3)).toBe(true);
    const open = (await load(ballistic())).grains;
    for (let i = 0; i < open.count; i++) {
      expect(open.positions[3 * i]).toBeGreaterThanOrEqual(BOX.min[0] + RADIUS - 1e-12);
      expect(open.positions[3 * i]).toBeLessThanOrEqual(BOX.max[0] - RADIUS + 1e-12);
    }
  });

  test('a wider capture gives a looser deposit', async () => {
    const tops = await Promise.all(
      [1, 1.5, 3].map(async (captureRadius) => {
        const { grains } = await load(ballistic({ captureRadius }, periodicXY));
        return Math.max(...grains.positions.filter((_, k) => k % 3 === 2));
      }),
    );
    expect(tops[1]).toBeGreaterThan(tops[0] + 1);
    expect(tops[2]).toBeGreaterThan(tops[1] + 1);
  });

  test('a grain is captured where its centre first comes within the radius, and moves along the line of centres', async () => {
    // One fixed grain in a shaft so narrow that all fall beside it at a known distance.
    const shaft = { min: [2, 0, 0], max: [2 + 1e-9 + 2 * RADIUS, 1e-9 + 2 * RADIUS, 20] };
    const list = [{ position: [1, 0.5, 5], radius: 1, fixed: true }];
    const problem = await load(
      sceneWith({
        walls: [],
        grains: [
          { material: 'glass', ballistic: { count: 1, radius: RADIUS, captureRadius: 2.5, box: shaft } },
          { material: 'glass', list },
        ],
      }),
    );
    // Captured at distance 2.5 with 1.5 across, 2 above; touches at 1.5 along the same line.
    const [x, y, z] = at(problem.grains.positions, 0);
    expect([x, y, z]).toEqual([1 + 1.5 * 0.6, 0.5, 5 + 1.5 * 0.8].map((value) => expect.closeTo(value, 8)));
  });

  test('a grain that reaches the capture radius above the bottom drops onto it, unless it meets another', async () => {
    const shaft = { min: [0, 0, 0], max: [1 + 1e-9, 1 + 1e-9, 20] };
    const drop = (parts: object[]) =>
      load(
        sceneWith({
          walls: [],
          grains: [{ material: 'glass', ballistic: { count: 1, radius: RADIUS, captureRadius: 3, box: shaft } }, ...parts],
        }),
      );
    expect((await drop([])).grains.positions[2]).toBeCloseTo(RADIUS, 12);
    // Its centre is 3 away from that of the post, below the height of 2.5 above which the bottom does not draw.
    const post = { material: 'glass', list: [{ position: [3.4, 0.5, -0.2], radius: 2.6, fixed: true }] };
    const { positions } = (await drop([post])).grains;
    expect(Math.hypot(positions[0] - 3.4, positions[1] - 0.5, positions[2] + 0.2)).toBeCloseTo(RADIUS + 2.6, 8);
    expect(positions[2]).toBeGreaterThan(RADIUS + 0.1);
  });

  test('what a captured grain meets on its way stops it', async () => {
    const shaft = { min: [0, 0, 0], max: [1 + 1e-9, 1 + 1e-9, 20] };
    const list = [
      { position: [2.5, 0.5, 5], radius: 0.5, fixed: true },
      { position: [1.6, 1.6, 5.9], radius: 0.5, fixed: true },
    ];
    const scene = (all: object[]) =>
      sceneWith({
        walls: [],
        grains: [
          { material: 'glass', ballistic: { count: 1, radius: RADIUS, captureRadius: 2.5, box: shaft } },
          { material: 'glass', list: all },
        ],
      });
    const alone = at((await load(scene(list.slice(0, 1)))).grains.positions, 0);
    expect(length([alone[0] - 2.5, alone[1] - 0.5, alone[2] - 5])).toBeCloseTo(1, 12);
    const problem = await load(scene(list));
    const gaps = [1, 2].map(
      (j) => length(nearestOf(at(problem.grains.positions, 0), at(problem.grains.positions, j), [0, 0, 0])) - 1,
    );
    expect(gaps[1]).toBeCloseTo(0, 12);
    expect(gaps[0]).toBeGreaterThan(0.05);
  });

  test('the same seed gives the same deposit, another seed another', async () => {
    const [once, twice, other] = await Promise.all([1, 1, 2].map((seed) => load(ballistic({ seed }))));
    expect(twice.grains.positions).toEqual(once.grains.positions);
    expect(other.grains.positions).not.toEqual(once.grains.positions);
  });

  test.each<[string, object, object, string, RegExp]>([
    [
      'a capture radius below touch',
      { captureRadius: 0.99 },
      {},
      'grains[0].ballistic.captureRadius',
      /at least twice the largest radius \(1\)/,
    ],
    [
      'a capture radius as wide as the periodic box',
      { captureRadius: 4.5 },
      periodicXY,
      'grains[0].ballistic.captureRadius',
      /at most 4\.000/,
    ],
    [
      'more grains than the box is high',
      { count: 400, box: { ...BOX, max: [8, 4, 12] } },
      {},
      'grains[0].ballistic.box',
      /only \d+ of 400 grains came to lie/,
    ],
    ['more grains than volume', { count: 40_000 }, {}, 'grains[0].ballistic', /times the volume/],
    ['no box', { box: undefined }, {}, 'grains[0].ballistic.box', /missing/],
    ['no capture radius', { captureRadius: undefined }, {}, 'grains[0].ballistic.captureRadius', /missing/],
    ['a box upside down', { box: { min: BOX.max, max: BOX.min } }, {}, 'grains[0].ballistic.box.max', /must exceed/],
    ['periodic z', {}, { periodic: { axes: 'z', min: [0, 0, 0], max: [0, 0, 50] } }, 'grains[0].ballistic', /falls along z/],
    ['two dimensions', {}, { dimension: 2 }, 'grains[0].ballistic', /"dimension": 2/],
  ])('is refused with %s', (_, parts, scene, path, message) => expectFault(() => load(ballistic(parts, scene)), path, message));
});
