import type { PlateRegion, Vector, Wall, WallMotion } from './problem';
import { isMoving } from './wallMotion';

type Plate = Wall & { shape: { kind: 'plane'; region: PlateRegion } };

/** Lengths of a plate that differ by this share of its radius are one. */
const SAME = 1e-9;

/** Share of the radius by which joined plates reach over their common rim, so that rounding leaves no gap between them. */
const OVERLAP = 1e-6;

/**
 * Takes away the rims at which one plate goes on where another ends, as between a disk and the ring around it: grains that
 * cross them must not feel them. They must stay joined: move alike, but for turning about their common axis.
 */
export function joinPlates(walls: readonly Wall[]): Wall[] {
  const apart = walls.map((wall) => (isPlate(wall) ? withRims(wall) : wall));
  const plates = apart.filter(isPlate);
  return apart.map((wall) => {
    if (!isPlate(wall)) return wall;
    const { inner, outer, rims } = wall.shape.region;
    const within = plates.some((other) => isJoined(other, wall) && isSame(other.shape.region.outer, inner));
    const around = plates.some((other) => isJoined(wall, other) && isSame(other.shape.region.inner, outer));
    const region: PlateRegion = {
      inner: within ? inner * (1 - OVERLAP) : inner,
      outer: around ? outer * (1 + OVERLAP) : outer,
      rims: [rims[0] && !within, rims[1] && !around],
    };
    return { ...wall, shape: { ...wall.shape, region } };
  });
}

/** A plate as it is by itself, whether it was joined before or not. */
function withRims(plate: Plate): Plate {
  const { inner, outer, rims } = plate.shape.region;
  const region: PlateRegion = {
    inner: rims[0] ? inner : inner / (1 - OVERLAP),
    outer: rims[1] ? outer : outer / (1 + OVERLAP),
    rims: [inner > 0, true],
  };
  return { ...plate, shape: { ...plate.shape, region } };
}

function isPlate(wall: Wall): wall is Plate {
  return wall.shape.kind === 'plane' && wall.shape.region !== undefined;
}

const isSame = (a: number, b: number) => Math.abs(a - b) <= SAME * Math.max(a, b);

/** Whether two plates lie about one point in one plane, and stay so. */
function isJoined(a: Plate, b: Plate): boolean {
  const reach = Math.max(a.shape.region.outer, b.shape.region.outer);
  const apart = Math.hypot(...subtract(a.shape.point, b.shape.point));
  if (a === b || apart > SAME * reach || !isAlong(a.shape.normal, b.shape.normal)) return false;
  const [way, otherWay] = [wayOf(a), wayOf(b)];
  return way !== undefined && JSON.stringify(way) === JSON.stringify(otherWay);
}

/** How a plate moves beside turning in itself; undefined where it tilts or its point goes round. */
function wayOf({ shape, motion }: Plate) {
  if (!isMoving(motion)) return { velocity: [0, 0, 0] };
  const { angularVelocity, point, velocity, oscillation, start }: WallMotion = motion;
  const arm = subtract(shape.point, point);
  if (!isAlong(angularVelocity, shape.normal) || !isAlong(arm, shape.normal)) return undefined;
  return velocity.every((v) => v === 0) && !oscillation ? { velocity } : { velocity, oscillation, start };
}

/** Whether a vector is parallel to a unit vector, or zero. */
function isAlong(v: Vector, direction: Vector): boolean {
  const along = v[0] * direction[0] + v[1] * direction[1] + v[2] * direction[2];
  return Math.hypot(...v.map((x, k) => x - along * direction[k])) <= SAME * Math.hypot(...v);
}

function subtract(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}
