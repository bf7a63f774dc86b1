import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { periodParts } from '../src/cpu/grid';
import type { Vector } from '../src/scene/problem';
import { FARTHEST_ON_GPU } from '../src/settings';
import { LATTICE_PER_DIAMETER } from './control';

export interface SpaceOptions {
  /** Length of the periodic box along each axis in mean diameters, 0 where the axis is open; absent: open space. */
  periods?: Readonly<Vector>;
}

/** A wall's side where its shape is a mesh: its features are touched, not the wall itself. */
export const MESH = 3;
/** What walls do beside standing there. */
export interface WallOptions {
  /** Some wall moves by itself. */
  moving: boolean;
  /** Some wall turns: its contacts have bodies of their own. */
  turning: boolean;
}

/** Periods have this many units of the lattice at most: twice a difference of two points must be a whole number of 32 bits. */
export const MOST_PERIOD_UNITS = 2 ** 30;

/** Units of the lattice from the middle along an axis at which grains may be. */
export const FARTHEST_POINT = FARTHEST_ON_GPU * LATTICE_PER_DIAMETER;

/** Units of the lattice along the axes, in mean diameters: a periodic box is a whole number of them. */
export function latticeUnits(periods: Readonly<Vector> = [0, 0, 0]): Vector {
  return periods.map((period) => (period > 0 ? period / periodParts(period) : 1 / LATTICE_PER_DIAMETER)) as Vector;
}

/**
 * Geometry in single precision that stays right far from the origin. A position is an integer lattice point and a small
 * remainder; differences of lattice points are exact, so that gaps are right to about 1e-7 diameters however large the packing.
 *
 * lattice: xyz lattice point, w material, with FIXED set for grains that never move.
 * offset: xyz remainder in diameters, w radius.
 *
 * Along periodic axes the box is a whole number of lattice units (latticeUnits), so that wrapping is exact.
 */
export const bodies = ({ periods }: SpaceOptions = {}) => wgsl`
#if ${periods !== undefined}
const LATTICE_UNIT = vec3f(${latticeUnits(periods).join(', ')});
/** Lattice units in the periodic box, 0 along open axes. */
const PERIODS = vec3i(${(periods ?? []).map(periodParts).join(', ')});
const PERIODIC = PERIODS > vec3i(0);

/** The image of a lattice point in the box: from 0 to the period. */
fn wrapPoint(q: vec3i) -> vec3i {
  let period = max(PERIODS, vec3i(1));
  let inside = q % period;
  return select(q, inside + select(vec3i(0), period, inside < vec3i(0)), PERIODIC);
}

/** From lattice point a to b in the box, by their nearest images. */
fn latticeDifference(a: vec3i, b: vec3i) -> vec3i {
  let difference = b - a;
  let beyond = select(vec3i(0), PERIODS, 2 * difference > PERIODS);
  let below = select(vec3i(0), PERIODS, 2 * difference <= -PERIODS);
  return difference + select(vec3i(0), below - beyond, PERIODIC);
}
#else
const LATTICE_UNIT = ${1 / LATTICE_PER_DIAMETER}f;

fn latticeDifference(a: vec3i, b: vec3i) -> vec3i { return b - a; }
#endif
const FIXED = 0x80000000u;
const ID_MASK = 0x7fffffffu;

/** A contact as seen from its first body: unit normal to the second, and the gap. */
struct Geometry { normal: vec3f, gap: f32 }

/**
 * Plane or plate (direction: normal), cylinder (direction: axis) or sphere (direction zero: what lies across it is all of the
 * way). The direction is split in 12 leading bits and the rest, the radius in whole diameters and the rest, so that products
 * with whole diameters are exact. Where walls move, those of the step's start come first, those of its end after them.
 */
struct Wall {
  anchor: vec4i,       // lattice point of the wall's point, material
  fraction: vec4f,     // remainder of the wall's point, rest of the radius
  high: vec4f,         // leading bits of the direction, whole part of the radius
  low: vec4f,          // rest of the direction, side: 0 plane, 1 inside, -1 outside, 2 plate, 3 mesh
  region: vec4f,       // of a plate: inner and outer radius; of a mesh: how far it reaches from its point, and the longest way of its points; tilt: 1 - direction before . direction after the step
  links: vec4u,        // rims of a plate that bear: 1 inner, 2 outer; slot among the walls that turn, or NONE; the wall that has the slot of this index; where the wall is at the end of the step, in the list of walls
  carry0: vec4f,       // rotation of the step less the identity by rows, each with a component of the way of the wall's point
  carry1: vec4f,
  carry2: vec4f,
  turn: vec4f,         // radians in the step about each axis
}

/** What stands for the radius of the bodies of walls that turn. */
const SURFACE_RADIUS = 1e30;
const PLATE = 2.0;
const MESH = ${MESH}f;
/** Gap where there is nothing to touch. */
const NOWHERE = 1e30;

/** From the centre at (q1, f1) to that at (q2, f2). */
fn separation(q1: vec4i, f1: vec4f, q2: vec4i, f2: vec4f) -> vec3f {
  return vec3f(latticeDifference(q1.xyz, q2.xyz)) * LATTICE_UNIT + (f2.xyz - f1.xyz);
}

fn pairGeometry(q1: vec4i, f1: vec4f, q2: vec4i, f2: vec4f) -> Geometry {
  let e = separation(q1, f1, q2, f2);
  let square = dot(e, e);
  let distance = sqrt(square);
  let touching = f1.w + f2.w;
  if (distance == 0.0) { return Geometry(vec3f(1.0, 0.0, 0.0), -touching); }
  return Geometry(e / distance, (square - touching * touching) / (distance + touching));
}

/**
 * Whole diameters and the rest of the way from the wall's point to the centre at (q, f). Along periodic axes, in which walls
 * do not change, it is 0.
 */
struct Way { whole: vec3f, rest: vec3f }

fn wayFromWall(q: vec4i, f: vec4f, wall: Wall) -> Way {
  var difference = q.xyz - wall.anchor.xyz;
  #if ${periods !== undefined}
  difference = select(difference, vec3i(0), PERIODIC);
  #endif
  let whole = (difference + vec3i(${LATTICE_PER_DIAMETER / 2})) >> vec3u(${Math.log2(LATTICE_PER_DIAMETER)}u);
  var rest = vec3f(difference - whole * ${LATTICE_PER_DIAMETER}) * LATTICE_UNIT + (f.xyz - wall.fraction.xyz);
  #if ${periods !== undefined}
  rest = select(rest, vec3f(0.0), PERIODIC);
  #endif
  return Way(vec3f(whole), rest);
}

/** The same way as one vector, along periodic axes too: for moments. */
fn armFromWall(q: vec4i, f: vec4f, wall: Wall) -> vec3f {
  return vec3f(q.xyz - wall.anchor.xyz) * LATTICE_UNIT + (f.xyz - wall.fraction.xyz);
}

fn planeGeometry(way: Way, radius: f32, wall: Wall) -> Geometry {
  let normal = wall.high.xyz + wall.low.xyz;
  let height = dot(way.whole, wall.high.xyz) + (dot(way.whole, wall.low.xyz) + dot(way.rest, normal));
  return Geometry(-normal, height - radius);
}

/** A unit vector at right angles to one; of one in the x-y plane it is in that plane, where disks stay. */
fn across(axis: vec3f) -> vec3f {
  return normalize(cross(axis, select(vec3f(0.0, 0.0, 1.0), vec3f(1.0, 0.0, 0.0), abs(axis.z) > 0.7)));
}

/** With e the way, t its part along the axis: R^2 - (e^2 - t^2), expanded so that the large terms are exact integers. */
fn cylinderGeometry(way: Way, radius: f32, wall: Wall) -> Geometry {
  let axis = wall.high.xyz + wall.low.xyz;
  let along = dot(way.whole, wall.high.xyz);
  let wholeAlong = round(along);
  let restAlong = (along - wholeAlong) + (dot(way.whole, wall.low.xyz) + dot(way.rest, axis));
  let R = wall.high.w + wall.fraction.w;
  let inside = (wall.high.w * wall.high.w - (dot(way.whole, way.whole) - wholeAlong * wholeAlong))
    + (2.0 * (wall.high.w * wall.fraction.w - dot(way.whole, way.rest) + wholeAlong * restAlong)
    + (wall.fraction.w * wall.fraction.w - dot(way.rest, way.rest) + restAlong * restAlong));
  let radial = (way.whole - wholeAlong * axis) + (way.rest - restAlong * axis);
  let rho = length(radial);
  let side = wall.low.w;
  var outwards = radial / max(rho, 1e-30);
  if (rho == 0.0 && all(axis == vec3f(0.0))) { outwards = vec3f(0.0, 1.0, 0.0); }
  else if (rho == 0.0) { outwards = across(axis); }
  return Geometry(side * outwards, side * inside / (R + rho) - radius);
}

/** The nearest point of a plate is on its face, or on a rim; beyond a rim that does not bear there is none. Side: 1 over it, -1 under it. */
fn plateGeometry(way: Way, radius: f32, wall: Wall, givenSide: f32) -> Geometry {
  let face = planeGeometry(way, radius, wall);
  let height = face.gap + radius;
  let side = select(givenSide, select(-1.0, 1.0, height >= 0.0), givenSide == 0.0);
  let flat = way.whole + (way.rest + height * face.normal);
  let rho = length(flat);
  if (rho >= wall.region.x && rho <= wall.region.y) { return Geometry(side * face.normal, side * height - radius); }
  let within = rho < wall.region.x;
  if ((wall.links.x & select(2u, 1u, within)) == 0u) { return Geometry(side * face.normal, NOWHERE); }
  let beside = select(wall.region.y, wall.region.x, within) - rho;
  let distance = length(vec2f(beside, height));
  if (distance == 0.0) { return Geometry(side * face.normal, -radius); }
  var outwards = flat / max(rho, 1e-30);
  if (rho == 0.0) { outwards = across(-face.normal); }
  return Geometry((beside * outwards + height * face.normal) / distance, distance - radius);
}

/** On which side of a plate the grain is that touches it so. */
fn sideOf(geometry: Geometry, wall: Wall) -> f32 {
  return select(-1.0, 1.0, dot(geometry.normal, wall.high.xyz + wall.low.xyz) < 0.0);
}

/** @param side of a plate, or 0: where the grain is now */
fn wallGeometry(q: vec4i, f: vec4f, wall: Wall, side: f32) -> Geometry {
  let way = wayFromWall(q, f, wall);
  if (wall.low.w == 0.0) { return planeGeometry(way, f.w, wall); }
  if (wall.low.w == PLATE) { return plateGeometry(way, f.w, wall, side); }
  if (wall.low.w == MESH) { return Geometry(vec3f(0.0, 0.0, 1.0), NOWHERE); }
  return cylinderGeometry(way, f.w, wall);
}
`;

/** For modules with the list of walls: where in it a wall is at the end of the step; in the same place where it does not move by itself. */
export const wallAfter = wgsl`
fn wallAfter(wall: u32) -> u32 { return walls[wall].links.w; }
`;
