import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { LATTICE_PER_DIAMETER } from './control';

/**
 * Geometry in single precision that stays right far from the origin. A position is an integer lattice point and a small
 * remainder; differences of lattice points are exact, so that gaps are right to about 1e-7 diameters however large the packing.
 *
 * lattice: xyz lattice point, w material, with FIXED set for grains that never move.
 * offset: xyz remainder in diameters, w radius.
 */
export const bodies = wgsl`
const LATTICE_UNIT = ${1 / LATTICE_PER_DIAMETER}f;
const FIXED = 0x80000000u;
const ID_MASK = 0x7fffffffu;

/** A contact as seen from its first body: unit normal to the second, and the gap. */
struct Geometry { normal: vec3f, gap: f32 }

/**
 * Plane (direction: normal towards the grains) or cylinder (direction: axis). The direction is split in 12 leading bits
 * and the rest, the radius in whole diameters and the rest, so that products with whole diameters are exact.
 */
struct Wall {
  anchor: vec4i,       // lattice point of the wall's point, material
  fraction: vec4f,     // remainder of the wall's point, rest of the radius
  high: vec4f,         // leading bits of the direction, whole part of the radius
  low: vec4f,          // rest of the direction, side: 0 plane, 1 inside, -1 outside
}

/** From the centre at (q1, f1) to that at (q2, f2). */
fn separation(q1: vec4i, f1: vec4f, q2: vec4i, f2: vec4f) -> vec3f {
  return vec3f(q2.xyz - q1.xyz) * LATTICE_UNIT + (f2.xyz - f1.xyz);
}

fn pairGeometry(q1: vec4i, f1: vec4f, q2: vec4i, f2: vec4f) -> Geometry {
  let e = separation(q1, f1, q2, f2);
  let square = dot(e, e);
  let distance = sqrt(square);
  let touching = f1.w + f2.w;
  if (distance == 0.0) { return Geometry(vec3f(0.0, 0.0, 1.0), -touching); }
  return Geometry(e / distance, (square - touching * touching) / (distance + touching));
}

/** Whole diameters and the rest of the way from the wall's point to the centre at (q, f). */
struct Way { whole: vec3f, rest: vec3f }

fn wayFromWall(q: vec4i, f: vec4f, wall: Wall) -> Way {
  let difference = q.xyz - wall.anchor.xyz;
  let whole = (difference + vec3i(${LATTICE_PER_DIAMETER / 2})) >> vec3u(${Math.log2(LATTICE_PER_DIAMETER)}u);
  let rest = vec3f(difference - whole * ${LATTICE_PER_DIAMETER}) * LATTICE_UNIT + (f.xyz - wall.fraction.xyz);
  return Way(vec3f(whole), rest);
}

fn planeGeometry(way: Way, radius: f32, wall: Wall) -> Geometry {
  let normal = wall.high.xyz + wall.low.xyz;
  let height = dot(way.whole, wall.high.xyz) + (dot(way.whole, wall.low.xyz) + dot(way.rest, normal));
  return Geometry(-normal, height - radius);
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
  if (rho == 0.0) { outwards = normalize(cross(axis, select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), abs(axis.x) > 0.7))); }
  return Geometry(side * outwards, side * inside / (R + rho) - radius);
}

fn wallGeometry(q: vec4i, f: vec4f, wall: Wall) -> Geometry {
  let way = wayFromWall(q, f, wall);
  if (wall.low.w == 0.0) { return planeGeometry(way, f.w, wall); }
  return cylinderGeometry(way, f.w, wall);
}
`;
