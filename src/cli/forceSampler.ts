import { type Indeterminacy, indeterminacy } from '../analysis/indeterminacy';
import type { Region } from '../analysis/region';
import { loadSceneFile } from '../node';
import type { Scene } from '../scene/schema';
import { PacedLine } from './bar';
import { UsageError } from './exit';
import type { PackingFiles } from './packing';

export interface SamplerOptions {
  /** Force states to find. */
  samples: number;
  region?: Region;
  allowOutside?: boolean;
  /** Tells nothing of its progress. */
  quiet?: boolean;
}

/** Of a solver with which a packing settles so that its forces can take other states (docs/cli.md). */
const TIGHT = { tolerance: 1e-8, balance: 1e-6 };

/** What to do where states of the forces do not balance. */
export function balanceRemedy({ solver: { convergence } }: Scene): string {
  const region = 'give a region without the grains that are held loosely (--box)';
  const { tolerance, balance } = { tolerance: 1, balance: 1, ...convergence };
  if (tolerance <= TIGHT.tolerance && (balance ?? 1) <= TIGHT.balance)
    return `Let the packing come to rest ({ "rest": 1e-10 }), or ${region}`;
  const asked = JSON.stringify({ criterion: 'residual', ...TIGHT, maxIterations: 20_000 });
  return (
    'Grains come to lie so where a packing settles with forces that are solved loosely. Run the scene anew from its start, with ' +
    `--backend cpu --set 'solver.convergence=${asked}', or ${region}. indeterminacy() of the library takes a larger tolerance, or random forces that are smaller (jump)`
  );
}

/**
 * How open the contact forces of a state of a run are; the run's folder has the scene, which knows masses, friction and walls.
 * @throws UsageError where the folder does not hold what that takes
 */
export async function sampleForces(packing: PackingFiles, options: SamplerOptions): Promise<Indeterminacy> {
  const { samples, region, quiet = false } = options;
  const { scene, sceneFile, contacts, table } = packing;
  const refuse = (why: string) => new UsageError(`--indeterminacy: ${why}`);
  if (!scene || !contacts)
    throw refuse('give the folder of a run with contact frames ("output": { "contacts": true } in its scene).');
  const { problem } = await loadSceneFile(sceneFile, { allowOutside: options.allowOutside });
  const changes = (problem.events ?? []).some(
    ({ insert, pour, addWalls, removeWalls }) => insert || pour || addWalls.length + removeWalls.length > 0,
  );
  if (changes || problem.grains.count !== table.count)
    throw refuse('events of this run bring grains or change walls; use indeterminacy() of the library, with its state.');
  const progress = new PacedLine(process.stderr, quiet);
  const onState = (found: number, vain: number) => {
    const failures = vain > 0 ? `, ${vain} tries in vain; after ${samples + 1} such tries the search ends` : '';
    progress.show(() => `state ${found} of ${samples} of the forces${failures}`, Math.max(found / samples, vain / (samples + 1)));
  };
  try {
    return indeterminacy(problem, { positions: table.positions, contacts }, { samples, region, onState });
  } catch (error) {
    if (error instanceof RangeError) throw refuse(`${error.message}. ${balanceRemedy(scene)}.`);
    throw error;
  } finally {
    progress.end();
  }
}
