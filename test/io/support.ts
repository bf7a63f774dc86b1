import type { State, StepReport } from '../../src/report';
import { coulomb } from '../../src/scene/laws';
import type { Problem } from '../../src/scene/problem';

/** Three grains, two of which touch, one on the floor; a floor and a box without lid. */
export function smallProblem(): Problem {
  const box = { box: 'bin', material: 0 };
  return {
    title: 'Three grains',
    dimension: 3,
    gravity: [0, 0, -10],
    timeStep: 0.01,
    steps: 20,
    materials: [{ name: 'glass', density: 2500 }],
    laws: [coulomb(0), coulomb(0.3)],
    lawOf: Uint32Array.of(1),
    grains: {
      count: 3,
      positions: Float64Array.of(0, 0, 0.5, 1, 0, 0.5, 1e6 + 0.1, 2, 3),
      radii: Float64Array.of(0.5, 0.5, 0.25),
      masses: Float64Array.of(1, 1, 0.125),
      velocities: new Float64Array(9),
      angularVelocities: new Float64Array(9),
      forces: new Float64Array(9),
      torques: new Float64Array(9),
      materials: Uint32Array.of(0, 0, 0),
      fixed: new Uint8Array(3),
      groups: new Uint32Array(3),
    },
    walls: [
      { name: 'floor', material: 0, shape: { kind: 'plane', point: [0, 0, 0], normal: [0, 0, 1] } },
      { ...box, name: 'bin.-x', shape: { kind: 'plane', point: [-2, 0, 1], normal: [1, 0, 0] } },
      { ...box, name: 'bin.+x', shape: { kind: 'plane', point: [4, 0, 1], normal: [-1, 0, 0] } },
    ],
    solver: {
      sweep: 'coloured',
      order: 'fixed',
      momentum: 0.9,
      coarse: 'off',
      convergence: { criterion: 'fixed', iterations: 30 },
      warmStart: true,
      seed: 7,
    },
    output: { every: 0, frames: 'vtp', contacts: false },
    warnings: ['from the scene'],
  };
}

/** State after step 4: contacts 0-1 (sliding), 1-2 (open), 0-floor (sticking). */
export function smallState(problem: Problem): State {
  return {
    step: 4,
    positions: problem.grains.positions.slice(),
    velocities: Float64Array.from({ length: 9 }, (_, k) => k / 8),
    angularVelocities: Float64Array.from({ length: 9 }, (_, k) => -k / 4),
    orientations: Float64Array.from({ length: 12 }, (_, k) => (k % 4 === 3 ? 1 : 0)),
    walls: new Float64Array(0),
    contacts: {
      count: 3,
      first: Uint32Array.of(0, 1, 0),
      second: Uint32Array.of(1, 2, 3),
      normals: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, -1),
      gaps: Float64Array.of(-0.0625, 0.125, 0.25),
      forces: Float64Array.of(2, 0.5, 0, 0, 0, 0, 0.25, 0, -8),
      torques: Float64Array.of(0.25, 0, 0, 0, 0, 0, 0, 0.5, 0.125),
      states: Uint8Array.of(2, 0, 1),
    },
  };
}

export function report(step: number, changes: Partial<StepReport> = {}): StepReport {
  return {
    step,
    contacts: 2,
    candidates: 3,
    colours: 2,
    iterations: 30,
    converged: true,
    residual: 1e-4,
    balance: null,
    residualMax: 1e-3,
    meanForce: 3.5,
    meanPenetration: 1e-5,
    maxPenetration: 1e-4,
    kineticEnergy: 0.125,
    momentum: [1, -2, 3],
    wallLoads: new Float64Array(18),
    wallMotions: Float64Array.of(0, 0, 0, 0, 0, 0, -2, 0, 1, 0, 0, 0, 4, 0, 1, 0, 0, 0),
    fastestGrain: 2,
    fastestDisplacement: 0.01,
    redone: 0,
    ...changes,
  };
}
