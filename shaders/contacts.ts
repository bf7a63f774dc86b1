import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { bodies, type SpaceOptions, type WallOptions, wallAfter } from './bodies';
import { impulseRows } from './contactLaw';
import { control } from './control';
import { LAW_TABLE_ROWS, lawTable, MAX_LAWS } from './lawTable';
import { pages } from './pages';
import type { LawOptions } from './shockLaw';

export type ContactsOptions = SpaceOptions & WallOptions & Pick<LawOptions, 'general' | 'torques'>;

/** Contacts in the order of their colours: geometry, and the impulse that they bore in the last step. */
export const contacts = ({ general, torques, ...space }: ContactsOptions) => wgsl`
${control}
${pages}
${bodies(space)}
${wallAfter}
${lawTable}
@group(0) @binding(2) var<storage, read> sequence: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(5) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(6) var<storage, read> walls: array<Wall>;
@group(0) @binding(7) var<storage, read_write> contactPairs: array<vec2u>;
@group(0) @binding(8) var<storage, read_write> normals: array<vec4f>;         // w: gap
@group(0) @binding(9) var<storage, read> lastIndices: array<u32>;
@group(0) @binding(10) var<storage, read_write> lastImpulses: array<vec4f>;   // in the order of the candidates
@group(0) @binding(11) var<storage, read_write> impulses: array<vec4f>;       // P, w: friction, or the law's index; then tau
@group(0) @binding(12) var<storage, read_write> motion: array<vec4f>;              // free velocity and spin of each body, in turn, before the impulses of the last step
@group(0) @binding(13) var<uniform> lawOf: array<vec4u, ${LAW_TABLE_ROWS}>;             // M x M, four to an entry
@group(0) @binding(14) var<uniform> laws: array<Law, ${MAX_LAWS}>;

const STRIDE = ${impulseRows({ torques })}u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn place(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let pair = pairs[sequence[k]];
  let first = pair.x & ID_MASK;
  let second = pair.y & ID_MASK;
  contactPairs[k] = pair;
  if (second >= params.grains) { return; }
  let geometry = pairGeometry(lattice[first], offsets[first], lattice[second], offsets[second]);
  normals[k] = vec4f(geometry.normal, geometry.gap);
}

/**
 * Inside a cylinder or a sphere the normal is that of where the free motion leads: on the tangent plane of where it starts, a grain that
 * slides along the wall would sink into it a little in every step.
 */
fn leanWithMotion(geometry: Geometry, radius: f32, motion: vec3f, wall: Wall) -> Geometry {
  if (wall.low.w != 1.0) { return geometry; }
  let axis = wall.high.xyz + wall.low.xyz;
  let rho = wall.high.w + wall.fraction.w - radius - geometry.gap;
  let ahead = rho * geometry.normal + (motion - dot(motion, axis) * axis);
  let distance = length(ahead);
  if (distance == 0.0) { return geometry; }
  let lean = ahead / distance - geometry.normal;
  return Geometry(geometry.normal + lean, geometry.gap + 0.5 * rho * dot(lean, lean));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn placeAtWalls(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let pair = contactPairs[k];
  let first = pair.x & ID_MASK;
  let second = pair.y & ID_MASK;
  if (second < params.grains) { return; }
  let wall = walls[second - params.grains];
  let radius = offsets[first].w;
  if (wall.low.w == MESH) {
    #if ${space.turning}
    // One body serves all features of the mesh: at the grain's centre the wall has one velocity.
    if (wall.links.y != NONE) { placeSurface(k, first, wall, wayOfCarried(first, wall)); }
    #endif
    return;
  }
  let start = wallGeometry(lattice[first], offsets[first], wall, 0.0);
  #if ${space.moving}
  let geometry = meetMoving(start, first, second - params.grains);
  #else
  let geometry = leanWithMotion(start, radius, motion[2u * first].xyz, wall);
  #endif
  normals[k] = vec4f(geometry.normal, geometry.gap);
  #if ${space.turning}
  if (wall.links.y == NONE) { return; }
  let surface = surfaceWay(start, geometry.normal, first, second - params.grains);
  placeSurface(k, first, wall, surface - radius * cross(wall.turn.xyz, geometry.normal));
  #endif
}

#if ${space.moving}
fn wayOfPoint(wall: Wall) -> vec3f { return vec3f(wall.carry0.w, wall.carry1.w, wall.carry2.w); }

fn geometryAfter(start: Geometry, first: u32, wall: u32) -> Geometry {
  return wallGeometry(lattice[first], offsets[first], walls[wallAfter(wall)], sideOf(start, walls[wall]));
}

/**
 * A wall that moves without tilting is met where it is at the start, as if it rested, its way taken from the grain's; one that
 * tilts with the normal of the step's end. The gap is that of the start.
 */
fn meetMoving(start: Geometry, first: u32, wall: u32) -> Geometry {
  let radius = offsets[first].w;
  let velocity = motion[2u * first].xyz;
  if (walls[wall].region.z == 0.0) { return leanWithMotion(start, radius, velocity - wayOfPoint(walls[wall]), walls[wall]); }
  let after = geometryAfter(start, first, wall);
  let leaning = leanWithMotion(after, radius, velocity, walls[wallAfter(wall)]);
  return Geometry(leaning.normal, start.gap + (leaning.gap - after.gap));
}
#endif

#if ${space.turning}
/**
 * The body of a wall that turns at a grain, with the velocity that the wall has at the grain's centre: its spin is the opposite of the
 * wall's at the grain's radius, so that v - s x n is the velocity of the surface where the grain touches it.
 */
fn placeSurface(k: u32, first: u32, wall: Wall, velocity: vec3f) {
  let body = params.bodies + wall.links.y * params.grains + first;
  motion[2u * body] = vec4f(velocity, 0.0);
  motion[2u * body + 1u] = vec4f(-offsets[first].w * wall.turn.xyz, SURFACE_RADIUS);
  contactPairs[k].y = body | FIXED;
}

/** Way of a grain's centre if the wall carried it. */
fn wayOfCarried(first: u32, wall: Wall) -> vec3f {
  let way = wayFromWall(lattice[first], offsets[first], wall);
  let arm = way.whole + way.rest;
  return wayOfPoint(wall) + vec3f(dot(wall.carry0.xyz, arm), dot(wall.carry1.xyz, arm), dot(wall.carry2.xyz, arm));
}

/** Way of the wall's surface at a contact: its own points' along it; along the normal what the wall takes from the gap. */
fn surfaceWay(start: Geometry, normal: vec3f, first: u32, index: u32) -> vec3f {
  let wall = walls[index];
  let reach = offsets[first].w + start.gap;
  let way = wayFromWall(lattice[first], offsets[first], wall);
  let foot = way.whole + (way.rest + reach * start.normal);
  let surface = wayOfPoint(wall) + vec3f(dot(wall.carry0.xyz, foot), dot(wall.carry1.xyz, foot), dot(wall.carry2.xyz, foot));
  var advance = dot(wayOfPoint(wall), normal);
  if (wall.region.z > 0.0) {
    if (wall.low.w == 0.0) { advance = dot(surface, normal) - reach * wall.region.z; }
    else { advance = geometryAfter(start, first, index).gap - start.gap; }
  }
  return surface + (advance - dot(surface, normal)) * normal;
}
#endif

fn material(body: u32) -> u32 {
  if (body < params.grains) { return u32(lattice[body].w) & ID_MASK; }
  #if ${space.turning}
  if (body >= params.bodies) { return u32(walls[walls[(body - params.bodies) / params.grains].links.z].anchor.w); }
  #endif
  return u32(walls[body - params.grains].anchor.w);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn recall(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let entry = material(contactPairs[k].x & ID_MASK) * params.materials + material(contactPairs[k].y & ID_MASK);
  let last = lastIndices[sequence[k]];
  let warm = params.warmStart != 0u && control.cold == 0u && last != NONE;
  if (!lastAtHand(select(0u, last, warm))) { return; }
  let law = lawOf[entry / 4u][entry % 4u];
  var impulse = vec3f(0.0);
  if (warm) { impulse = lastImpulses[STRIDE * last].xyz; }
  #if ${general}
  impulses[STRIDE * k] = vec4f(impulse, f32(law));
  #else
  impulses[STRIDE * k] = vec4f(impulse, laws[law].dynamicFriction);
  #endif
  #if ${torques}
  var torque = vec4f(0.0);
  if (warm) { torque = lastImpulses[STRIDE * last + 1u]; }
  impulses[STRIDE * k + 1u] = torque;
  #endif
}

/** After the step: impulses back in the order of the candidates, for the next step to find them. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn keep(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let candidate = sequence[k];
  if (!lastAtHand(candidate)) { return; }
  for (var row = 0u; row < STRIDE; row++) { lastImpulses[STRIDE * candidate + row] = impulses[STRIDE * k + row]; }
}
`;
