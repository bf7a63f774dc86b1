import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { MAX_COARSE_NODES } from '../src/settings';
import type { SpaceOptions } from './bodies';

/** Grains that one workgroup sorts by coarse cell together. Larger: longer loops; smaller: more counts, 8 bytes for each block and cell. */
export const COARSE_BLOCK = 512;

/** Numbers that are counted for the lists: grains of each cell in each block and, with `sides`, contacts of each grain. */
export function coarseCounts(grains: number, sides: boolean): number {
  return MAX_COARSE_NODES * Math.ceil(grains / COARSE_BLOCK) + (sides ? grains : 0);
}

/**
 * The grid of the coarse level, as src/cpu/coarseGrid.ts has it; for modules with `control` and `bodies`. Places are in cells from the
 * grid's origin, so that their fractions are places in a cell. Grains are where their lattice points are: half a lattice unit is nothing to
 * a cell of five diameters.
 */
export const coarseGrid = ({ periods }: SpaceOptions) => wgsl`
const CORNERS = 8u;

fn triple(values: array<f32, 3>) -> vec3f { return vec3f(values[0], values[1], values[2]); }
fn cellCounts3() -> vec3u { return vec3u(control.coarse.dims[0], control.coarse.dims[1], control.coarse.dims[2]); }
fn nodeCounts3() -> vec3u { return vec3u(control.coarse.nodeDims[0], control.coarse.nodeDims[1], control.coarse.nodeDims[2]); }

fn gridPlace(q: vec4i) -> vec3f {
  return (vec3f(q.xyz) * LATTICE_UNIT - triple(control.coarse.origin)) / triple(control.coarse.spacing);
}

/** The cell that holds a place; beyond the grid, the nearest. */
fn cellAt(place: vec3f) -> vec3u {
  let cell = vec3i(floor(place));
  let dims = vec3i(cellCounts3());
  let nearest = clamp(cell, vec3i(0), dims - 1);
  #if ${periods !== undefined}
  let image = cell + select(vec3i(0), dims, cell < vec3i(0)) - select(vec3i(0), dims, cell >= dims);
  return vec3u(clamp(select(nearest, image, PERIODIC), vec3i(0), dims - 1));
  #else
  return vec3u(nearest);
  #endif
}

fn cellIndex(cell: vec3u) -> u32 {
  let dims = cellCounts3();
  return cell.x + dims.x * (cell.y + dims.y * cell.z);
}

/** Of a cell's corner, along each axis: 1 where it is at the upper end. */
fn cornerBits(corner: u32) -> vec3u { return (vec3u(corner) >> vec3u(0u, 1u, 2u)) & vec3u(1u); }

fn nodeIndex(node: vec3u) -> u32 {
  let dims = nodeCounts3();
  return node.x + dims.x * (node.y + dims.y * node.z);
}

fn nodeAt(cell: vec3u, corner: u32) -> u32 { return nodeIndex((cell + cornerBits(corner)) % nodeCounts3()); }

/** Hat function of a cell's corner at a place within it; beyond 0 and 1 it goes on linearly. */
fn hat(inside: vec3f, corner: u32) -> f32 {
  let along = select(1.0 - inside, inside, cornerBits(corner) == vec3u(1u));
  return along.x * along.y * along.z;
}
`;

/**
 * Where the parts of \`coarseLists\` are: starts of the blocks of each cell, of each grain's contacts (as sums that begin with the
 * number of grains), then the grains by cell, then the contacts of each grain, as 2 k + side. Without \`sides\` no contacts;
 * with \`split\` they are in \`coarseSides\`.
 */
export const coarseListPlaces = ({ sides, split = false }: { sides: boolean; split?: boolean }) => wgsl`
const MOST_CELLS = ${MAX_COARSE_NODES}u;
const COARSE_BLOCK = ${COARSE_BLOCK}u;

fn coarseBlocks() -> u32 { return (params.grains + COARSE_BLOCK - 1u) / COARSE_BLOCK; }
fn startOfSums() -> u32 { return MOST_CELLS * coarseBlocks(); }
fn startOfGrains() -> u32 { return startOfSums() + 1u${sides ? ' + params.grains' : ''}; }
fn startOfCell(cell: u32) -> u32 { return startOfGrains() + coarseLists[cell * coarseBlocks()]; }
#if ${split}
fn startOfSides(grain: u32) -> u32 { return coarseLists[startOfSums() + grain] - params.grains; }
#elif ${sides}
fn startOfSides(grain: u32) -> u32 { return startOfGrains() + coarseLists[startOfSums() + grain]; }
#endif
`;
