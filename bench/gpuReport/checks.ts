import { createSimulation, type StepReport } from '../../src/index';
import { measuredSolver } from '../suite/prepare';
import { SCENE_NAMES, SCENES, type SceneName } from '../suite/scenes';

const GRAINS = 500;
const STEPS = 30;
/** Single precision and another order of sums let runs drift apart; a wrong law or a lost contact does much more than this. */
const TOLERANCES = { contacts: 0.02, candidates: 0.02, kineticEnergy: 0.02, force: 0.05 } as const;

type Quantity = keyof typeof TOLERANCES;

/** Per step; `force` is the magnitude of the force on all walls together. */
type Figures = Record<Quantity, number[]>;

export interface Reference {
  command: string;
  grains: number;
  steps: number;
  scenes: Record<string, Figures>;
}

/** One quantity of one scene: the largest difference of a step, as a share of the reference's largest value. */
export interface Check {
  scene: string;
  quantity: Quantity;
  difference: number;
  tolerance: number;
  passed: boolean;
}

/** The first steps of a scene of the checks. @param device where they run; absent: the CPU reference */
export async function runScene(scene: SceneName, device?: GPUDevice): Promise<Figures> {
  const options = device ? { device } : ({ backend: 'cpu' } as const);
  const simulation = await createSimulation(SCENES[scene].make(GRAINS, measuredSolver('off')), options);
  try {
    const reports = await simulation.step(STEPS);
    return {
      contacts: reports.map(({ contacts }) => contacts),
      candidates: reports.map(({ candidates }) => candidates),
      kineticEnergy: reports.map(({ kineticEnergy }) => kineticEnergy),
      force: reports.map(wallForce),
    };
  } finally {
    simulation.dispose();
  }
}

function wallForce({ wallLoads }: StepReport): number {
  const sum = [0, 0, 0];
  for (let k = 0; k < wallLoads.length; k++) if (k % 6 < 3) sum[k % 6] += wallLoads[k];
  return Math.hypot(...sum);
}

/** What the CPU reference makes of the scenes. */
export async function makeReference(command: string): Promise<Reference> {
  const scenes: Record<string, Figures> = {};
  for (const scene of SCENE_NAMES) scenes[scene] = await runScene(scene);
  return { command, grains: GRAINS, steps: STEPS, scenes };
}

/** The same on the GPU, against the reference. */
export async function checkGpu(reference: Reference, device: GPUDevice, onCheck: (check: Check) => void): Promise<void> {
  for (const scene of SCENE_NAMES) {
    const expected = reference.scenes[scene];
    const got = await runScene(scene, device);
    for (const quantity of Object.keys(TOLERANCES) as Quantity[]) {
      onCheck(compare(scene, quantity, expected[quantity], got[quantity]));
    }
  }
}

export function compare(scene: string, quantity: Quantity, expected: readonly number[], got: readonly number[]): Check {
  const scale = Math.max(...expected.map(Math.abs), Number.MIN_VALUE);
  const differences = expected.map((value, step) => Math.abs(value - got[step]) / scale);
  const difference = differences.every(Number.isFinite) ? Math.max(...differences) : Infinity;
  const tolerance = TOLERANCES[quantity];
  return { scene, quantity, difference, tolerance, passed: difference <= tolerance };
}
