import type { System } from '../scene/system';
import { BODY_STRIDE, SPIN } from './bodies';
import type { CandidateList } from './candidateList';
import {
  APPROACH,
  CLOSED,
  COMPRESSION,
  COMPRESSION_SHARE,
  MEMORY_STRIDE,
  OPEN,
  PHASE,
  RESTING,
  SLIP,
  STOPPED,
  TARGET_STRIDE,
} from './memory';

/*
 * A collision takes three steps. The first closes the gap and the second stops the approach, both by the law without restitution;
 * the third drives the surfaces apart, up to e_n times the speed u of approach at the start of the first, before external
 * forces, but with no more work than e_n^2 of what it took to stop them. The first bound is Newton's law; the second is Poisson's,
 * with the impulse of each step weighed by the work that it did: a load that passes through surfaces which move apart no longer,
 * or that others bring while the contact holds still, is none of the collision's. Across the normal, friction aims at
 * -e_t times the velocity before in all three steps.
 *
 * An impulse P that changes the normal velocity from V to V' does the work P (V + V')/2. It presses only where V' = -g+, so it takes
 * P (g+ - V)/2, and J = sum of P (g+ - V)/u is twice the work over u: for two bodies alone the whole impulse. In the third step V' is
 * at most b = e_n u less what pushes the bodies together, and P (V + b)/2 <= e_n^2 u J/2 is the bound on P.
 */

/**
 * What collisions ask of this step: rebounds and slip targets, from what contacts remember. A contact that did not press in the
 * last step and whose bodies approach may begin a collision.
 * @param start bodies at the start of the step
 * @param free the same with their free velocities
 */
export function meetCollisions(system: System, list: CandidateList, start: Float64Array, free: Float64Array): void {
  const { memory, targets } = list;
  for (let c = 0; c < list.count; c++) {
    const { normalRestitution, tangentialRestitution } = system.laws[list.laws[c]];
    const m = MEMORY_STRIDE * c;
    const t = TARGET_STRIDE * c;
    if (memory[m + PHASE] === OPEN) begin(list, c, start);
    const gained = normalVelocity(list, c, free) - normalVelocity(list, c, start);
    const speed = memory[m + APPROACH];
    const leaving = memory[m + PHASE] === STOPPED ? normalRestitution * speed : 0;
    // What pushes the bodies together in this step is not the collision's to undo: a slow grain comes to rest.
    targets[t] = Math.max(leaving + Math.min(gained, 0), 0);
    const parting = normalVelocity(list, c, start);
    // Where the normal has turned meanwhile the surfaces part already.
    const most = Math.max(parting + targets[t], leaving);
    targets[t + 1] = most > 0 ? (leaving / most) * normalRestitution * memory[m + COMPRESSION] : 0;
    targets[t + COMPRESSION_SHARE] = speed > 0 ? Math.max(Math.max(list.gaps[c], 0) - parting, 0) / speed : 0;
    // The normal has turned since the slip was taken.
    const along = dot(list.normals, 3 * c, memory, m + SLIP);
    for (let axis = 0; axis < 3; axis++) {
      targets[t + 2 + axis] = -tangentialRestitution * (memory[m + SLIP + axis] - along * list.normals[3 * c + axis]);
    }
  }
}

/** The velocity at which contact c begins a collision, should it press in this step. */
function begin({ first, partners, normals, memory }: CandidateList, c: number, motion: Float64Array): void {
  const [nx, ny, nz] = [normals[3 * c], normals[3 * c + 1], normals[3 * c + 2]];
  const [a, b] = [BODY_STRIDE * first[c], BODY_STRIDE * partners[c]];
  const [sx, sy, sz] = [0, 1, 2].map((axis) => motion[a + SPIN + axis] + motion[b + SPIN + axis]);
  const vx = motion[b] - motion[a] - (sy * nz - sz * ny);
  const vy = motion[b + 1] - motion[a + 1] - (sz * nx - sx * nz);
  const vz = motion[b + 2] - motion[a + 2] - (sx * ny - sy * nx);
  const normal = vx * nx + vy * ny + vz * nz;
  const approaches = normal < 0;
  const m = MEMORY_STRIDE * c;
  memory[m + APPROACH] = approaches ? -normal : 0;
  memory[m + SLIP] = approaches ? vx - normal * nx : 0;
  memory[m + SLIP + 1] = approaches ? vy - normal * ny : 0;
  memory[m + SLIP + 2] = approaches ? vz - normal * nz : 0;
}

const dot = (a: Float64Array, i: number, b: Float64Array, j: number) => a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];

function normalVelocity({ first, partners, normals }: CandidateList, c: number, motion: Float64Array): number {
  const [a, b] = [BODY_STRIDE * first[c], BODY_STRIDE * partners[c]];
  let sum = 0;
  for (let axis = 0; axis < 3; axis++) sum += (motion[b + axis] - motion[a + axis]) * normals[3 * c + axis];
  return sum;
}

/** What contacts take from this step into the next, once its impulses are known. */
export function rememberCollisions({ count, normals, impulses, memory, targets }: CandidateList): void {
  for (let c = 0; c < count; c++) {
    const m = MEMORY_STRIDE * c;
    const pressing = Math.max(dot(normals, 3 * c, impulses, 3 * c), 0);
    const stopping = pressing * targets[TARGET_STRIDE * c + COMPRESSION_SHARE];
    if (memory[m + PHASE] === OPEN && pressing > 0 && memory[m + APPROACH] > 0) {
      memory[m + PHASE] = CLOSED;
      memory[m + COMPRESSION] = stopping;
    } else if (memory[m + PHASE] === CLOSED) {
      memory[m + PHASE] = STOPPED;
      memory[m + COMPRESSION] += stopping;
    } else {
      memory[m + PHASE] = pressing > 0 ? RESTING : OPEN;
      memory.fill(0, m + APPROACH, m + SLIP + 3);
    }
  }
}
