import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CandidateList } from '../../src/cpu/candidateList';
import { CandidateFinder } from '../../src/cpu/candidates';
import { buildGrid, layOutGrid } from '../../src/cpu/grid';
import { chooseSizeLevels } from '../../src/cpu/sizeLevels';
import { CpuSolver } from '../../src/cpu/solver';
import { loadProblem, parseScene } from '../../src/index';
import type { State } from '../../src/report';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { GrainIndex } from '../../src/scene/grainIndex';
import type { System } from '../../src/scene/system';
import { toSceneState, toSystem } from '../../src/scene/units';
import { REST_STEPS } from '../../src/settings';
import { extentOf } from '../../src/snapshot';

/** Share of the box that the grains fill before they settle. */
const PACKED = 0.5;
/** Rounds in which grains that overlap are moved apart before. */
const ROUNDS = 200;
/** Larger grains than this, in radii of the smallest, are put in without overlaps. */
const LARGE = 3;
const GRAVITY = 10;
/** Of the steps in which they settle, over sqrt(d/g). */
const TIME_STEP = 0.03;
/** Kinetic energy per grain, in mean weights times diameters, below which they are at rest; and steps after which they are taken as they are. */
const REST = 1e-3;
const SETTLING_STEPS = 1500;
const FOLDER = 'out/cells';

/**
 * A packing at rest under gravity in an open box, in which every grain lies on others: as much volume in each doubling of the radius
 * from the smallest to `ratio` times that. It is made once, in some minutes, and kept in out/cells.
 */
export async function packingAtRest(grains: number, ratio: number): Promise<System> {
  const random = randomNumbers(7);
  const radii = drawRadii(grains, ratio, random);
  const box = boxOf(radii);
  const file = `${FOLDER}/${ratio}-${grains}.csv`;
  if (!existsSync(file)) {
    // Ids tell nothing about sizes.
    const order = Array.from(radii, (_, i) => ({ i, key: random() })).sort((a, b) => a.key - b.key);
    const places = placeGrains(radii, box.side, random);
    const loose = await inBox(toCsv(order.map(({ i }) => [...places.subarray(3 * i, 3 * i + 3), radii[i]])), box);
    moveApart(loose, box.side);
    const settled = toSceneState(await settle(loose, `1:${ratio}`), loose.units, loose.radii).positions;
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, toCsv(order.map(({ i }, k) => [...settled.subarray(3 * k, 3 * k + 3), radii[i]])));
  }
  return inBox(readFileSync(file, 'utf8'), box);
}

/** In which these grains settle, and the time in which they fall. */
interface Box {
  side: number;
  timeStep: number;
}

function boxOf(radii: Float64Array): Box {
  const volume = radii.reduce((sum, radius) => sum + (4 / 3) * Math.PI * radius ** 3, 0);
  const diameter = (2 * radii.reduce((sum, radius) => sum + radius, 0)) / radii.length;
  return { side: Math.cbrt(volume / PACKED), timeStep: TIME_STEP * Math.sqrt(diameter / GRAVITY) };
}

function toCsv(rows: readonly (readonly number[])[]): string {
  return `x,y,z,radius\n${rows.map((row) => row.join(',')).join('\n')}\n`;
}

async function inBox(grains: string, { side, timeStep }: Box): Promise<System> {
  const scene = parseScene({
    format: 'contact-dynamics/1',
    gravity: [0, 0, -GRAVITY],
    timeStep,
    steps: SETTLING_STEPS,
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction: 0.3 }],
    grains: [{ material: 'grain', file: 'grains.csv' }],
    walls: [{ name: 'box', material: 'grain', box: { min: [0, 0, 0], max: [side, side, side], open: ['+z'] } }],
    solver: { momentum: 0.9, coarse: 'off', convergence: { criterion: 'fixed', iterations: 20 } },
  });
  return toSystem(await loadProblem(scene, () => Promise.resolve(grains)));
}

/** p(r) proportional to r^-4: equal volumes in equal ratios. From the largest to the smallest, which is 1. */
function drawRadii(grains: number, ratio: number, random: () => number): Float64Array {
  const draw = () => (1 - random() * (1 - ratio ** -3)) ** (-1 / 3);
  const radii = Float64Array.from({ length: grains }, draw).sort((a, b) => b - a);
  radii[0] = ratio;
  radii[grains - 1] = 1;
  return radii;
}

/** Large grains first: each where it overlaps no larger one, or, where there is no such place, anywhere. Small ones with their centres outside of large ones. */
function placeGrains(radii: Float64Array, side: number, random: () => number): Float64Array {
  const positions = new Float64Array(3 * radii.length);
  const index = new GrainIndex(positions, radii);
  radii.forEach((radius, i) => {
    const far = radius >= LARGE ? radius : 0;
    for (let tries = 0; tries < 1000; tries++) {
      for (let axis = 0; axis < 3; axis++) positions[3 * i + axis] = radius + (side - 2 * radius) * random();
      const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
      if (!index.overlaps(x, y, z, radius, (j, distance) => radii[j] >= LARGE && distance < radii[j] + far)) break;
    }
    if (radius >= LARGE) index.add(i);
  });
  return positions;
}

/** Moves overlapping grains apart, the lighter one farther, and all into the box. */
function moveApart({ grains, positions, radii, ...system }: System, side: number): void {
  const { length, origin } = system.units;
  const finder = new CandidateFinder({ ...system, grains, positions, radii, walls: [] });
  const list = new CandidateList(grains);
  const sizeLevels = chooseSizeLevels({ ...system, radii });
  const ways = new Float64Array(3 * grains);
  for (let round = 0; round < ROUNDS; round++) {
    const grid = buildGrid(positions, layOutGrid(sizeLevels, extentOf(positions), 0), sizeLevels.levelOf);
    finder.find(grid, new Float64Array(grains), list, 0);
    ways.fill(0);
    for (let c = 0; c < list.count; c++) {
      const [i, j] = [list.first[c], list.second[c]];
      const share = radii[j] ** 3 / (radii[i] ** 3 + radii[j] ** 3);
      for (let axis = 0; axis < 3; axis++) {
        const way = 0.5 * list.gaps[c] * list.normals[3 * c + axis];
        ways[3 * i + axis] += share * way;
        ways[3 * j + axis] -= (1 - share) * way;
      }
    }
    for (let k = 0; k < ways.length; k++) {
      const radius = radii[Math.floor(k / 3)];
      const [low, high] = [0, side].map((end) => (end - origin[k % 3]) / length);
      positions[k] = Math.min(high - radius, Math.max(low + radius, positions[k] + ways[k]));
    }
  }
}

/** Lets the grains come to rest; it gives where they are then. */
async function settle(system: System, name: string): Promise<State> {
  const solver = new CpuSolver(system);
  const weight = -system.accelerations.reduce((sum, a) => sum + a, 0) / system.grains;
  // Grains that are let go are slow at first.
  let slow = 0;
  while (slow < REST_STEPS && solver.steps < SETTLING_STEPS) {
    await solver.step(1, ({ step, kineticEnergy, contacts, meanPenetration, maxPenetration }) => {
      const energy = kineticEnergy / system.grains / weight;
      slow = energy < REST ? slow + 1 : 0;
      if (step % 50 > 0 && slow < REST_STEPS) return;
      const bearing = (contacts / system.grains).toFixed(2);
      const overlaps = `${meanPenetration.toExponential(1)}, ${maxPenetration.toExponential(1)} at most`;
      console.error(
        `${name} settling, step ${step}: energy ${energy.toExponential(1)}, ${bearing} contacts a grain, overlaps ${overlaps}`,
      );
    });
  }
  return solver.read();
}
