import { expect, test } from 'vitest';
import { meetBonds, rememberBonds } from '../../src/cpu/bonds';
import { APPROACH, BOND, CLOSED, OPEN, PHASE, PULL_TARGET, RESTING, STOPPED, WORK, WORK_SHARE } from '../../src/cpu/memory';
import { rememberCollisions } from '../../src/cpu/restitution';
import { toSystem } from '../../src/scene/units';
import { makeProblem } from '../support/problems';
import { prepare } from '../support/systems';

/** A pair of grains with a gap of 0.01, bonded up to a gap of 0.02, and its only contact. */
function onePair() {
  const system = toSystem(
    makeProblem({
      grains: [
        { position: [0, 0, 0], mass: 1 },
        { position: [1.01, 0, 0], mass: 1 },
      ],
      law: { cohesionForce: 1, cohesionRange: 0.02, normalRestitution: 1 },
    }),
  );
  const { list, motion } = prepare(system);
  return {
    system,
    list,
    press(impulse: number) {
      list.impulses[0] = impulse;
      rememberCollisions(system, list, motion, motion);
      rememberBonds(system, list);
    },
    meet: () => meetBonds(system, list),
    part: (k: number) => list.memory[k],
    pull: () => list.targets[PULL_TARGET],
  };
}

test('bodies that pressed at a gap that is still open are bonded from the next step on, until it exceeds the range', () => {
  const { list, meet, press, pull } = onePair();
  expect(list.count).toBe(1);
  meet();
  expect(pull()).toBe(0);
  press(0.1);
  meet();
  expect(pull()).toBeCloseTo(1, 12);
  press(-0.5);
  list.gaps[0] = 0.0201;
  meet();
  expect(pull()).toBe(0);
  list.gaps[0] = 0.019;
  meet();
  expect(pull()).toBe(0);
});

test('bodies that pull or do nothing at a distance form no bond', () => {
  const { meet, press, part } = onePair();
  meet();
  press(0);
  expect(part(BOND)).toBe(0);
  press(-1);
  expect(part(BOND)).toBe(0);
});

test('a collision closes, stops and rebounds, each for one step, and is then forgotten', () => {
  const { list, press, part } = onePair();
  list.memory[APPROACH] = 0.3;
  list.targets[WORK_SHARE] = 1.5;
  press(0.1);
  expect(part(PHASE)).toBe(CLOSED);
  expect(part(WORK)).toBeCloseTo(0.15, 12);
  list.targets[WORK_SHARE] = 0.25;
  press(0.2);
  expect(part(PHASE)).toBe(STOPPED);
  expect(part(WORK)).toBeCloseTo(0.2, 12);
  press(0.3);
  expect([part(PHASE), part(APPROACH), part(WORK)]).toEqual([RESTING, 0, 0]);
  press(0);
  expect(part(PHASE)).toBe(OPEN);
  // Pressed together without an approach: no collision.
  press(0.1);
  expect(part(PHASE)).toBe(RESTING);
});
