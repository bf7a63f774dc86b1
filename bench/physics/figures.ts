import { chain } from './chain';
import { closedForms } from './closedForms';
import { collapses } from './collapse';
import { diskArray } from './diskArray';
import { diskSound } from './diskSound';
import type { Figure } from './figure';
import { forceStates } from './forces';
import { packings } from './packings';
import { powder } from './powder';
import { shearBand } from './shearBand';
import { silo } from './silo';
import { splitBottom } from './splitBottom';

/** All published figures, by part. */
export const figures: readonly Figure[] = [
  ...chain,
  ...diskSound,
  ...diskArray,
  ...powder,
  ...packings,
  ...silo,
  ...collapses,
  ...forceStates,
  ...closedForms,
  ...shearBand,
  ...splitBottom,
];
