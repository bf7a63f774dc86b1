import { NO_COLOUR } from './colouring';
import { grown } from './growable';
import { MEMORY_STRIDE, TARGET_STRIDE } from './memory';
import { takeOver } from './takeOver';
import type { FeatureImages } from './walls';

/**
 * Pairs of bodies that can touch within the step, sorted by (first, second). First is the grain with the smaller radius (the
 * lower id among equals), so that a large grain does not own a long list; against a wall first is the grain and second is
 * N + index of the wall.
 */
export class CandidateList {
  count = 0;
  /** N + 1: where the candidates of each first body begin */
  readonly starts: Uint32Array;
  /** C (arrays may be longer) */
  first = new Uint32Array(0);
  second = new Uint32Array(0);
  private featureKeys = new Uint32Array(0);
  /** C, the body that stands for the second one in the step: itself, but for walls that turn; see placeAtWalls */
  partners = this.second;
  /** C x 3, unit, from first to second */
  normals = new Float64Array(0);
  /** C, mean diameters, negative where bodies overlap */
  gaps = new Float64Array(0);
  /** C, index of the pair's law */
  laws = new Uint32Array(0);
  /** C x 3, impulse on the second body */
  impulses = new Float64Array(0);
  /** C x 3, torque on the second body over the pair's r* (an impulse); empty in systems without contact torques */
  torques = new Float64Array(0);
  /** C x MEMORY_STRIDE, what contacts remember; empty in systems with plain laws alone, as is the next */
  memory = new Float64Array(0);
  /** C x TARGET_STRIDE, what collisions aim at in this step */
  targets = new Float64Array(0);
  /** C, NO_COLOUR before the contact has one */
  colours = new Uint32Array(0);

  /**
   * @param general whether contacts have torques and a memory
   * @param features whether there are meshes
   */
  constructor(
    grains: number,
    readonly general = false,
    readonly features = false,
  ) {
    this.starts = new Uint32Array(grains + 1);
  }

  /**
   * C, what the candidates of one first body are sorted and known again by: second, but for the features of meshes N + W + number of
   * the feature.
   */
  get keys(): Uint32Array {
    return this.features ? this.featureKeys : this.second;
  }

  reserve(count: number): void {
    this.first = grown(this.first, count);
    this.second = grown(this.second, count);
    if (this.features) this.featureKeys = grown(this.featureKeys, count);
    this.normals = grown(this.normals, 3 * count);
    this.gaps = grown(this.gaps, count);
    this.laws = grown(this.laws, count);
    this.impulses = grown(this.impulses, 3 * count);
    if (this.general) {
      this.torques = grown(this.torques, 3 * count);
      this.memory = grown(this.memory, MEMORY_STRIDE * count);
      this.targets = grown(this.targets, TARGET_STRIDE * count);
    }
    this.colours = grown(this.colours, count);
  }
}

/**
 * What contacts of the same two bodies had in the last step: their colour, and what they remember, and their impulse and torque if
 * the scene starts warm. Both lists are sorted, so one walk through the two finds the partners.
 * @param repeated the features of meshes: a grain that crosses the seam of periodic space keeps its contacts
 */
export function carryOver(last: CandidateList, list: CandidateList, warmStart: boolean, repeated?: FeatureImages): void {
  list.impulses.fill(0, 0, 3 * list.count);
  list.torques.fill(0, 0, 3 * list.count);
  list.memory.fill(0, 0, MEMORY_STRIDE * list.count);
  list.colours.fill(NO_COLOUR, 0, list.count);
  const hasImages = repeated !== undefined && repeated.images > 1;
  const lastKeys = hasImages ? withoutImages(last, repeated) : last.keys;
  const keys = hasImages ? withoutImages(list, repeated) : list.keys;
  const { starts, impulses } = list;
  const { starts: lastStarts, impulses: lastImpulses } = last;
  for (let i = 0; i + 1 < starts.length; i++) {
    let old = lastStarts[i];
    const end = lastStarts[i + 1];
    for (let c = starts[i]; c < starts[i + 1] && old < end; c++) {
      while (old < end && lastKeys[old] < keys[c]) old++;
      if (old === end || lastKeys[old] !== keys[c]) continue;
      list.colours[c] = last.colours[old];
      for (let k = 0; list.general && k < MEMORY_STRIDE; k++) {
        list.memory[MEMORY_STRIDE * c + k] = last.memory[MEMORY_STRIDE * old + k];
      }
      if (!warmStart) continue;
      impulses[3 * c] = lastImpulses[3 * old];
      impulses[3 * c + 1] = lastImpulses[3 * old + 1];
      impulses[3 * c + 2] = lastImpulses[3 * old + 2];
      for (let axis = 0; list.general && axis < 3; axis++) list.torques[3 * c + axis] = last.torques[3 * old + axis];
    }
  }
  if (repeated && list.general) takeOver(last, lastKeys, list, keys, repeated.first);
}

/** The keys with one number for all images of a feature, still sorted. */
function withoutImages({ keys, count }: CandidateList, { first, images }: FeatureImages): Uint32Array {
  return keys.slice(0, count).map((key) => (key < first ? key : first + Math.floor((key - first) / images)));
}
