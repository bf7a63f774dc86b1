import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { loadProblem } from '../../src/scene/load';
import type { Problem } from '../../src/scene/problem';
import { parseScene } from '../../src/scene/schema';

/** Geometry of the settled packing, in metres: an open vertical cylinder on a floor at z = 0. */
export const SILO = { centre: [0.25, 0.25], radius: 0.25, density: 2640, gravity: 9.81 } as const;

/**
 * The silo with the grains of a LIGGGHTS or LAMMPS dump, in SI units; friction 0.5 everywhere.
 * @param momentum of the sweeps, 0 for plain ones
 */
export async function loadSilo(file: string, steps: number, sweeps: number, momentum = 0.9): Promise<Problem> {
  const [x, y] = SILO.centre;
  const scene = parseScene({
    format: 'contact-dynamics/1',
    title: `Settled packing in a silo: ${basename(file)}`,
    gravity: [0, 0, -SILO.gravity],
    timeStep: 1e-4,
    steps,
    materials: { glass: { density: SILO.density }, steel: {} },
    contacts: [
      { between: ['glass', 'glass'], friction: 0.5 },
      { between: ['glass', 'steel'], friction: 0.5 },
    ],
    grains: [{ material: 'glass', file }],
    walls: [
      { name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } },
      { name: 'silo', material: 'steel', cylinder: { point: [x, y, 0], axis: [0, 0, 1], radius: SILO.radius, side: 'inside' } },
    ],
    solver: { coarse: 'off', momentum, convergence: { criterion: 'fixed', iterations: sweeps } },
  });
  return loadProblem(scene, (path) => readFile(path, 'utf8'));
}
