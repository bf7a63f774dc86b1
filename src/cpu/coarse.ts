import type { System } from '../scene/system';
import { COARSE_REGULARISATION, LARGEST_COARSE_GAIN, LARGEST_COARSE_LOSS } from '../settings';
import { BODY_STRIDE, INVERSE_MASS, SPIN } from './bodies';
import { CORNERS, CoarseGrid, hats, OVERHANG } from './coarseGrid';
import { mayGrow, work } from './coarseWork';
import {
  CONTACT_STRIDE,
  type ContactBlock,
  EXTRA_STRIDE,
  IMPULSE,
  PREVIOUS_IMPULSE,
  PREVIOUS_TORQUE,
  SHARE_A,
  SHARE_B,
  TORQUE,
} from './contacts';
import { grown } from './growable';
import { PAIRS, StencilMatrix } from './stencilMatrix';

/** Doubles per corner of a grain's cell: force F (0 to 2) and turn T (3 to 5) of the impulses there. */
const SUMS = 6;

/**
 * The coarse level (docs/solving.md, "The coarse level"): every impulse is multiplied by 1 + s(x), s trilinear on a coarse grid,
 * which takes out errors of long range that sweeps take out slowly. A positive factor keeps an impulse in its Coulomb cone.
 * s is such that the work r = P_n (V_n + g+) + P_t V_t of the contacts (without friction's where it slides, for there it may
 * dissipate, unless the step is far from balance) vanishes against each hat function w_j, to first order: A s = -sum w_j r, where A says what the impulses of
 * the nodes do to the grains' motion.
 */
export class CoarseLevel {
  readonly grid: CoarseGrid;
  private readonly matrix = new StencilMatrix();
  private target = new Float64Array(0);
  private field = new Float64Array(0);
  /** cells x 36, see StencilMatrix.assemble */
  private couplings = new Float64Array(0);
  /** C, cell that each contact is in, and C x 8, values of the hat functions there */
  private cells = new Uint32Array(0);
  private weights = new Float64Array(0);
  /** N, cell of each grain */
  readonly cellOf: Uint32Array;
  /** Grains' contacts, as 2 slot + side: those of grain i from starts[i] on */
  private readonly starts: Uint32Array;
  /** N x 3, place of each grain within its cell, from 0 to 1 */
  private readonly offsets: Float64Array;
  private sides = new Uint32Array(0);
  private readonly corners = new Float64Array(CORNERS);
  private readonly sums = new Float64Array(CORNERS * SUMS);
  private linked = false;

  constructor(private readonly system: Pick<System, 'grains' | 'radii' | 'inverseMasses' | 'inertiaFactor' | 'periods'>) {
    this.grid = new CoarseGrid(system.periods);
    this.cellOf = new Uint32Array(system.grains);
    this.starts = new Uint32Array(system.grains + 2);
    this.offsets = new Float64Array(3 * system.grains);
  }

  /**
   * A new step.
   * @param positions N x 3
   */
  begin(positions: Float64Array): void {
    const { grid, cellOf, offsets } = this;
    grid.layOut(positions);
    for (let i = 0, k = 0; i < cellOf.length; i++, k += 3) {
      cellOf[i] = grid.cellAt(positions[k], positions[k + 1], positions[k + 2]);
      for (let axis = 0; axis < 3; axis++) offsets[k + axis] = grid.within(axis, positions[k + axis]);
    }
    this.linked = false;
  }

  /**
   * Finds the field s that the present state asks for.
   * @param slidingWork whether the work of friction counts where contacts slide
   * @param regularisation share of the matrix's diagonal that is added to it
   * @returns S = sum |s| |P| / sum |P|, the share of the impulses that it would change
   */
  propose(block: ContactBlock, motion: Float64Array, slidingWork = false, regularisation = COARSE_REGULARISATION): number {
    if (!this.linked) this.link(block);
    const { matrix, target, system } = this;
    target.fill(0, 0, this.grid.nodes);
    this.couplings.fill(0, 0, PAIRS * this.grid.cells);
    for (let k = 0; k < block.count; k++) this.addTarget(block, block.summed[k], motion, slidingWork);
    for (let i = 0; i < system.grains; i++) this.addResponse(block, i, motion[BODY_STRIDE * i + INVERSE_MASS]);
    matrix.assemble(this.grid, this.couplings);
    matrix.solve(target, this.field, regularisation);
    return this.share(block);
  }

  /**
   * Multiplies the impulses as proposed. The increments by which the heavy ball goes on stay as they are: impulses and motion
   * of the sweep before change alike.
   */
  apply(block: ContactBlock, motion: Float64Array, previous: Float64Array): void {
    const { data, extra, general, count } = block;
    const change = new Float64Array(6);
    for (let slot = 0; slot < count; slot++) {
      const factor = this.factor(block, slot);
      if (factor === 0) continue;
      const k = CONTACT_STRIDE * slot;
      for (let axis = 0; axis < 3; axis++) {
        const p = k + IMPULSE + axis;
        change[axis] = factor * data[p];
        data[p] += change[axis];
        data[p - IMPULSE + PREVIOUS_IMPULSE] += change[axis];
        if (!general) continue;
        const t = EXTRA_STRIDE * slot + TORQUE + axis;
        change[3 + axis] = factor * extra[t];
        extra[t] += change[3 + axis];
        extra[t - TORQUE + PREVIOUS_TORQUE] += change[3 + axis];
      }
      this.move(block, slot, change, motion, previous);
    }
  }

  /** By which share of itself a contact's impulse changes; 0 where it does not press. */
  private factor(block: ContactBlock, slot: number): number {
    const { data } = block;
    const k = CONTACT_STRIDE * slot;
    const normal = data[k] * data[k + IMPULSE] + data[k + 1] * data[k + IMPULSE + 1] + data[k + 2] * data[k + IMPULSE + 2];
    if (normal <= 0) return 0;
    const s = Math.min(LARGEST_COARSE_GAIN, Math.max(-LARGEST_COARSE_LOSS, this.at(slot)));
    return s > 0 && block.general && !mayGrow(block, slot, normal) ? 0 : s;
  }

  /** Room for a step's contacts, where they are in the grid, and which a grain has. */
  private link(block: ContactBlock): void {
    const { grid, starts } = this;
    const { count, bodies } = block;
    this.linked = true;
    this.matrix.layOut(grid);
    this.field = grown(this.field, grid.nodes);
    this.target = grown(this.target, grid.nodes);
    this.couplings = grown(this.couplings, PAIRS * grid.cells);
    this.cells = grown(this.cells, count);
    this.weights = grown(this.weights, CORNERS * count);
    for (let slot = 0; slot < count; slot++) this.placeContact(block, slot);
    this.sides = grown(this.sides, 2 * count);
    const { sides } = this;
    const end = BODY_STRIDE * this.system.grains;
    starts.fill(0);
    for (let k = 0; k < 2 * count; k++) if (bodies[k] < end) starts[bodies[k] / BODY_STRIDE + 2]++;
    for (let i = 2; i < starts.length; i++) starts[i] += starts[i - 1];
    for (let k = 0; k < 2 * count; k++) if (bodies[k] < end) sides[starts[bodies[k] / BODY_STRIDE + 1]++] = k;
  }

  /**
   * A contact counts in the cell of its first grain, the smaller one, or of the second where the first is fixed: with nodes for which that
   * grain answers. Nodes of other cells may be asked for what hardly any grain there responds to.
   */
  private placeContact({ data, bodies }: ContactBlock, slot: number): void {
    const first = bodies[2 * slot] / BODY_STRIDE;
    const second = this.system.inverseMasses[first] === 0;
    const i = second ? bodies[2 * slot + 1] / BODY_STRIDE : first;
    this.cells[slot] = this.cellOf[i];
    const arm = (second ? -1 : 1) * this.system.radii[i];
    const { offsets, grid, weights } = this;
    const { spacing } = grid;
    const k = CONTACT_STRIDE * slot;
    const x = atMostOver(offsets[3 * i] + (arm * data[k]) / spacing[0]);
    const y = atMostOver(offsets[3 * i + 1] + (arm * data[k + 1]) / spacing[1]);
    const z = atMostOver(offsets[3 * i + 2] + (arm * data[k + 2]) / spacing[2]);
    hats(x, y, z, weights, CORNERS * slot);
  }

  /** s at a contact. */
  private at(slot: number): number {
    const { weights, field, grid } = this;
    const cell = CORNERS * this.cells[slot];
    let s = 0;
    for (let m = 0; m < CORNERS; m++) s += weights[CORNERS * slot + m] * field[grid.corners[cell + m]];
    return s;
  }

  private share(block: ContactBlock): number {
    const { count, data } = block;
    let [changed, all] = [0, 0];
    for (let slot = 0; slot < count; slot++) {
      const p = CONTACT_STRIDE * slot + IMPULSE;
      const size = Math.sqrt(data[p] * data[p] + data[p + 1] * data[p + 1] + data[p + 2] * data[p + 2]);
      if (size === 0) continue;
      changed += Math.abs(this.factor(block, slot)) * size;
      all += size;
    }
    return all > 0 ? changed / all : 0;
  }

  private addTarget(block: ContactBlock, slot: number, motion: Float64Array, slidingWork: boolean): void {
    const r = work(block, slot, motion, slidingWork);
    if (r === 0) return;
    const { weights, target, grid } = this;
    const cell = CORNERS * this.cells[slot];
    for (let m = 0; m < CORNERS; m++) target[grid.corners[cell + m]] -= weights[CORNERS * slot + m] * r;
  }

  /** A_ml += (F_m F_l + kappa T_m T_l)/mass over the nodes of the grain's own cell. */
  private addResponse(block: ContactBlock, i: number, inverseMass: number): void {
    if (inverseMass === 0 || this.starts[i] === this.starts[i + 1]) return;
    if (!this.sumImpulses(block, i)) return;
    const { sums, couplings } = this;
    const turn = inverseMass * this.system.inertiaFactor;
    for (let a = 0, e = PAIRS * this.cellOf[i]; a < CORNERS * SUMS; a += SUMS) {
      const fx = inverseMass * sums[a];
      const fy = inverseMass * sums[a + 1];
      const fz = inverseMass * sums[a + 2];
      const tx = turn * sums[a + 3];
      const ty = turn * sums[a + 4];
      const tz = turn * sums[a + 5];
      for (let b = a; b < CORNERS * SUMS; b += SUMS, e++) {
        couplings[e] +=
          fx * sums[b] + fy * sums[b + 1] + fz * sums[b + 2] + tx * sums[b + 3] + ty * sums[b + 4] + tz * sums[b + 5];
      }
    }
  }

  /**
   * F_m = sum w_m P and T_m = sum w_m (n x P and the contact's torque) over the impulses on a grain, with the hat functions of
   * the grain's own cell, which go on linearly to contacts beyond it.
   * @returns whether there are any
   */
  private sumImpulses(block: ContactBlock, i: number): boolean {
    const { data, extra, general } = block;
    const { sums, corners, grid, offsets, starts, sides } = this;
    const radius = this.system.radii[i];
    const { spacing } = grid;
    const [x, y, z] = [offsets[3 * i], offsets[3 * i + 1], offsets[3 * i + 2]];
    const [dx, dy, dz] = [radius / spacing[0], radius / spacing[1], radius / spacing[2]];
    let any = false;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const slot = sides[e] >> 1;
      const k = CONTACT_STRIDE * slot;
      const px = data[k + IMPULSE];
      const py = data[k + IMPULSE + 1];
      const pz = data[k + IMPULSE + 2];
      if (px === 0 && py === 0 && pz === 0) continue;
      if (!any) sums.fill(0);
      any = true;
      const sign = (sides[e] & 1) === 1 ? 1 : -1;
      const nx = data[k];
      const ny = data[k + 1];
      const nz = data[k + 2];
      let tx = ny * pz - nz * py;
      let ty = nz * px - nx * pz;
      let tz = nx * py - ny * px;
      if (general) {
        const t = EXTRA_STRIDE * slot;
        const share = sign > 0 ? -extra[t + SHARE_B] : extra[t + SHARE_A];
        tx += share * extra[t + TORQUE];
        ty += share * extra[t + TORQUE + 1];
        tz += share * extra[t + TORQUE + 2];
      }
      hats(x - sign * dx * nx, y - sign * dy * ny, z - sign * dz * nz, corners, 0);
      for (let m = 0, s = 0; m < CORNERS; m++, s += SUMS) {
        const weight = corners[m];
        const signed = sign * weight;
        sums[s] += signed * px;
        sums[s + 1] += signed * py;
        sums[s + 2] += signed * pz;
        sums[s + 3] += weight * tx;
        sums[s + 4] += weight * ty;
        sums[s + 5] += weight * tz;
      }
    }
    return any;
  }

  /** Gives the bodies a contact's change of impulse (0 to 2) and torque (3 to 5), now and as of the last sweep. */
  private move(
    { data, extra, general, bodies }: ContactBlock,
    slot: number,
    change: Float64Array,
    motion: Float64Array,
    previous: Float64Array,
  ): void {
    const k = CONTACT_STRIDE * slot;
    for (let side = 0; side < 2; side++) {
      const body = bodies[2 * slot + side];
      const inverseMass = motion[body + INVERSE_MASS];
      if (inverseMass === 0) continue;
      const linear = side === 0 ? -inverseMass : inverseMass;
      const turn = this.system.inertiaFactor * inverseMass;
      const share = general ? extra[EXTRA_STRIDE * slot + (side === 0 ? SHARE_A : SHARE_B)] * (side === 0 ? 1 : -1) : 0;
      for (let axis = 0; axis < 3; axis++) {
        const next = (axis + 1) % 3;
        const last = (axis + 2) % 3;
        const arm = data[k + next] * change[last] - data[k + last] * change[next];
        const dv = linear * change[axis];
        const ds = -turn * (arm + share * change[3 + axis]);
        motion[body + axis] += dv;
        motion[body + SPIN + axis] += ds;
        previous[body + axis] += dv;
        previous[body + SPIN + axis] += ds;
      }
    }
  }
}

/** A place in a cell, or beyond it by no more than counts. */
function atMostOver(place: number): number {
  return Math.min(Math.max(place, -OVERHANG), 1 + OVERHANG);
}
