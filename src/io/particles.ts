import { SceneError } from '../errors';
import { readCsv } from './readCsv';
import { readDump } from './readDump';
import type { ParticleTable } from './table';

/**
 * Reads the grains of a text dump (.particles, .dump) or of a .csv.
 * @param file name for messages; its ending says which format
 * @throws SceneError naming file and line
 */
export function readParticles(file: string, text: string): ParticleTable {
  if (text.trim() === '') throw new SceneError([{ path: file, message: 'is empty' }]);
  return /\.csv$/i.test(file) ? readCsv(file, text) : readDump(file, text);
}
