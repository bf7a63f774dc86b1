import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import type { SpaceOptions } from './bodies';
import { LATTICE_PER_DIAMETER } from './control';

/** Bytes of a pose, as declared below. */
export const POSE_BYTES = 160;

/**
 * Where meshes are that move, and the way of the grain at hand, q and f (meshFeatures.ts), into the frame of one: to single
 * precision far from the origin.
 */
export const meshPoses = ({ meshes: count, periods }: SpaceOptions & { meshes: number }) => wgsl`
/** Of each mesh before the step, then of each after it. */
@group(0) @binding(12) var<uniform> poses: array<Pose, ${2 * count}>;

/** Where a mesh is: its frame is where it was read, turned about home and carried to another place (src/scene/mesh/pose.ts). */
struct Pose {
  home: vec4i,                  // lattice point
  homeRest: vec4f,
  there: vec4i,                  // w: 1 where the mesh turns
  thereRest: vec4f,                // w: the longest way of the mesh's points in the step
  high: array<vec4f, 3>,        // leading bits of the rotation, by rows, so that products with whole diameters are exact
  low: array<vec4f, 3>,         // rest of it
}

/** Brings the grain at hand, as a mesh's frame has it, into the periodic box there. @returns what that added */
fn foldIntoBox() -> vec4i {
  #if ${periods !== undefined}
  let fold = vec4i(wrapPoint(q.xyz) - q.xyz, 0);
  q += fold;
  return fold;
  #else
  return vec4i(0);
  #endif
}

fn columnsTimes(rows: array<vec4f, 3>, v: vec3f) -> vec3f { return rows[0].xyz * v.x + rows[1].xyz * v.y + rows[2].xyz * v.z; }

/** Takes the grain at hand into a mesh's frame. */
fn enterFrame(pose: Pose) {
  let difference = q.xyz - pose.there.xyz;
  let whole = (difference + vec3i(${LATTICE_PER_DIAMETER / 2})) >> vec3u(${Math.log2(LATTICE_PER_DIAMETER)}u);
  #if ${periods !== undefined}
  // A rotation is about the periodic axis, or there is none.
  let wholes = select(vec3f(whole), vec3f(0.0), PERIODIC);
  var rest = vec3f(difference - whole * ${LATTICE_PER_DIAMETER}) * LATTICE_UNIT + (f.xyz - pose.thereRest.xyz);
  rest = select(rest, f.xyz - pose.thereRest.xyz, PERIODIC);
  #else
  let wholes = vec3f(whole);
  let rest = vec3f(difference - whole * ${LATTICE_PER_DIAMETER}) * LATTICE_UNIT + (f.xyz - pose.thereRest.xyz);
  #endif
  let exact = columnsTimes(pose.high, wholes);
  let inLattice = round(exact / LATTICE_UNIT);
  let remainder = (exact - inLattice * LATTICE_UNIT)
    + (columnsTimes(pose.low, wholes) + columnsTimes(pose.high, rest) + columnsTimes(pose.low, rest)) + pose.homeRest.xyz;
  let carried = round(remainder / LATTICE_UNIT);
  q = vec4i(pose.home.xyz + vec3i(inLattice) + vec3i(carried), q.w);
  #if ${periods !== undefined}
  q += vec4i(select(vec3i(0), difference, PERIODIC), 0);
  #endif
  f = vec4f(remainder - carried * LATTICE_UNIT, f.w);
}

fn outOfFrame(pose: Pose, v: vec3f) -> vec3f {
  return vec3f(
    dot(pose.high[0].xyz + pose.low[0].xyz, v), dot(pose.high[1].xyz + pose.low[1].xyz, v), dot(pose.high[2].xyz + pose.low[2].xyz, v),
  );
}
`;
