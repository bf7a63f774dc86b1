import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { ASIDE } from '../src/cpu/meshSearch';
import { latticeUnits, type SpaceOptions } from './bodies';
import { LATTICE_PER_DIAMETER } from './control';
import { meshPoses } from './meshPoses';

/** Words of `meshData` for each mesh, at its beginning; words of a triangle and of a vertex. */
export const MESH_WORDS = 16;
export const TRIANGLE_WORDS = 12;
export const VERTEX_WORDS = 8;

/** Bits of a triangle's last word, beside those of rising edges: its facet has others; its corners go round against the facet's normal. */
export const SHARED_FACET = 64;
export const CLOCKWISE = 128;

/** Kinds of features, in the last place of each. */
export const FEATURE_KINDS = { facet: 0, edge: 1, corner: 2 } as const;

export interface MeshOptions extends SpaceOptions {
  /** Meshes there are. */
  meshes: number;
  /** Some mesh moves, or is not where it was read. */
  moving: boolean;
}

/** Runs statements for each triangle `t` of the mesh in the cells around the grain, from the first cell that it reaches into. */
export const forEachTriangle = (statements: string) => wgsl`
  for (var z = low.z; z <= high.z; z++) {
    for (var y = low.y; y <= high.y; y++) {
      for (var x = low.x; x <= high.x; x++) {
        let cell = mesh.cells + u32((z * mesh.dims.y + y) * mesh.dims.x + x);
        for (var k = meshData[cell]; k < meshData[cell + 1u]; k++) {
          let t = mesh.triangles + ${TRIANGLE_WORDS}u * meshData[mesh.items + k];
          let packed = meshData[t + 7u];
          let begins = vec3i(vec3u(packed & 1023u, (packed >> 10u) & 1023u, packed >> 20u));
          if (any(max(low, begins) != vec3i(x, y, z))) { continue; }
          ${statements}
        }
      }
    }
  }`;

/**
 * The features of meshes that grains can touch (src/cpu/meshSearch.ts): a facet over its inside, an edge or corner where the
 * centre lies outside the regions of all that meet there, and facets beyond borders across which the surface rises. Positions
 * are seen from the grain's centre. Single precision blurs borders by some 1e-7 of the size of a triangle; facets reach that
 * much beyond theirs, so that no slit is left.
 */
export const meshFeatures = ({ meshes: count, moving, periods }: MeshOptions) => wgsl`
#if ${periods !== undefined}
/** By how much so many units of the lattice as there are to a diameter elsewhere are longer than a diameter. */
const UNIT_EXCESS = vec3f(${latticeUnits(periods)
  .map((unit) => unit * LATTICE_PER_DIAMETER - 1)
  .join(', ')});
#endif
#if ${moving}
${meshPoses({ meshes: count, periods })}
#endif

/** The plane of a facet, the line of an edge or the place of a corner; the direction in two parts, as a wall's. */
struct Feature {
  anchor: vec4i,      // lattice point; the body that it is part of
  fraction: vec4f,    // remainder of the point; the mesh
  high: vec4f,        // leading bits of normal or direction; kind
  low: vec4f,         // rest of it
}

struct Mesh {
  wall: u32, firstFeature: u32, firstEdge: u32, firstCorner: u32,
  origin: vec3i, cellUnits: i32,
  dims: vec3i, cells: u32,
  items: u32, triangles: u32, aroundStarts: u32, around: u32, vertices: u32,
}

fn meshAt(index: u32) -> Mesh {
  let h = ${MESH_WORDS}u * index;
  return Mesh(
    meshData[h], meshData[h + 1u], meshData[h + 2u], meshData[h + 3u],
    vec3i(bitcast<i32>(meshData[h + 4u]), bitcast<i32>(meshData[h + 5u]), bitcast<i32>(meshData[h + 6u])), i32(meshData[h + 7u]),
    vec3i(vec3u(meshData[h + 8u], meshData[h + 9u], meshData[h + 10u])), meshData[h + 11u],
    meshData[h + 12u], meshData[h + 13u], meshData[h + 14u], meshData[h + 15u], ${MESH_WORDS * count}u,
  );
}

/** Share of a triangle's size by which single precision may misplace its borders. */
const BLUR = 1e-6;
const AT_END = 1e-4;
const STRAIGHT = 1e-4;
const FACET = ${FEATURE_KINDS.facet}f;
const EDGE = ${FEATURE_KINDS.edge}f;

/** The grain at hand. */
var<private> mesh: Mesh;
var<private> q: vec4i;
var<private> f: vec4f;
var<private> reach: f32;
var<private> range: f32;
var<private> low: vec3i;
var<private> high: vec3i;
/** The point of the mesh that the last test came to, seen from the centre. */
var<private> goal: vec3f;

/** The triangle at hand, seen from the centre, and the directions inwards from its edges. */
struct Triangle { corners: array<vec3f, 3>, inwards: array<vec3f, 3>, blur: f32 }

/** The grain at hand in parts of a diameter, as the mesh's cells count; along periodic axes but for one. */
fn placeInParts() -> vec3i {
  #if ${periods !== undefined}
  return select(q.xyz, q.xyz + vec3i(round(vec3f(q.xyz) * UNIT_EXCESS)), PERIODIC);
  #else
  return q.xyz;
  #endif
}

fn vertexAt(vertex: u32) -> vec3f {
  let v = mesh.vertices + ${VERTEX_WORDS}u * vertex;
  let point = vec4i(bitcast<vec3i>(vec3u(meshData[v], meshData[v + 1u], meshData[v + 2u])), 0);
  let rest = vec4f(bitcast<vec3f>(vec3u(meshData[v + 4u], meshData[v + 5u], meshData[v + 6u])), 0.0);
  // Not to the nearest image: those that can be touched are vertices of their own.
  return vec3f(point.xyz - q.xyz) * LATTICE_UNIT + (rest.xyz - f.xyz);
}

/** @param normal of its facet: from the third corner the way inwards would be lost where the triangle is narrow */
fn triangleAt(t: u32, normal: vec3f) -> Triangle {
  var result: Triangle;
  for (var k = 0u; k < 3u; k++) { result.corners[k] = vertexAt(meshData[t + k]); }
  let up = select(normal, -normal, (meshData[t + 11u] & ${CLOCKWISE}u) != 0u);
  for (var k = 0u; k < 3u; k++) {
    result.inwards[k] = cross(up, normalize(result.corners[(k + 1u) % 3u] - result.corners[k]));
  }
  let farthest = max(length(result.corners[0]), max(length(result.corners[1]), length(result.corners[2])));
  result.blur = BLUR * (1.0 + farthest);
  return result;
}

/** How far a point is inside of a triangle's edge k. */
fn inside(triangle: ptr<function, Triangle>, k: u32, point: vec3f) -> f32 {
  return dot(point - (*triangle).corners[k], (*triangle).inwards[k]);
}

fn wayFromFeature(feature: Feature) -> Way {
  let difference = q.xyz - feature.anchor.xyz;
  let whole = (difference + vec3i(${LATTICE_PER_DIAMETER / 2})) >> vec3u(${Math.log2(LATTICE_PER_DIAMETER)}u);
  var rest = vec3f(difference - whole * ${LATTICE_PER_DIAMETER}) * LATTICE_UNIT + (f.xyz - feature.fraction.xyz);
  #if ${periods !== undefined}
  rest += vec3f(whole) * UNIT_EXCESS;
  #endif
  return Way(vec3f(whole), rest);
}

/** How far the centre is over a facet's plane; xyz the plane's normal. */
fn heightOver(feature: Feature) -> vec4f {
  let way = wayFromFeature(feature);
  let normal = feature.high.xyz + feature.low.xyz;
  return vec4f(normal, dot(way.whole, feature.high.xyz) + (dot(way.whole, feature.low.xyz) + dot(way.rest, normal)));
}

/** Gap and normal of a grain at a feature; planes and lines without end. */
fn featureGeometry(feature: Feature) -> Geometry {
  if (feature.high.w == FACET) {
    let plane = heightOver(feature);
    return Geometry(select(plane.xyz, -plane.xyz, plane.w >= 0.0), abs(plane.w) - f.w);
  }
  let way = wayFromFeature(feature);
  var across = way.whole + way.rest;
  if (feature.high.w == EDGE) {
    // Products of whole diameters with the leading bits are exact, and so is what is left across the edge.
    let axis = feature.high.xyz + feature.low.xyz;
    let along = dot(way.whole, feature.high.xyz);
    let wholeAlong = round(along);
    let restAlong = (along - wholeAlong) + (dot(way.whole, feature.low.xyz) + dot(way.rest, axis));
    across = (way.whole - wholeAlong * feature.high.xyz) + (way.rest - wholeAlong * feature.low.xyz - restAlong * axis);
  }
  let distance = length(across);
  if (distance == 0.0) { return Geometry(vec3f(0.0, 0.0, -1.0), -f.w); }
  return Geometry(-across / distance, distance - f.w);
}

/** Whether the centre is over a facet's triangle, or within reach of it beyond an edge across which the surface rises. */
fn isOverFacet(t: u32) -> bool {
  let plane = heightOver(features[mesh.firstFeature + meshData[t + 3u]]);
  if (abs(plane.w) > range) { return false; }
  let rising = meshData[t + 11u] >> select(1u, 0u, plane.w >= 0.0);
  var triangle = triangleAt(t, plane.xyz);
  let aside = select(${ASIDE} * reach, 0.0, abs(plane.w) < f.w);
  var least = 0.0;
  var beyond = 3u;
  var isAside = false;
  var rises = false;
  for (var k = 0u; k < 3u; k++) {
    let depth = inside(&triangle, k, vec3f(0.0));
    if (depth < -triangle.blur) {
      let risesHere = ((rising >> (2u * k)) & 1u) != 0u;
      if (depth < -select(aside, reach, risesHere)) { return false; }
      rises |= risesHere;
      isAside |= !risesHere;
    }
    if (depth < least) { least = depth; beyond = k; }
  }
  if (isAside && !rises) { return false; }
  goal = -plane.w * plane.xyz;
  if (beyond == 3u) { return true; }
  let start = triangle.corners[beyond];
  let along = triangle.corners[(beyond + 1u) % 3u] - start;
  goal = start + clamp(-dot(start, along) / dot(along, along), 0.0, 1.0) * along;
  return length(goal) <= range;
}

/** Whether another triangle of the same facet, with a lower number, has the contact. */
fn isRepeated(t: u32, facet: u32) -> bool {
  let own = t;
  ${forEachTriangle(wgsl`
          if (t < own && meshData[t + 3u] == facet && isOverFacet(t)) { return true; }`)}
  return false;
}

/** Whether a triangle lies across the way from the centre to the goal, or, from an edge or corner there, leads nearer. */
fn isHidden(isPoint: bool) -> bool {
  let end = goal;
  ${forEachTriangle(wgsl`
          let plane = heightOver(features[mesh.firstFeature + meshData[t + 3u]]);
          let endHeight = plane.w + dot(end, plane.xyz);
          let crosses = plane.w * endHeight < 0.0;
          if (!crosses && !isPoint) { continue; }
          var triangle = triangleAt(t, plane.xyz);
          let share = plane.w / (plane.w - endHeight);
          if (crosses && share > AT_END && share < 1.0 - AT_END) {
            let crossing = share * end;
            let depth = min(inside(&triangle, 0u, crossing), min(inside(&triangle, 1u, crossing), inside(&triangle, 2u, crossing)));
            if (depth >= -triangle.blur) { return true; }
          }
          if (isPoint && abs(endHeight) <= triangle.blur && leadsNearer(&triangle, plane, end)) { return true; }`)}
  return false;
}

fn leadsNearer(triangle: ptr<function, Triangle>, plane: vec4f, end: vec3f) -> bool {
  let way = -end;
  let flat = way - dot(way, plane.xyz) * plane.xyz;
  if (length(flat) <= STRAIGHT * length(way)) { return false; }
  for (var k = 0u; k < 3u; k++) {
    let depth = inside(triangle, k, end);
    if (depth > (*triangle).blur) { continue; }
    if (depth < -(*triangle).blur || dot(flat, (*triangle).inwards[k]) < STRAIGHT * length(flat)) { return false; }
  }
  return true;
}

/** Whether the way to the centre leads away from all that surrounds the point on an edge or corner. */
fn leadsAway(feature: u32, point: vec3f) -> bool {
  if (length(point) > range) { return false; }
  for (var k = meshData[mesh.aroundStarts + feature]; k < meshData[mesh.aroundStarts + feature + 1u]; k++) {
    if (dot(-point, vertexAt(meshData[mesh.around + k]) - point) > 0.0) { return false; }
  }
  goal = point;
  return true;
}

fn isOutsideEdge(t: u32, k: u32, edge: u32) -> bool {
  let start = vertexAt(meshData[t + k]);
  let side = vertexAt(meshData[t + (k + 1u) % 3u]) - start;
  let size = length(side);
  let along = -dot(start, side) / size;
  let blur = BLUR * (1.0 + size);
  if (along < -blur || along > size + blur) { return false; }
  return leadsAway(edge, start + (along / size) * side);
}

/** The feature of each kind that a triangle has or owns, place 0 to 6, if the grain can touch it; else NONE. */
fn touchedFeature(t: u32, place: u32) -> u32 {
  if (place == 0u) {
    let facet = meshData[t + 3u];
    if (!isOverFacet(t) || isHidden(false)) { return NONE; }
    if ((meshData[t + 11u] & ${SHARED_FACET}u) != 0u && isRepeated(t, facet)) { return NONE; }
    return facet;
  }
  if (place < 4u) {
    let edge = meshData[t + 3u + place];
    if (edge == NONE || !isOutsideEdge(t, place - 1u, edge) || isHidden(true)) { return NONE; }
    return mesh.firstEdge + edge;
  }
  let corner = meshData[t + 4u + place];
  if (corner == NONE || !leadsAway(mesh.firstCorner + corner, vertexAt(meshData[t + place - 4u])) || isHidden(true)) { return NONE; }
  return mesh.firstEdge + mesh.firstCorner + corner;
}
`;
