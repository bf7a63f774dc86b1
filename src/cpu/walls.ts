import type { Vector, WallShape } from '../scene/problem';
import type { System, SystemMesh } from '../scene/system';
import { BODY_STRIDE } from './bodies';
import type { CandidateList } from './candidates';
import { featureContact } from './featureContact';

/** Where a grain would touch a wall. */
export interface WallContact {
  /** Distance between the surfaces, negative where they overlap. */
  gap: number;
  /** Unit, from the grain to the wall. */
  normal: Vector;
}

/**
 * Gap between a sphere and a wall and the contact normal; lengths in any one unit.
 * On the axis of a cylinder, where no direction is radial, the normal is some direction across the axis.
 */
export function wallContact(shape: WallShape, x: number, y: number, z: number, radius: number, out: WallContact): void {
  const { normal } = out;
  const [ex, ey, ez] = [x - shape.point[0], y - shape.point[1], z - shape.point[2]];
  if (shape.kind === 'plane') {
    const [nx, ny, nz] = shape.normal;
    out.gap = nx * ex + ny * ey + nz * ez - radius;
    normal[0] = -nx;
    normal[1] = -ny;
    normal[2] = -nz;
    return;
  }
  if (shape.kind === 'mesh') throw new RangeError('A mesh is touched feature by feature');
  const [ax, ay, az] = shape.axis;
  const along = ax * ex + ay * ey + az * ez;
  const [qx, qy, qz] = [ex - along * ax, ey - along * ay, ez - along * az];
  const rho = Math.hypot(qx, qy, qz);
  const inside = shape.side === 'inside';
  out.gap = inside ? shape.radius - rho - radius : rho - shape.radius - radius;
  if (rho > 0) {
    const scale = (inside ? 1 : -1) / rho;
    normal[0] = qx * scale;
    normal[1] = qy * scale;
    normal[2] = qz * scale;
  } else {
    acrossAxis(shape.axis, normal);
  }
}

/**
 * Gap between a sphere and a wall or a feature of a mesh, and the contact normal.
 * @param key as in CandidateList.keys
 */
export function boundaryContact(
  system: System,
  key: number,
  x: number,
  y: number,
  z: number,
  radius: number,
  out: WallContact,
): void {
  const { grains, walls, meshes } = system;
  if (key - grains < walls.length) {
    wallContact(walls[key - grains], x, y, z, radius, out);
    return;
  }
  const feature = key - grains - walls.length;
  const { mesh, firstFeature } = featureMesh(meshes, feature);
  featureContact(mesh, feature - firstFeature, x, y, z, radius, out);
}

/** The body that a key of CandidateList.keys means: a feature's wall. */
export function wallOfKey({ grains, walls, meshes }: System, key: number): number {
  const feature = key - grains - walls.length;
  return feature < 0 ? key : grains + featureMesh(meshes, feature).wall;
}

/** The mesh that has a feature, numbered among those of all meshes. */
export function featureMesh(meshes: readonly SystemMesh[], feature: number): SystemMesh {
  let m = meshes.length - 1;
  while (meshes[m].firstFeature > feature) m--;
  return meshes[m];
}

/**
 * Contacts inside cylinders get the normal of where the free motion leads, n', and the gap along it, g + rho |n' - n|^2/2 with
 * rho the distance from the axis. On the tangent plane of where it starts, a grain that slides a way u along the wall would
 * sink into it by u^2/(2 (R - r)) in every step, and the law never pushes an overlap out.
 * @param motion bodies with their free velocities
 */
export function leanWithMotion({ grains, radii, walls }: System, motion: Float64Array, list: CandidateList): void {
  const { count, first, second, normals, gaps } = list;
  for (let c = 0; c < count; c++) {
    const wall = second[c] < grains ? undefined : walls[second[c] - grains];
    if (wall?.kind !== 'cylinder' || wall.side === 'outside') continue;
    const i = first[c];
    const rho = wall.radius - radii[i] - gaps[c];
    const along = [0, 1, 2].reduce((sum, k) => sum + wall.axis[k] * motion[BODY_STRIDE * i + k], 0);
    const ahead = [0, 1, 2].map((k) => rho * normals[3 * c + k] + motion[BODY_STRIDE * i + k] - along * wall.axis[k]);
    const distance = Math.hypot(...ahead);
    if (distance === 0) continue;
    for (let k = 0; k < 3; k++) {
      const lean = ahead[k] / distance - normals[3 * c + k];
      gaps[c] += 0.5 * rho * lean * lean;
      normals[3 * c + k] += lean;
    }
  }
}

/** A unit vector at right angles to `axis`. */
function acrossAxis([ax, ay, az]: Vector, out: Vector): void {
  const useX = Math.abs(ax) < 0.9;
  const cross: Vector = useX ? [0, az, -ay] : [-az, 0, ax];
  const length = Math.hypot(...cross);
  for (let axis = 0; axis < 3; axis++) out[axis] = cross[axis] / length;
}
