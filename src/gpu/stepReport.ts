import { latticeUnits } from '../../shaders/bodies';
import { REPORT_FASTEST, REPORT_WORDS, REPORTED_COLOURS } from '../../shaders/measure';
import { PISTON_WORDS } from '../../shaders/pistons';
import { wallSteps } from '../cpu/walls';
import type { StepReport } from '../report';
import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import type { WallStep } from '../scene/wallMotion';
import { planeAnchor, type SnapshotPiston } from '../snapshot';
import { wallAnchor } from './packWalls';

/** What a submission reports: the step if it was completed, else why it was halted and what it needs. */
export interface GpuReport {
  halt: number;
  reachRequired: number;
  badGrain: number;
  /** Of the contact that lets a grain through: that grain, and the other or N + index of the wall. */
  passage: readonly [number, number];
  largeColours: number;
  /** Contacts of the first colours. */
  colourSizes: readonly number[];
  uncoloured: number;
  /** Pistons with contacts, and colours of hubs. */
  hubs: number;
  /** Grains that are hubs, their colours, and how many have the most frequent one. */
  hubGrains: number;
  hubColours: number;
  hubsAtOnce: number;
  pistons: readonly SnapshotPiston[];
  step: StepReport;
}

/** Reads the words that `writeReport` of shaders/measure.ts wrote. */
export function parseReport(words: Uint32Array, system: System): GpuReport {
  const floats = new Float32Array(words.buffer);
  const pistons = unpackPistons(words.subarray(REPORT_WORDS + 6 * system.walls.length), system);
  const walls = wallSteps(system, words[3]);
  return {
    halt: words[0],
    reachRequired: floats[1],
    badGrain: words[2],
    passage: [words[27], words[28]],
    largeColours: words[6],
    colourSizes: Array.from(words.subarray(REPORT_WORDS - REPORTED_COLOURS, REPORT_WORDS)),
    uncoloured: words[7],
    hubs: words[22],
    hubGrains: words[24],
    hubColours: words[25],
    hubsAtOnce: words[26],
    pistons,
    step: {
      step: words[3] + 1,
      candidates: words[4],
      // The contacts that found no colour are updated one after the other: together they count as one, as those of each piston and each colour of hubs do.
      colours: words[5] + (words[7] > 0 ? 1 : 0) + words[22],
      iterations: words[8],
      converged: words[9] === 1,
      residual: floats[10],
      residualMax: floats[11],
      balance: floats[23],
      meanForce: floats[12],
      contacts: words[13],
      meanPenetration: floats[14],
      maxPenetration: floats[15],
      kineticEnergy: floats[16],
      momentum: [floats[17], floats[18], floats[19]],
      fastestDisplacement: floats[REPORT_FASTEST],
      fastestGrain: words[21] === 0xffffffff ? 0 : words[21],
      wallLoads: wallLoads(floats.subarray(REPORT_WORDS), walls),
      wallMotions: wallMotions(system, walls, pistons),
      redone: 0,
    },
  };
}

/** Torques about the walls' own points; the GPU takes them about their anchors. */
function wallLoads(floats: Float32Array, walls: readonly WallStep[]): Float64Array {
  const loads = Float64Array.from(floats.subarray(0, 6 * walls.length));
  walls.forEach(({ start }, w) => {
    const anchor = wallAnchor(start);
    const [x, y, z] = anchor.map((value, axis) => value - start.point[axis]);
    const [fx, fy, fz] = loads.subarray(6 * w, 6 * w + 3);
    loads[6 * w + 3] += y * fz - z * fy;
    loads[6 * w + 4] += z * fx - x * fz;
    loads[6 * w + 5] += x * fy - y * fx;
  });
  return loads;
}

/** As `advance` of shaders/pistons.ts reports them. */
function unpackPistons(words: Uint32Array, { pistons, periods }: System): SnapshotPiston[] {
  const units = latticeUnits(periods);
  return pistons.map(({ wall }, p) => {
    const own = words.slice(PISTON_WORDS * p, PISTON_WORDS * (p + 1));
    const [whole, floats] = [new Int32Array(own.buffer), new Float32Array(own.buffer)];
    const anchor = units.map((unit, axis) => whole[axis] * unit) as Vector;
    return { wall, anchor, remainder: [floats[3], floats[4], floats[5]], velocity: [floats[6], floats[7], floats[8]] };
  });
}

/** Walls go where they go by themselves, but for pistons, whose anchors are as far from their points as at the start. */
function wallMotions({ walls }: System, steps: readonly WallStep[], pistons: readonly SnapshotPiston[]): Float64Array {
  const motions = Float64Array.from(steps.flatMap(({ end, way }) => [...end.point, ...way]));
  for (const { wall, anchor, remainder, velocity } of pistons) {
    const start = planeAnchor(walls[wall]);
    for (let axis = 0; axis < 3; axis++) motions[6 * wall + axis] += anchor[axis] + remainder[axis] - start[axis];
    motions.set(velocity, 6 * wall + 3);
  }
  return motions;
}
