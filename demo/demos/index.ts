import type { AnyDemo } from '../demo';
import { array } from './array';
import { chains } from './chains';
import { couette } from './couette';
import { drum } from './drum';
import { hopper } from './hopper';
import { million } from './million';
import { pile } from './pile';
import { piston } from './piston';
import { pour } from './pour';
import { powder } from './powder';
import { silo } from './silo';

/** In the order of the list. */
export const demos: readonly AnyDemo[] = [pour, drum, silo, hopper, pile, chains, couette, powder, piston, array, million];
