import type { System } from '../scene/system';
import { HUB_DEGREE, HUB_ROUND, HUB_SIZE_RATIO, LEAST_HUB_ROUND } from '../settings';
import { BODY_STRIDE, INVERSE_MASS, SPIN } from './bodies';
import type { CandidateList } from './candidateList';
import { CONTACT_STRIDE, type ContactBlock, REDUCED_MASS } from './contacts';
import { lawOf } from './law';

/** The contacts of a hub, in the order of the sweeps: `begin` to `end` of the block. */
export interface Hub {
  /** Id of the body. */
  body: number;
  begin: number;
  end: number;
  /** Of a grain: no other hub of this colour shares a body with it, or HUB_COLOURS where all were taken. Of a piston: none. */
  colour?: number;
}

/**
 * Chooses the hubs: bodies with so many contacts that these leave the colouring, in which each would need a colour of its own.
 * Every piston is one, and every grain with more candidates than HUB_DEGREE.
 */
export class HubChooser {
  private readonly pistons: readonly number[];
  private readonly degrees: Uint32Array;
  private readonly grainsMayBe: boolean;

  constructor(private readonly system: System) {
    const { grains, pistons, solver } = system;
    this.pistons = pistons.map(({ wall }) => grains + wall);
    // The random sweep goes contact by contact and needs no colours.
    this.grainsMayBe = solver.sweep === 'coloured' && mayHaveHubGrains(system);
    this.degrees = new Uint32Array(this.grainsMayBe ? grains : 0);
  }

  /** @returns ids of bodies: pistons in the order of the walls, then grains by id */
  choose(list: Pick<CandidateList, 'count' | 'first' | 'second'>): readonly number[] {
    return this.grainsMayBe ? [...this.pistons, ...this.chooseGrains(list)] : this.pistons;
  }

  private chooseGrains({ count, first, second }: Pick<CandidateList, 'count' | 'first' | 'second'>): readonly number[] {
    const { degrees, system } = this;
    degrees.fill(0);
    for (let c = 0; c < count; c++) {
      degrees[first[c]]++;
      if (second[c] < system.grains) degrees[second[c]]++;
    }
    const grains: number[] = [];
    for (let i = 0; i < degrees.length; i++) {
      if (degrees[i] > HUB_DEGREE && system.inverseMasses[i] > 0) grains.push(i);
    }
    return grains;
  }
}

/** Whether sizes differ so much that a grain may have far more contacts than the others. */
export function mayHaveHubGrains({ radii }: System): boolean {
  let [least, most] = [Infinity, 0];
  for (const radius of radii) {
    least = Math.min(least, radius);
    most = Math.max(most, radius);
  }
  return isMuchLarger(most, least);
}

/** In single precision, as on the GPU. */
export function isMuchLarger(radius: number, other: number): boolean {
  return Math.fround(radius) > Math.fround(HUB_SIZE_RATIO * Math.fround(other));
}

/**
 * Updates the contacts of a grain with very many, some at once. In a round of n the grain stands for n copies of itself,
 * each with an n-th of its mass and one contact; then it gets their mean velocity, which is its own plus all impulses over its
 * mass. The law asks for no change exactly where it asks for none of the whole grain: the fixed point is the same.
 * @param motion bodies as in packBodies, with HUB_ROUND spare ones at the end, which are overwritten
 */
export function sweepHubGrain(block: ContactBlock, hub: Hub, motion: Float64Array, momentum: number): void {
  const body = BODY_STRIDE * hub.body;
  const applyLaw = lawOf(block);
  const spare = motion.length - BODY_STRIDE * HUB_ROUND;
  const round = hubRound(motion[body + INVERSE_MASS]);
  for (let begin = hub.begin; begin < hub.end; begin += round) {
    const count = Math.min(round, hub.end - begin);
    splitBody(block, begin, count, body, motion, spare);
    applyLaw(block, begin, begin + count, motion, momentum);
    joinBody(block, begin, count, body, motion, spare);
  }
}

/** So many that a share of the grain is no lighter than a grain is on the mean: contacts that do not see each other then still converge. */
function hubRound(inverseMass: number): number {
  return Math.min(Math.max(Math.round(1 / inverseMass), LEAST_HUB_ROUND), HUB_ROUND);
}

function splitBody(block: ContactBlock, begin: number, count: number, body: number, motion: Float64Array, spare: number): void {
  const { bodies, data } = block;
  for (let k = 0; k < count; k++) {
    const copy = spare + BODY_STRIDE * k;
    motion.copyWithin(copy, body, body + BODY_STRIDE);
    motion[copy + INVERSE_MASS] *= count;
    const slot = begin + k;
    const side = 2 * slot + (bodies[2 * slot] === body ? 0 : 1);
    bodies[side] = copy;
    setReducedMass(data, bodies, slot, motion);
  }
}

function joinBody(block: ContactBlock, begin: number, count: number, body: number, motion: Float64Array, spare: number): void {
  const { bodies, data } = block;
  for (let k = 0; k < count; k++) {
    const slot = begin + k;
    bodies[2 * slot + (bodies[2 * slot] === spare + BODY_STRIDE * k ? 0 : 1)] = body;
    setReducedMass(data, bodies, slot, motion);
  }
  for (let component = 0; component < 2 * SPIN; component++) {
    let sum = 0;
    for (let k = 0; k < count; k++) sum += motion[spare + BODY_STRIDE * k + component] - motion[body + component];
    motion[body + component] += sum / count;
  }
}

function setReducedMass(data: Float64Array, bodies: Uint32Array, slot: number, motion: Float64Array): void {
  data[CONTACT_STRIDE * slot + REDUCED_MASS] =
    1 / (motion[bodies[2 * slot] + INVERSE_MASS] + motion[bodies[2 * slot + 1] + INVERSE_MASS]);
}
