import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { BALANCE_SWEEPS, BALANCE_TAIL, CONVERGENCE_INTERVAL, MAX_COARSE_NODES } from '../src/settings';
import { coarseListPlaces } from './coarseGrid';
import { control } from './control';
import { teamIdle, teamSum } from './team';

/** Tests between which the balance compares at most. */
export const BALANCE_WINDOW = BALANCE_SWEEPS / CONVERGENCE_INTERVAL;
/** Rows of momenta: after the latest tests, in turn, and those of the free motion. */
const LATEST = 2 * BALANCE_WINDOW + 1;
const FREE = LATEST;

/** Floats at the head of `level`: momenta of the cells. */
export const MOMENTA_FLOATS = 3 * MAX_COARSE_NODES * (LATEST + 1);

/** Momenta of the coarse grid's cells, as src/cpu/balance.ts has them; for modules with `level`. */
const momentumRows = wgsl`
const LATEST = ${LATEST}u;
const FREE = ${FREE}u;
const INTERVAL = ${CONVERGENCE_INTERVAL}u;

fn momentumWord(row: u32, cell: u32) -> u32 { return 3u * (${MAX_COARSE_NODES}u * row + cell); }
`;

/** Sums the momenta of the cells. */
export const balance = ({ sides }: { sides: boolean }) => wgsl`
${control}
${teamSum}
${teamIdle}
${momentumRows}
${coarseListPlaces({ sides })}
@group(0) @binding(2) var<storage, read> motion: array<vec4f>;              // velocity with the inverse mass and spin of each body, in turn
@group(0) @binding(3) var<storage, read> coarseLists: array<u32>;
@group(0) @binding(4) var<storage, read_write> level: array<f32>;

var<workgroup> teamCells: u32;

fn sumMomenta(row: u32, group: u32, groups: u32, local: u32) {
  if (teamIdle(local)) { return; }
  if (local == 0u) { teamCells = control.coarse.cells; }
  let cells = workgroupUniformLoad(&teamCells);
  for (var cell = group; cell < cells; cell += groups) {
    var mine = vec4f(0.0);
    for (var k = startOfCell(cell) + local; k < startOfCell(cell + 1u); k += TEAM_SIZE) {
      let velocity = motion[2u * coarseLists[k]];
      if (velocity.w > 0.0) { mine += vec4f(velocity.xyz / velocity.w, 0.0); }
    }
    let sum = teamReduce(mine, local);
    if (local < 3u) { level[momentumWord(row, cell) + local] = sum[local]; }
  }
}

/** Before the impulses of the last step act. */
@compute @workgroup_size(TEAM_SIZE)
fn freeMomenta(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  sumMomenta(FREE, group.x, groups.x, local);
}

/** Before the first sweep, and after every INTERVAL. */
@compute @workgroup_size(TEAM_SIZE)
fn momenta(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  sumMomenta((control.iteration / INTERVAL) % LATEST, group.x, groups.x, local);
}
`;

/** Those momenta, to be read; for modules with `level`. */
export const momentaAtHand = wgsl`
${momentumRows}
fn momentum(row: u32, cell: u32) -> vec3f {
  let word = momentumWord(row, cell);
  return vec3f(level[word], level[word + 1u], level[word + 2u]);
}
`;

/** The remainder R of the balance by one workgroup; for modules with `level` and teamReduce. */
export const remainder = wgsl`
${momentaAtHand}
const WINDOW = ${BALANCE_WINDOW}u;

/** @param borne sum of |P| */
fn remainder(borne: f32, local: u32) -> f32 {
  let last = control.iteration / INTERVAL;
  let window = min(WINDOW, max(1u, last / 2u));
  var mine = vec4f(0.0);      // changes over the latest sweeps, over as many before, and since the free motion
  for (var cell = local; cell < control.coarse.cells; cell += TEAM_SIZE) {
    let now = momentum(last % LATEST, cell);
    let then = momentum((max(last, window) - window) % LATEST, cell);
    let earlier = momentum((max(last, 2u * window) - 2u * window) % LATEST, cell);
    mine += vec4f(length(now - then), length(then - earlier), length(now - momentum(FREE, cell)), 0.0);
  }
  let sums = teamReduce(mine, local);
  if (last == 0u || sums.x == 0.0) { return 0.0; }
  let before = select(sums.y, 2.0 * sums.x, last < 2u);
  let most = ${BALANCE_TAIL * BALANCE_WINDOW}f / f32(window);
  var tail = most;
  if (sums.x < before) { tail = min(most, sums.x / (before - sums.x)); }
  let load = max(max(params.load, sums.z), borne / (3.0 * control.coarse.extent));
  // Where no contact bears, changes are rounding, as is all that they could be a share of.
  return select(0.0, sums.x * tail / max(load, 1e-30), borne > 0.0);
}
`;
