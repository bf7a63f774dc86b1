import type { System } from '../scene/system';
import { BOND_GAP } from '../settings';
import type { CandidateList } from './candidateList';
import { BOND, FORMED, HOLDING, MEMORY_STRIDE, NONE, PULL_TARGET, TARGET_STRIDE } from './memory';

/**
 * Bonds at the start of a step, and the pull that each bears in it. Bodies that touched are bonded until their gap exceeds the
 * range of the cohesion: work F_c times the range has then been done (Brendel et al., section 1.8).
 */
export function meetBonds({ laws }: System, { count, gaps, laws: lawOf, memory, targets }: CandidateList): void {
  for (let c = 0; c < count; c++) {
    const { cohesionForce, cohesionRange } = laws[lawOf[c]];
    const m = MEMORY_STRIDE * c;
    // Rounding must not keep bodies that were placed in touch from bonding.
    const touched = memory[m + BOND] !== NONE || gaps[c] <= BOND_GAP;
    memory[m + BOND] = cohesionForce > 0 && touched && gaps[c] <= cohesionRange ? HOLDING : NONE;
    targets[TARGET_STRIDE * c + PULL_TARGET] = pullOf(memory, c, cohesionForce);
  }
}

/** Bodies that pressed on each other in this step are bonded in the next. */
export function rememberBonds({ laws }: System, { count, normals, impulses, laws: lawOf, memory }: CandidateList): void {
  for (let c = 0; c < count; c++) {
    const k = 3 * c;
    const m = MEMORY_STRIDE * c;
    if (memory[m + BOND] !== NONE || laws[lawOf[c]].cohesionForce === 0) continue;
    const pressing = normals[k] * impulses[k] + normals[k + 1] * impulses[k + 1] + normals[k + 2] * impulses[k + 2];
    if (pressing > 0) memory[m + BOND] = FORMED;
  }
}

/** Impulse F_c that the bond of contact c bore in the step, 0 without a bond. */
export function pullOf(memory: Float64Array, c: number, cohesionForce: number): number {
  return memory[MEMORY_STRIDE * c + BOND] === HOLDING ? cohesionForce : 0;
}

/** How far beyond touch bodies may be and still hold each other: the longest range of all laws. */
export function longestRange({ laws }: System): number {
  return laws.reduce((longest, { cohesionRange }) => Math.max(longest, cohesionRange), 0);
}
