import { chain } from './chain';
import type { Figure } from './figure';

/** All published figures, by part. */
export const figures: readonly Figure[] = [...chain];
