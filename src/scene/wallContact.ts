import type { PlateRegion, Vector, WallShape } from './problem';
import { directionOf } from './wallMotion';

/** Where a grain would touch a wall. */
export interface WallContact {
  /** Distance between the surfaces, negative where they overlap. */
  gap: number;
  /** Unit, from the grain to the wall. */
  normal: Vector;
}

/**
 * Gap between a sphere and a wall and the contact normal; lengths in any one unit.
 * On the axis of a cylinder and in the centre of a sphere, where no direction is radial, the normal is one of many.
 * @param above of a plate: whether the grain is on the side of the normal; default: where it is now
 */
export function wallContact(
  shape: WallShape,
  x: number,
  y: number,
  z: number,
  radius: number,
  out: WallContact,
  above?: boolean,
): void {
  const { normal } = out;
  const [ex, ey, ez] = [x - shape.point[0], y - shape.point[1], z - shape.point[2]];
  if (shape.kind === 'plane') {
    const [nx, ny, nz] = shape.normal;
    const height = nx * ex + ny * ey + nz * ez;
    if (shape.region) {
      plateContact(shape.normal, shape.region, [ex, ey, ez], height, radius, out, above ?? height >= 0);
      return;
    }
    out.gap = height - radius;
    normal[0] = -nx;
    normal[1] = -ny;
    normal[2] = -nz;
    return;
  }
  if (shape.kind === 'mesh') throw new RangeError('A mesh is touched feature by feature');
  const [ax, ay, az] = directionOf(shape);
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
    acrossAxis(directionOf(shape), normal);
  }
}

/**
 * A plate is touched at its nearest point: on its face, or on a rim from beside it. Beyond a rim that bears nothing there is
 * no contact (gap infinite): another plate goes on there.
 * @param way from the plate's point to the grain's centre, at `height` over the plate's plane
 */
function plateContact(
  axis: Vector,
  { inner, outer, rims }: PlateRegion,
  way: Vector,
  height: number,
  radius: number,
  out: WallContact,
  above: boolean,
): void {
  const [qx, qy, qz] = [way[0] - height * axis[0], way[1] - height * axis[1], way[2] - height * axis[2]];
  const rho = Math.hypot(qx, qy, qz);
  const side = above ? 1 : -1;
  for (let k = 0; k < 3; k++) out.normal[k] = -side * axis[k];
  out.gap = side * height - radius;
  if (rho >= inner && rho <= outer) return;
  const [rim, bears] = rho < inner ? [inner, rims[0]] : [outer, rims[1]];
  if (!bears) {
    out.gap = Infinity;
    return;
  }
  const distance = Math.hypot(rim - rho, height);
  out.gap = distance - radius;
  if (distance === 0) return;
  const outwards: Vector = [0, 0, 0];
  if (rho > 0) outwards.splice(0, 3, qx / rho, qy / rho, qz / rho);
  else acrossAxis(axis, outwards);
  for (let k = 0; k < 3; k++) out.normal[k] = ((rim - rho) * outwards[k] - height * axis[k]) / distance;
}

/** Whether a grain that a plate touches with this normal is on the side of the plate's own. */
export function isAbove(shape: WallShape, nx: number, ny: number, nz: number): boolean {
  const [ax, ay, az] = directionOf(shape);
  return nx * ax + ny * ay + nz * az < 0;
}

/** A unit vector at right angles to `axis`, or any where that is zero; of an axis in the x-y plane one in that plane, where disks stay. */
function acrossAxis([ax, ay, az]: Vector, out: Vector): void {
  const cross: Vector = Math.abs(az) > 0.7 ? [0, az, -ay] : [ay, -ax, 0];
  const length = Math.hypot(...cross);
  if (length === 0) cross[1] = 1;
  for (let axis = 0; axis < 3; axis++) out[axis] = cross[axis] / (length || 1);
}
