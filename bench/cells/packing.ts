import { CandidateList } from '../../src/cpu/candidateList';
import { CandidateFinder } from '../../src/cpu/candidates';
import { buildGrid, layOutGrid } from '../../src/cpu/grid';
import { chooseSizeLevels } from '../../src/cpu/sizeLevels';
import { loadProblem, parseScene } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { GrainIndex } from '../../src/scene/grainIndex';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { extentOf } from '../../src/snapshot';

/** Share of the box that the grains fill. */
const PACKED = 0.62;
/** Rounds in which grains that overlap are moved apart. */
const ROUNDS = 60;
/** Larger grains than this, in radii of the smallest, are put in without overlaps. */
const LARGE = 3;

/**
 * A packing at rest, dense and nearly without overlaps: as much volume in each doubling of the radius from the smallest to `ratio`
 * times that. Large grains find places among each other, the small ones fill what is left, then all are moved apart.
 */
export async function densePacking(grains: number, ratio: number): Promise<System> {
  const random = randomNumbers(7);
  const radii = Float64Array.from({ length: grains }, () => drawRadius(random(), ratio)).sort((a, b) => b - a);
  radii[0] = ratio;
  radii[grains - 1] = 1;
  const volume = radii.reduce((sum, radius) => sum + (4 / 3) * Math.PI * radius ** 3, 0);
  const side = Math.cbrt(volume / PACKED);
  const positions = placeGrains(radii, side, random);
  // Ids tell nothing about sizes.
  const order = Array.from(radii, (_, i) => ({ i, key: random() })).sort((a, b) => a.key - b.key);
  const rows = order.map(({ i }) => [...positions.subarray(3 * i, 3 * i + 3), radii[i]].join(','));
  const scene = parseScene({
    format: 'contact-dynamics/1',
    gravity: [0, 0, -10],
    timeStep: 1e-3,
    steps: 1,
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction: 0.3 }],
    grains: [{ material: 'grain', file: 'grains.csv' }],
    walls: [{ name: 'box', material: 'grain', box: { min: [0, 0, 0], max: [side, side, side], open: ['+z'] } }],
    solver: { momentum: 0.9, convergence: { criterion: 'fixed', iterations: 20 } },
  });
  const system = toSystem(await loadProblem(scene, () => Promise.resolve(`x,y,z,radius\n${rows.join('\n')}\n`)));
  moveApart(system, side);
  return system;
}

/** p(r) proportional to r^-4: equal volumes in equal ratios. */
function drawRadius(share: number, ratio: number): number {
  return (1 - share * (1 - ratio ** -3)) ** (-1 / 3);
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
