import type { System } from '../scene/system';
import { BALANCE_SWEEPS, BALANCE_TAIL, CONVERGENCE_INTERVAL, FAR } from '../settings';
import { BODY_STRIDE, INVERSE_MASS } from './bodies';
import type { CoarseLevel } from './coarse';
import { CONTACT_STRIDE, type ContactBlock, IMPULSE } from './contacts';

/** Momenta of the coarse grid's cells, cells x 3. */
type Momenta = Float64Array;

/** What of a system acts on it from outside. */
type LoadedSystem = Pick<System, 'grains' | 'inverseMasses' | 'accelerations' | 'pistons'>;

/** Sum of the impulses of gravity, external forces and pistons in a step. */
export function externalLoad({ grains, inverseMasses, accelerations, pistons }: LoadedSystem): number {
  let external = pistons.reduce((sum, { force }) => sum + Math.abs(force), 0);
  for (let i = 0; i < grains; i++) {
    if (inverseMasses[i] === 0) continue;
    external += Math.hypot(accelerations[3 * i], accelerations[3 * i + 1], accelerations[3 * i + 2]) / inverseMasses[i];
  }
  return external;
}

/** Tests between which the balance compares at most. */
const WINDOW = BALANCE_SWEEPS / CONVERGENCE_INTERVAL;

/**
 * Global balance: whether the packing as a whole bears its load, which small residuals of the single contacts do not tell
 * (docs/solving.md, "Balance"). It is max(5 S, R): S the share of the impulses that a coarse step would change, R what the momenta of
 * the coarse grid's cells will still change by if they go on as in the latest sweeps, as a share of the load.
 */
export class Balance {
  private free: Momenta = new Float64Array(0);
  /** After sweeps that are multiples of the interval between tests, the latest last. */
  private history: Momenta[] = [];
  /** Sum of the impulses of gravity, external forces and pistons in a step. */
  private readonly external: number;

  constructor(
    private readonly system: LoadedSystem,
    private readonly level: CoarseLevel,
  ) {
    this.external = externalLoad(system);
  }

  /** @param motion bodies with their free velocities */
  begin(motion: Float64Array): void {
    this.history = [];
    this.free = this.momenta(motion);
  }

  /** Whether grains move by much more than what their load gives them in a step: they fall, or are stopped. */
  get moves(): boolean {
    return distance(this.free, new Float64Array(this.free.length)) > FAR.moving * this.external;
  }

  /** To be called before the first sweep and after every CONVERGENCE_INTERVAL. */
  record(motion: Float64Array): void {
    if (this.history.length > 2 * WINDOW) this.history.shift();
    this.history.push(this.momenta(motion));
  }

  /**
   * R: with d the change over the latest sweeps (25, or half of those that there were), and q d over the change over as many before,
   * what is to come is d (q + q^2 + ...), at most BALANCE_TAIL times the change over 25 sweeps. Before there are two such
   * changes to compare, q is taken to be 1/2. Where no contact bears, changes are rounding, as is all that they could be a share of.
   */
  remainder(block: ContactBlock): number {
    const { history } = this;
    const last = history.length - 1;
    if (last < 1) return 0;
    const borne = impulsesOf(block);
    if (borne === 0) return 0;
    const window = Math.min(WINDOW, Math.max(1, Math.floor(last / 2)));
    const change = distance(history[last], history[last - window]);
    if (change === 0) return 0;
    const before = last < 2 ? 2 * change : distance(history[last - window], history[last - 2 * window]);
    const tail = change < before ? change / (before - change) : Infinity;
    return (change * Math.min(tail, (BALANCE_TAIL * WINDOW) / window)) / this.load(borne, history[last]);
  }

  private momenta(motion: Float64Array): Momenta {
    const { cellOf, grid } = this.level;
    const momenta = new Float64Array(3 * grid.cells);
    for (let i = 0, body = 0; i < this.system.grains; i++, body += BODY_STRIDE) {
      const inverseMass = motion[body + INVERSE_MASS];
      if (inverseMass === 0) continue;
      const k = 3 * cellOf[i];
      momenta[k] += motion[body] / inverseMass;
      momenta[k + 1] += motion[body + 1] / inverseMass;
      momenta[k + 2] += motion[body + 2] / inverseMass;
    }
    return momenta;
  }

  /**
   * The largest of what acts from outside, what the contacts have changed in the cells' momenta, and what goes through a section of
   * the packing: sum |P| l is 3 p V, so that sum |P| d/(3 L) is p V/L.
   */
  private load(borne: number, now: Momenta): number {
    return Math.max(this.external, distance(now, this.free), borne / (3 * this.level.grid.extent));
  }
}

/** Sum of |P|. */
function impulsesOf({ count, data }: ContactBlock): number {
  let sum = 0;
  for (let slot = 0; slot < count; slot++) {
    const p = CONTACT_STRIDE * slot + IMPULSE;
    sum += Math.sqrt(data[p] * data[p] + data[p + 1] * data[p + 1] + data[p + 2] * data[p + 2]);
  }
  return sum;
}

function distance(a: Momenta, b: Momenta): number {
  let sum = 0;
  for (let k = 0; k < a.length; k += 3) sum += Math.hypot(a[k] - b[k], a[k + 1] - b[k + 1], a[k + 2] - b[k + 2]);
  return sum;
}
