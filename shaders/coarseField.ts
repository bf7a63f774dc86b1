import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { COARSE_REGULARISATION, SWELLING } from '../src/settings';

/** Pairs of corners m <= l of a cell, and nodes that a node shares a cell with, itself included. */
export const PAIRS = 36;
export const NEIGHBOURS = 27;
const MAX_ITERATIONS = 40;
/** Residual at which the conjugate gradients end, relative to the first. */
const TOLERANCE = 1e-3;

/** Vectors of the conjugate gradients. */
export const VECTORS = 4;

/** The field of a step of the coarse level by one workgroup, from the couplings of the cells' corners; for coarse.ts. */
export const coarseField = (solverSize: number, momenta: number) => wgsl`
const SOLVER_SIZE = ${solverSize}u;
const SOLUTION = ${momenta}u;          // where the parts of the level are
const MISSING = SOLUTION + NODES;
const DIRECTION = MISSING + NODES;
const PRODUCT = DIRECTION + NODES;
const NEIGHBOURS = ${NEIGHBOURS}u;
const SELF = ${(NEIGHBOURS - 1) / 2}u;
var<workgroup> parts: array<f32, SOLVER_SIZE>;
var<workgroup> teamTotal: f32;
var<workgroup> teamNodes: u32;

/** Sum over the workgroup, in a fixed order. */
fn total(value: f32, local: u32) -> f32 {
  parts[local] = value;
  for (var half = SOLVER_SIZE / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (local < half) { parts[local] += parts[local + half]; }
  }
  if (local == 0u) { teamTotal = parts[0]; }
  return workgroupUniformLoad(&teamTotal);
}

fn nodeOfIndex(index: u32) -> vec3u {
  let dims = nodeCounts3();
  return vec3u(index % dims.x, (index / dims.x) % dims.y, index / (dims.x * dims.y));
}

/** From a node to one of those that it shares a cell with. */
fn stencil(neighbour: u32) -> vec3i { return vec3i(vec3u(neighbour, neighbour / 3u, neighbour / 9u) % 3u) - 1; }

/** Sum over the cells of which both nodes are corners. */
fn entryOf(node: vec3u, step: vec3i) -> f32 {
  let dims = vec3i(cellCounts3());
  let open = nodeCounts3() != cellCounts3();
  var sum = 0.0;
  for (var m = 0u; m < CORNERS; m++) {
    let bits = vec3i(cornerBits(m));
    let other = bits + step;
    var cell = vec3i(node) - bits;
    if (any(other < vec3i(0)) || any(other > vec3i(1)) || any(open & ((cell < vec3i(0)) | (cell >= dims)))) { continue; }
    cell = (cell + dims) % dims;
    let l = u32(other.x + 2 * other.y + 4 * other.z);
    let low = min(m, l);
    sum += cellCouplings[PAIRS * cellIndex(vec3u(cell)) + low * (17u - low) / 2u + max(m, l) - low];
  }
  return sum;
}

fn regularisation() -> f32 {
  let low = control.coarse.far != 0u && control.coarse.swollen != 0u;
  return select(${COARSE_REGULARISATION}f, ${SWELLING.regularisation}f, low);
}

fn multiplied(index: u32, node: vec3u) -> f32 {
  let dims = vec3i(nodeCounts3());
  var sum = regularisation() * cellMatrix[SELF * NODES + index] * level[DIRECTION + index];
  for (var neighbour = 0u; neighbour < NEIGHBOURS; neighbour++) {
    // Wraps around: beyond sides that are not periodic there are no entries.
    let other = (vec3i(node) + stencil(neighbour) + dims) % dims;
    sum += cellMatrix[neighbour * NODES + index] * level[DIRECTION + nodeIndex(vec3u(other))];
  }
  return sum;
}

fn inverseDiagonal(index: u32) -> f32 {
  let diagonal = cellMatrix[SELF * NODES + index] * (1.0 + regularisation());
  return select(0.0, 1.0 / diagonal, diagonal > 0.0);
}

/** Puts the matrix together and solves by conjugate gradients from zero, with the diagonal as preconditioner. */
@compute @workgroup_size(SOLVER_SIZE)
fn solveField(@builtin(local_invocation_index) local: u32) {
  if (nothingAsked(local)) { return; }
  if (local == 0u) { teamNodes = control.coarse.nodes; }
  let nodes = workgroupUniformLoad(&teamNodes);
  for (var k = local; k < NEIGHBOURS * nodes; k += SOLVER_SIZE) {
    cellMatrix[(k / nodes) * NODES + k % nodes] = entryOf(nodeOfIndex(k % nodes), stencil(k / nodes));
  }
  storageBarrier();
  var mine = 0.0;
  for (var j = local; j < nodes; j += SOLVER_SIZE) {
    let wanted = f32(atomicExchange(&targets[j], 0)) / max(control.coarse.scale, 1e-30);
    level[SOLUTION + j] = 0.0;
    level[MISSING + j] = wanted;
    level[DIRECTION + j] = inverseDiagonal(j) * wanted;
    mine += wanted * level[DIRECTION + j];
  }
  storageBarrier();
  var rho = total(mine, local);
  let enough = rho * ${TOLERANCE ** 2}f;
  for (var iteration = 0u; iteration < ${MAX_ITERATIONS}u && rho > enough; iteration++) {
    mine = 0.0;
    for (var j = local; j < nodes; j += SOLVER_SIZE) {
      level[PRODUCT + j] = multiplied(j, nodeOfIndex(j));
      mine += level[PRODUCT + j] * level[DIRECTION + j];
    }
    let curvature = total(mine, local);
    if (!(curvature > 0.0)) { break; }
    mine = 0.0;
    for (var j = local; j < nodes; j += SOLVER_SIZE) {
      level[SOLUTION + j] += rho / curvature * level[DIRECTION + j];
      level[MISSING + j] -= rho / curvature * level[PRODUCT + j];
      mine += level[MISSING + j] * (inverseDiagonal(j) * level[MISSING + j]);
    }
    let next = total(mine, local);
    for (var j = local; j < nodes; j += SOLVER_SIZE) { level[DIRECTION + j] = inverseDiagonal(j) * level[MISSING + j] + next / rho * level[DIRECTION + j]; }
    rho = next;
    storageBarrier();
  }
  for (var j = local; j < nodes; j += SOLVER_SIZE) { control.coarse.field[j] = level[SOLUTION + j]; }
}
`;
