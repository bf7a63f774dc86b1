import { type Indeterminacy, indeterminacy } from '../analysis/indeterminacy';
import type { Region } from '../analysis/region';
import { loadSceneFile } from '../node';
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
  const onState = (found: number) => progress.show(() => `state ${found} of ${samples} of the forces`, found / samples);
  try {
    return indeterminacy(problem, { positions: table.positions, contacts }, { samples, region, onState });
  } catch (error) {
    if (error instanceof RangeError) throw refuse(`${error.message}.`);
    throw error;
  } finally {
    progress.end();
  }
}
