import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import { type WallContact, wallContact } from '../scene/wallContact';
import { BASE_REACH, PISTON_ITERATIONS, REACH_GROWTH } from '../settings';
import { planeAnchor, type SnapshotPiston } from '../snapshot';
import { BODY_STRIDE } from './bodies';
import { normalImpulse } from './contactLaw';
import { CONTACT_STRIDE, type ContactBlock, GAP, IMPULSE, PREVIOUS_IMPULSE, REDUCED_MASS } from './contacts';
import { grown } from './growable';
import type { Hub } from './hubs';
import { lawOf } from './law';

/** Change of a velocity over which the growth of an impulse is tested, diameters per step. */
const SLOPE_STEP = 1e-6;

interface Piston {
  wall: number;
  /** Where its motion begins. */
  body: number;
  mass: number;
  /** Impulse of its force in a step. */
  force: number;
  normal: Vector;
  /** The point of its plane that was nearest the origin at the start, and from there to the wall's point. */
  anchor: Vector;
  toPoint: Vector;
  /** M v at the start of the step, plus the force's impulse. */
  freeMomentum: number;
  /** Along the normal, as of the last sweep. */
  velocity: number;
  /** Least reach, from an attempt that the piston outran. */
  floor: number;
}

/**
 * Pistons: planes with one degree of freedom, along their normal N. To the grains they are walls of velocity v N; what v is, the
 * sweeps find by solving the piston together with all its contacts.
 */
export class Pistons {
  private readonly pistons: Piston[];
  private readonly touch: WallContact = { gap: 0, normal: [0, 0, 0] };
  /** C, velocity of the piston from which on each contact bears, and the mass with which it then answers */
  private onsets = new Float64Array(0);
  private masses = new Float64Array(0);

  /**
   * @param system the walls of pistons move in it
   * @param from where they start
   * @param motion bodies, those of pistons get their velocities
   */
  constructor(
    private readonly system: System,
    from: readonly SnapshotPiston[],
    motion: Float64Array,
  ) {
    this.pistons = system.pistons.map(({ wall, mass, force }, p): Piston => {
      const shape = system.walls[wall];
      if (shape.kind !== 'plane') throw new Error('Only planes can be pistons');
      const start = planeAnchor(shape);
      const body = BODY_STRIDE * (system.grains + wall);
      const anchor = from[p].anchor.map((x, axis) => x + from[p].remainder[axis]) as Vector;
      const toPoint = shape.point.map((x, axis) => x - start[axis]) as Vector;
      motion.set(from[p].velocity, body);
      return { wall, body, mass, force, normal: shape.normal, anchor, toPoint, freeMomentum: 0, velocity: 0, floor: 0 };
    });
    this.place();
  }

  private place(): void {
    for (const { wall, anchor, toPoint } of this.pistons) {
      for (let axis = 0; axis < 3; axis++) this.system.walls[wall].point[axis] = anchor[axis] + toPoint[axis];
    }
  }

  capture(motion: Float64Array): SnapshotPiston[] {
    return this.pistons.map(({ wall, body, anchor }) => ({
      wall,
      anchor: [...anchor],
      remainder: [0, 0, 0],
      velocity: [motion[body], motion[body + 1], motion[body + 2]],
    }));
  }

  /** Begins a step. */
  begin(): void {
    for (const piston of this.pistons) piston.floor = 0;
  }

  /**
   * Free velocities, and how far pistons may go: on at the speed that they have or to the nearest grain, whichever is farther,
   * but no farther than the free velocity takes them. That one says nothing by itself: a piston almost without mass would
   * fly through the packing.
   * @param motion bodies, those of pistons with the velocity of the last step; written
   * @param positions N x 3
   * @param reach W, written for pistons
   */
  predict(motion: Float64Array, positions: Float64Array, reach: Float64Array): void {
    for (const piston of this.pistons) {
      const { wall, body, mass, force, normal } = piston;
      const before = along(motion, body, normal);
      piston.velocity = before;
      piston.freeMomentum = mass * before + force;
      const free = piston.freeMomentum / mass;
      setVelocity(motion, piston, free);
      const ahead = free > before ? Math.min(free, Math.max(before, this.nearestGap(wall, positions))) : free;
      reach[wall] = Math.max(piston.floor, BASE_REACH + Math.max(ahead, 0));
    }
  }

  private nearestGap(wall: number, positions: Float64Array): number {
    const { grains, radii, inverseMasses, walls } = this.system;
    let nearest = Infinity;
    for (let i = 0; i < grains; i++) {
      if (inverseMasses[i] === 0) continue;
      wallContact(walls[wall], positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], radii[i], this.touch);
      if (this.touch.gap < nearest) nearest = this.touch.gap;
    }
    return nearest;
  }

  /**
   * Solves a piston together with all its contacts, the rest of the packing held as it is. A contact at piston velocity v bears
   * P_n = max(0, m (v - c)), with m the grain's mass and c the velocity at which it begins to: sum P_n grows with v, piece by
   * piece linearly, and Newton's method finds the v at which M v = M v_0 + F - sum P_n in a few steps. Then each contact is
   * updated as at a wall of that velocity: no two share a grain.
   */
  sweep(block: ContactBlock, { body, begin, end }: Hub, motion: Float64Array, momentum: number): void {
    const piston = this.pistons.find(({ wall }) => this.system.grains + wall === body)!;
    this.findOnsets(block, begin, end, motion, momentum);
    piston.velocity = block.general ? this.balanceLaws(piston, block, begin, end) : this.balance(piston, end - begin);
    setVelocity(motion, piston, piston.velocity);
    lawOf(block)(block, begin, end, motion, momentum);
  }

  /** With y the impulse that a contact starts from, P_n = y_n - m (V_n + g+) and V_n = -v - n . v_grain. */
  private findOnsets({ data, bodies }: ContactBlock, begin: number, end: number, motion: Float64Array, momentum: number): void {
    this.onsets = grown(this.onsets, end - begin);
    this.masses = grown(this.masses, end - begin);
    for (let slot = begin; slot < end; slot++) {
      const k = CONTACT_STRIDE * slot;
      const a = bodies[2 * slot];
      let [acting, away] = [0, 0];
      for (let axis = 0; axis < 3; axis++) {
        const now = data[k + IMPULSE + axis];
        acting += data[k + axis] * (now + momentum * (now - data[k + PREVIOUS_IMPULSE + axis]));
        away += data[k + axis] * motion[a + axis];
      }
      const mass = data[k + REDUCED_MASS];
      this.onsets[slot - begin] = data[k + GAP] - away - acting / mass;
      this.masses[slot - begin] = mass;
    }
  }

  private balance(piston: Piston, count: number): number {
    let velocity = piston.velocity;
    let bearing = -1;
    for (let iteration = 0; iteration < PISTON_ITERATIONS; iteration++) {
      let [mass, momentum, now] = [piston.mass, piston.freeMomentum, 0];
      for (let k = 0; k < count; k++) {
        if (velocity <= this.onsets[k]) continue;
        mass += this.masses[k];
        momentum += this.masses[k] * this.onsets[k];
        now++;
      }
      velocity = momentum / mass;
      // After the first step v only falls, so that an equal number are the same contacts.
      if (now === bearing) break;
      bearing = now;
    }
    return velocity;
  }

  /**
   * The same for laws with more than one bend, under which a contact may pull too: M v + sum P_n still grows with v, so Newton's
   * method between bounds that close in finds the v at which it is M v_0 + F.
   */
  private balanceLaws(piston: Piston, block: ContactBlock, begin: number, end: number): number {
    let [least, most] = [-Infinity, Infinity];
    let { velocity } = piston;
    for (let iteration = 0; iteration < PISTON_ITERATIONS; iteration++) {
      let [excess, slope] = [piston.mass * velocity - piston.freeMomentum, piston.mass];
      for (let slot = begin; slot < end; slot++) {
        const mass = this.masses[slot - begin];
        const stopping = mass * (velocity - this.onsets[slot - begin] + block.data[CONTACT_STRIDE * slot + GAP]);
        const normal = normalImpulse(block, slot, stopping);
        excess += normal;
        slope += (normalImpulse(block, slot, stopping + mass * SLOPE_STEP) - normal) / SLOPE_STEP;
      }
      if (excess > 0) most = velocity;
      else least = velocity;
      const next = velocity - excess / slope;
      if (next === velocity) break;
      velocity = next > least && next < most ? next : least + (most - least) / 2;
    }
    return velocity;
  }

  /** Whether a piston went farther than its reach; it gets a larger one for the next attempt. */
  outran(motion: Float64Array, reach: Float64Array): boolean {
    let outran = false;
    for (const piston of this.pistons) {
      const velocity = along(motion, piston.body, piston.normal);
      if (velocity <= reach[piston.wall]) continue;
      piston.floor = REACH_GROWTH * velocity;
      outran = true;
    }
    return outran;
  }

  /** Moves the points of the system's walls by the velocities at the end of the step. */
  integrate(motion: Float64Array): void {
    for (const { body, anchor } of this.pistons) {
      for (let axis = 0; axis < 3; axis++) anchor[axis] += motion[body + axis];
    }
    this.place();
  }
}

function along(motion: Float64Array, body: number, normal: Vector): number {
  return normal[0] * motion[body] + normal[1] * motion[body + 1] + normal[2] * motion[body + 2];
}

function setVelocity(motion: Float64Array, { body, normal }: Piston, velocity: number): void {
  for (let axis = 0; axis < 3; axis++) motion[body + axis] = velocity * normal[axis];
}
