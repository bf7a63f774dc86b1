import type { System } from '../scene/system';
import { wallContact } from '../scene/wallContact';
import type { Snapshot } from '../snapshot';
import { nearestGap, wallSteps } from './walls';

/** Approaches below this, in mean diameters, are rounding. */
const ROUNDING = 1e-9;

/**
 * Whether grains at rest all fall alike in the next step, and no wall stops one of them: then no contact bears anything, and impulses that
 * they had to start from would only fade, by a share in each sweep. Where there are fixed grains or meshes it is not looked into.
 */
export function fallsFreely(system: System, { step, positions, remainders }: Snapshot): boolean {
  const { grains, radii, accelerations, spinAccelerations, inverseMasses, meshes } = system;
  if (meshes.length > 0 || inverseMasses.subarray(0, grains).includes(0)) return false;
  if (accelerations.some((x, k) => x !== accelerations[k % 3]) || spinAccelerations.some((x) => x !== 0)) return false;
  const [ax, ay, az] = accelerations;
  const [touch, end] = [0, 1].map(() => ({ gap: 0, normal: [0, 0, 0] as [number, number, number] }));
  return wallSteps(system, step).every((wall) =>
    radii.every((radius, i) => {
      const [x, y, z] = [0, 1, 2].map((axis) => positions[3 * i + axis] + remainders[3 * i + axis]);
      wallContact(wall.start, x, y, z, radius, touch);
      const least = Math.min(touch.gap, 0) - ROUNDING;
      return nearestGap(wall, x + ax, y + ay, z + az, radius, touch, end) >= least;
    }),
  );
}
