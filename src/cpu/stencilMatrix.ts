import type { Vector } from '../scene/problem';
import { CORNERS, type CoarseGrid } from './coarseGrid';
import { grown } from './growable';

/** Nodes that a node shares a cell with, itself (the one in the middle) included. */
const NEIGHBOURS = 27;
const SELF = 13;
const MAX_ITERATIONS = 40;
/** Pairs of corners m <= l of a cell. */
export const PAIRS = (CORNERS * (CORNERS + 1)) / 2;
/** Residual at which the conjugate gradients end, relative to the first. */
const TOLERANCE = 1e-3;

/** A symmetric matrix over the nodes of a grid in which only nodes of one cell are coupled. */
export class StencilMatrix {
  private nodes = 0;
  private nodeDims: Vector = [0, 0, 0];
  /** nodes x 27, and which nodes they couple with */
  private entries = new Float64Array(0);
  private neighbours = new Uint32Array(0);
  private readonly vectors = Array.from({ length: 4 }, () => new Float64Array(0));
  /** 8 x 8: place in a row of the entry that couples two corners of a cell */
  private readonly places = Uint32Array.from({ length: 64 }, (_, k) => {
    const along = (bit: number) => (((k & 7) >> bit) & 1) - ((k >> (3 + bit)) & 1) + 1;
    return along(0) + 3 * (along(1) + 3 * along(2));
  });

  /** Lays the matrix out for a grid. */
  layOut({ nodes, nodeDims }: CoarseGrid): void {
    const [nx, ny, nz] = nodeDims;
    if (this.nodes === nodes && this.nodeDims[0] === nx && this.nodeDims[1] === ny) return;
    this.nodes = nodes;
    this.nodeDims = nodeDims;
    this.entries = grown(this.entries, NEIGHBOURS * nodes);
    this.neighbours = grown(this.neighbours, NEIGHBOURS * nodes);
    this.vectors.forEach((vector, k) => {
      this.vectors[k] = grown(vector, nodes);
    });
    // Wraps around: beyond sides that are not periodic there are no entries.
    const wrap = (x: number, n: number) => (x + n) % n;
    for (let j = 0, e = 0; j < nodes; j++) {
      const [x, y, z] = [j % nx, Math.floor(j / nx) % ny, Math.floor(j / (nx * ny))];
      for (let d = 0; d < NEIGHBOURS; d++, e++) {
        const [u, v, w] = [(d % 3) - 1, (Math.floor(d / 3) % 3) - 1, Math.floor(d / 9) - 1];
        this.neighbours[e] = wrap(x + u, nx) + nx * (wrap(y + v, ny) + ny * wrap(z + w, nz));
      }
    }
  }

  /**
   * Puts the matrix together.
   * @param couplings cells x 36, what couples corners m and l >= m of each cell, in the order of m, then l
   */
  assemble({ cells, corners }: CoarseGrid, couplings: Float64Array): void {
    const { entries, places } = this;
    entries.fill(0, 0, NEIGHBOURS * this.nodes);
    for (let cell = 0, e = 0; cell < cells; cell++) {
      for (let m = 0; m < CORNERS; m++) {
        const first = NEIGHBOURS * corners[CORNERS * cell + m];
        for (let l = m; l < CORNERS; l++, e++) {
          const second = NEIGHBOURS * corners[CORNERS * cell + l];
          entries[first + places[CORNERS * m + l]] += couplings[e];
          if (m !== l) entries[second + places[CORNERS * l + m]] += couplings[e];
        }
      }
    }
  }

  /** Conjugate gradients from zero, with the diagonal as preconditioner. */
  solve(target: Float64Array, solution: Float64Array, regularisation: number): void {
    const { nodes, entries } = this;
    const [residual, direction, product, inverse] = this.vectors;
    let rho = 0;
    for (let j = 0; j < nodes; j++) {
      const diagonal = entries[NEIGHBOURS * j + SELF] * (1 + regularisation);
      inverse[j] = diagonal > 0 ? 1 / diagonal : 0;
      solution[j] = 0;
      residual[j] = target[j];
      direction[j] = inverse[j] * target[j];
      rho += residual[j] * direction[j];
    }
    const enough = rho * TOLERANCE ** 2;
    for (let iteration = 0; iteration < MAX_ITERATIONS && rho > enough; iteration++) {
      const curvature = this.multiply(direction, product, regularisation);
      if (!(curvature > 0)) return;
      const length = rho / curvature;
      let next = 0;
      for (let j = 0; j < nodes; j++) {
        solution[j] += length * direction[j];
        residual[j] -= length * product[j];
        next += residual[j] * residual[j] * inverse[j];
      }
      for (let j = 0; j < nodes; j++) direction[j] = inverse[j] * residual[j] + (next / rho) * direction[j];
      rho = next;
    }
  }

  /** @returns x A x */
  private multiply(x: Float64Array, out: Float64Array, regularisation: number): number {
    const { nodes, entries, neighbours } = this;
    let all = 0;
    for (let j = 0, e = 0; j < nodes; j++) {
      let sum = regularisation * entries[e + SELF] * x[j];
      for (const end = e + NEIGHBOURS; e < end; e++) sum += entries[e] * x[neighbours[e]];
      out[j] = sum;
      all += sum * x[j];
    }
    return all;
  }
}
