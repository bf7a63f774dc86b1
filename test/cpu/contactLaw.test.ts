import { describe, expect, test } from 'vitest';
import { applyContactLaw } from '../../src/cpu/contactLaw';
import { CONTACT_STRIDE, ContactBlock, EXTRA_STRIDE, IMPULSE, reducedRadius, TORQUE } from '../../src/cpu/contacts';
import { TARGET_STRIDE } from '../../src/cpu/memory';
import { residual } from '../../src/cpu/residual';
import { applyShockLaw } from '../../src/cpu/shockLaw';
import { ContactSolver } from '../../src/cpu/solve';
import type { Vector } from '../../src/index';
import type { PairLaw } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { crowd, type Prepared, prepare } from '../support/systems';
import { add, at, cross, dot, length, scale, subtract } from '../support/vectors';

/** What a contact does and how its bodies move after it, from the definitions, with angular velocities instead of spins. */
function contactOf(system: System, { block, list, motion }: Prepared, slot: number) {
  const c = block.order[slot];
  const [i, j] = [list.first[c], list.second[c]];
  const normal = at(list.normals, c);
  const body = (b: number, radius: number) => {
    const velocity = at(motion.subarray(8 * b), 0);
    const spin = at(motion.subarray(8 * b + 3), 0);
    return { velocity, spin, turn: b < system.grains ? scale(spin, 1 / radius) : ([0, 0, 0] as Vector) };
  };
  const [one, two] = [body(i, system.radii[i]), body(j, system.radii[j])];
  const velocity = subtract(subtract(two.velocity, one.velocity), cross(add(one.spin, two.spin), normal));
  const reduced = reducedRadius(system, i, j);
  const rolling = scale(subtract(two.turn, one.turn), reduced);
  const impulse = at(block.data.subarray(CONTACT_STRIDE * slot + IMPULSE), 0);
  const torque = at(block.extra.subarray(EXTRA_STRIDE * slot + TORQUE), 0);
  const split = (v: Vector): [number, Vector] => [dot(v, normal), subtract(v, scale(normal, dot(v, normal)))];
  return {
    gap: Math.max(list.gaps[c], 0),
    law: system.laws[list.laws[c]],
    velocity: split(velocity),
    rolling: split(rolling),
    impulse: split(impulse),
    torque: split(torque),
  };
}

/** How far friction of any kind is from its law: bounded, and where there is motion at its bound and against it. */
function frictionError(force: Vector, motion: Vector, most: number, sliding: number, size: number): number {
  if (length(motion) <= 1e-9 * size) return Math.max(0, length(force) - most);
  return length(subtract(force, scale(motion, -sliding / length(motion))));
}

const LAWS: [string, Partial<PairLaw>][] = [
  ['static and dynamic friction', { staticFriction: 0.5, dynamicFriction: 0.3 }],
  ['rolling friction', { rollingFriction: 0.3 }],
  ['torsion friction', { torsionFriction: 0.2 }],
  ['all of them', { staticFriction: 0.4, dynamicFriction: 0.3, rollingFriction: 0.2, torsionFriction: 0.1 }],
];

describe('contact law', () => {
  test('with a plain law is the shock law', () => {
    const [plain, general] = [prepare(crowd(150)), prepare(crowd(150))];
    const block = new ContactBlock(true);
    block.gather(generalList(general), general.colouring, general.motion, crowd(150));
    for (let sweep = 0; sweep < 4; sweep++) {
      const momentum = sweep === 0 ? 0 : 0.7;
      applyShockLaw(plain.block, 0, plain.block.count, plain.motion, momentum);
      applyContactLaw(block, 0, block.count, general.motion, momentum);
    }
    plain.motion.forEach((value, k) => {
      expect(Math.abs(general.motion[k] - value)).toBeLessThan(1e-12);
    });
    expect(residual(block, general.motion).rms).toBeCloseTo(residual(plain.block, plain.motion).rms, 10);
  });

  test.each(LAWS)('%s: updated until it stays, a contact satisfies every law at once', (_, law) => {
    const system = crowd(150, 3, law);
    const seen = { open: 0, sticking: 0, sliding: 0, rolling: 0, turning: 0 };
    const prepared = prepare(system);
    const { block } = prepared;
    expect(block.general).toBe(true);
    for (let slot = 0; slot < block.count; slot++) {
      // Where P_t and the torque are both at their bounds they settle each other's direction.
      for (let k = 0; k < 300; k++) applyContactLaw(block, slot, slot + 1, prepared.motion, 0);
      const { gap, law: own, velocity, rolling, impulse, torque } = contactOf(system, prepared, slot);
      const [normal, tangential] = impulse;
      if (normal === 0) {
        seen.open++;
        expect(velocity[0] + gap).toBeGreaterThan(-1e-12);
        expect(length(tangential) + length(torque[1]) + Math.abs(torque[0])).toBe(0);
        continue;
      }
      const size = 0.1;
      expect(normal).toBeGreaterThan(0);
      expect(Math.abs(velocity[0] + gap)).toBeLessThan(1e-12);
      const [most, sliding] = [own.staticFriction * normal, own.dynamicFriction * normal];
      expect(frictionError(tangential, velocity[1], most, sliding, size)).toBeLessThan(1e-10);
      const roll = own.rollingFriction * normal;
      expect(frictionError(torque[1], rolling[1], roll, roll, size)).toBeLessThan(1e-10);
      const twist = own.torsionFriction * normal;
      expect(Math.abs(torque[0])).toBeLessThanOrEqual(twist + 1e-12);
      if (Math.abs(rolling[0]) > 1e-10) expect(torque[0]).toBeCloseTo(-Math.sign(rolling[0]) * twist, 12);
      if (length(velocity[1]) > 1e-9 * size) seen.sliding++;
      else seen.sticking++;
      if (length(rolling[1]) > 1e-9 * size) seen.rolling++;
      if (Math.abs(rolling[0]) > 1e-10) seen.turning++;
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });

  test('asked for answers it changes nothing', () => {
    const { block, motion } = prepare(crowd(100, 1, { rollingFriction: 0.2 }));
    const [data, extra, bodies] = [block.data.slice(), block.extra.slice(), motion.slice()];
    applyContactLaw(block, 0, block.count, motion, 0, block.answers);
    expect(block.data).toEqual(data);
    expect(block.extra).toEqual(extra);
    expect(motion).toEqual(bodies);
    expect(block.torqueAnswers.some((torque) => torque !== 0)).toBe(true);
  });

  test.each([0, 0.9])('momentum %f: velocities are the free ones plus all impulses and torques', async (momentum) => {
    const system = crowd(150, 1, { rollingFriction: 0.2, torsionFriction: 0.3 });
    const prepared = prepare(system);
    const expected = prepared.motion.slice();
    const options = { ...system.solver, momentum, convergence: { criterion: 'fixed', iterations: 57 } as const };
    await new ContactSolver(options, 150).solve(prepared.block, prepared.motion, 0);
    prepared.block.applyImpulses(expected);
    prepared.motion.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 10);
    });
  });

  test('sweeps settle which contacts slide where static and dynamic friction differ', async () => {
    const system = crowd(200, 2, { staticFriction: 0.4, dynamicFriction: 0.3 });
    const prepared = prepare(system);
    const convergence = { criterion: 'residual', tolerance: 1e-8, balance: null, maxIterations: 20_000 } as const;
    const solver = new ContactSolver({ ...system.solver, momentum: 0.8, convergence }, 200);
    expect(await solver.solve(prepared.block, prepared.motion, 0)).toMatchObject({ converged: true });
    const seen = { between: 0, sliding: 0 };
    for (let slot = 0; slot < prepared.block.count; slot++) {
      const { velocity, impulse } = contactOf(system, prepared, slot);
      const [normal, tangential] = impulse;
      if (normal < 1e-6) continue;
      const slip = velocity[1];
      if (length(slip) < 1e-6) {
        expect(length(tangential)).toBeLessThan(0.4 * normal + 1e-8);
        if (length(tangential) > 0.301 * normal) seen.between++;
      } else {
        seen.sliding++;
        expect(length(subtract(tangential, scale(slip, (-0.3 * normal) / length(slip))))).toBeLessThan(1e-5);
      }
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(3);
  });

  test('sweeps converge on all laws together', async () => {
    const system = crowd(150, 2, { rollingFriction: 0.2, torsionFriction: 0.3 });
    const prepared = prepare(system);
    const convergence = { criterion: 'residual', tolerance: 1e-6, balance: null, maxIterations: 20_000 } as const;
    const solution = await new ContactSolver({ ...system.solver, momentum: 0.5, convergence }, 150).solve(
      prepared.block,
      prepared.motion,
      0,
    );
    expect(solution.converged).toBe(true);
  });
});

/** The list of a plain system with room for torques. */
function generalList({ list }: Prepared) {
  list.torques = new Float64Array(3 * list.count);
  list.targets = new Float64Array(TARGET_STRIDE * list.count);
  return list;
}
