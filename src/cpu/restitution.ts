import type { System } from '../scene/system';
import { BODY_STRIDE, INVERSE_MASS, SPIN } from './bodies';
import type { CandidateList } from './candidateList';
import {
  APPROACH,
  CLOSED,
  LEAST_PARTING,
  LEAST_SLIP,
  MEMORY_STRIDE,
  OPEN,
  PARTING_TARGET,
  PHASE,
  RESTING,
  SLIP,
  SLIP_LOSS,
  SLIP_START,
  SLIP_WORK,
  STOPPED,
  TARGET_STRIDE,
  WORK,
  WORK_SHARE,
} from './memory';

/*
 * A collision takes three steps. The first closes the gap and the second stops the approach, both by the law without restitution;
 * the third drives the surfaces apart, up to e_n times the speed u of approach at the start of the first, before external
 * forces, but with no more work than e_n^2 of what it took to stop them: a load that passes through surfaces which move apart no
 * longer, or that others bring while the contact holds still, is none of the collision's. Across the normal, friction aims at
 * -e_t times the velocity before in all three steps.
 *
 * An impulse P that changes the normal velocity from V to V' does the work P (V + V')/2. It presses only where V' = -g+, so that
 * stopping takes P (g+ - V)/2. Where the normal has turned meanwhile the surfaces part already in the third step, with V > 0: as
 * e_n u is that of a square, they may leave with the root of V^2 + (e_n u)^2.
 *
 * Across the normal too: where it turns meanwhile, the velocity before is longer or shorter than what is left of it, so its
 * square is the one that is left now and what friction has taken since, for two bodies alone; the velocity before has the direction.
 *
 * A contact that was moving apart and is pushed together by a collision does work, P (V + V')/2 > 0. The collisions of its two bodies have
 * then taken less than they count: what others keep of the change of V is not theirs, and they count as if alone, P (V + P/(2 m)).
 *
 * Friction does no more work than it has taken, by the less favourable of two accounts, which agree where no others act. One is its own,
 * P_t . (V_t + V_t')/2. That of all contacts together is what the energy changes by: the sum of P . V', at most 0 where a
 * contact does not aim, less the energy of what the step changed of the velocities, which is at least (V_t' - V_t)^2/(2 A) for
 * the slip of this one. So by the other account it does P_t . V_t' - (V_t' - V_t)^2/(2 A), and leaves nothing for
 * contacts that are pushed together by it, and then do work on what moved apart before.
 */

/**
 * What collisions ask of this step: rebounds and slip targets, from what contacts remember. A contact that did not press in the
 * last step and whose bodies approach may begin a collision.
 * @param start bodies at the start of the step
 * @param free the same with their free velocities
 */
export function meetCollisions(system: System, list: CandidateList, start: Float64Array, free: Float64Array): void {
  const { normals, memory, targets } = list;
  const across = new Float64Array(3);
  const before = new Float64Array(3);
  targets.fill(0, 0, TARGET_STRIDE * list.count);
  for (let c = 0; c < list.count; c++) {
    const { normalRestitution, tangentialRestitution } = system.laws[list.laws[c]];
    const m = MEMORY_STRIDE * c;
    const t = TARGET_STRIDE * c;
    const begins = memory[m + PHASE] === OPEN;
    const parting = relativeVelocity(list, c, start, begins || tangentialRestitution > 0 ? across : undefined);
    if (begins) {
      // The velocity at which contact c begins a collision, should it press in this step.
      memory[m + APPROACH] = Math.max(-parting, 0);
      for (let axis = 0; axis < 3; axis++) memory[m + SLIP + axis] = parting < 0 ? across[axis] : 0;
    }
    const gained = relativeVelocity(list, c, free) - parting;
    const leaving = memory[m + PHASE] === STOPPED ? normalRestitution * memory[m + APPROACH] : 0;
    const from = leaving > 0 ? Math.max(parting, 0) : 0;
    // What pushes the bodies together in this step is not the collision's to undo: a slow grain comes to rest.
    targets[t] = Math.max(Math.sqrt(leaving * leaving + from * from) + Math.min(gained, 0), 0);
    targets[t + 1] = leaving > 0 ? normalRestitution ** 2 * memory[m + WORK] : 0;
    targets[t + PARTING_TARGET] = from;
    targets[t + WORK_SHARE] = Math.max(Math.max(list.gaps[c], 0) - parting, 0);
    // The normal has turned since the slip was taken.
    if (tangentialRestitution === 0) continue;
    const along = dot(normals, 3 * c, memory, m + SLIP);
    for (let axis = 0; axis < 3; axis++) before[axis] = memory[m + SLIP + axis] - along * normals[3 * c + axis];
    const size = Math.sqrt(dot(before, 0, before, 0));
    if (size <= LEAST_SLIP * memory[m + APPROACH]) continue;
    const now = dot(across, 0, across, 0);
    const since = (1 + system.inertiaFactor) * inverseMassOf(list, c, free) * memory[m + SLIP_LOSS];
    const bound = Math.sqrt(Math.max(now + Math.min(since, size * size), 0));
    for (let axis = 0; axis < 3; axis++) {
      targets[t + 2 + axis] = ((-tangentialRestitution * bound) / size) * before[axis];
      targets[t + SLIP_START + axis] = across[axis];
    }
    targets[t + SLIP_WORK] = Math.max(memory[m + SLIP_LOSS], 0);
  }
}

const dot = (a: Float64Array, i: number, b: Float64Array, j: number) => a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];

/** 1/m_n, by how much an impulse of 1 changes the normal velocity at contact c. */
const inverseMassOf = ({ first, partners }: CandidateList, c: number, motion: Float64Array) =>
  motion[BODY_STRIDE * first[c] + INVERSE_MASS] + motion[BODY_STRIDE * partners[c] + INVERSE_MASS];

/**
 * Velocity of the second body's surface against the first's at contact c.
 * @param across takes what is left of it without its part along the normal
 * @returns its part along the normal
 */
function relativeVelocity(
  { first, partners, normals }: CandidateList,
  c: number,
  motion: Float64Array,
  across?: Float64Array,
): number {
  const [a, b] = [BODY_STRIDE * first[c], BODY_STRIDE * partners[c]];
  const [nx, ny, nz] = [normals[3 * c], normals[3 * c + 1], normals[3 * c + 2]];
  const vx = motion[b] - motion[a];
  const vy = motion[b + 1] - motion[a + 1];
  const vz = motion[b + 2] - motion[a + 2];
  const normal = vx * nx + vy * ny + vz * nz;
  if (across) {
    const sx = motion[a + SPIN] + motion[b + SPIN];
    const sy = motion[a + SPIN + 1] + motion[b + SPIN + 1];
    const sz = motion[a + SPIN + 2] + motion[b + SPIN + 2];
    across[0] = vx - (sy * nz - sz * ny) - normal * nx;
    across[1] = vy - (sz * nx - sx * nz) - normal * ny;
    across[2] = vz - (sx * ny - sy * nx) - normal * nz;
  }
  return normal;
}

/**
 * For each body that moves the fastest at which it moved away from another, at the start of the step, of those that others have pushed
 * it against in the step: such a contact does work that no collision has taken.
 */
function partedBodies({ laws }: System, list: CandidateList, start: Float64Array): Float64Array {
  const parted = new Float64Array(start.length / BODY_STRIDE);
  if (!laws.some(({ normalRestitution }) => normalRestitution > 0)) return parted;
  const { first, partners, normals, impulses, memory } = list;
  for (let c = 0; c < list.count; c++) {
    if (memory[MEMORY_STRIDE * c + PHASE] > RESTING || dot(normals, 3 * c, impulses, 3 * c) <= 0) continue;
    const parting = relativeVelocity(list, c, start);
    for (const body of [first[c], partners[c]]) {
      if (start[BODY_STRIDE * body + INVERSE_MASS] > 0) parted[body] = Math.max(parted[body], parting);
    }
  }
  return parted;
}

/**
 * What contacts take from this step into the next, once its impulses are known.
 * @param start bodies at the start of the step
 * @param end the same with the velocities that it ends with
 */
export function rememberCollisions(system: System, list: CandidateList, start: Float64Array, end: Float64Array): void {
  const { count, first, partners, normals, impulses, memory, targets } = list;
  const parted = partedBodies(system, list, start);
  const across = new Float64Array(3);
  const before = new Float64Array(3);
  for (let c = 0; c < count; c++) {
    const m = MEMORY_STRIDE * c;
    const pressing = Math.max(dot(normals, 3 * c, impulses, 3 * c), 0);
    let share = targets[TARGET_STRIDE * c + WORK_SHARE];
    if (Math.max(parted[first[c]], parted[partners[c]]) > LEAST_PARTING * memory[m + APPROACH]) {
      const alone = -2 * relativeVelocity(list, c, start) - pressing * inverseMassOf(list, c, end);
      share = Math.max(Math.min(share, alone), 0);
    }
    const stopping = pressing * share;
    const begins = memory[m + PHASE] === OPEN && pressing > 0 && memory[m + APPROACH] > 0;
    if (begins || memory[m + PHASE] === CLOSED) {
      memory[m + PHASE] = begins ? CLOSED : STOPPED;
      memory[m + WORK] += stopping;
      if (system.laws[list.laws[c]].tangentialRestitution === 0) continue;
      relativeVelocity(list, c, start, before);
      relativeVelocity(list, c, end, across);
      const atEnd = dot(impulses, 3 * c, across, 0);
      const exact = dot(impulses, 3 * c, before, 0) + atEnd;
      for (let axis = 0; axis < 3; axis++) across[axis] -= before[axis];
      const alone = 2 * atEnd - dot(across, 0, across, 0) / ((1 + system.inertiaFactor) * inverseMassOf(list, c, end));
      memory[m + SLIP_LOSS] -= Math.max(exact, alone);
    } else {
      memory[m + PHASE] = pressing > 0 ? RESTING : OPEN;
      memory.fill(0, m + APPROACH, m + SLIP_LOSS + 1);
    }
  }
}
