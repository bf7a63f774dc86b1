import { chain } from './chain';
import { diskArray } from './diskArray';
import type { Figure } from './figure';
import { packings } from './packings';
import { shearBand } from './shearBand';

/** All published figures, by part. */
export const figures: readonly Figure[] = [...chain, ...diskArray, ...packings, ...shearBand];
