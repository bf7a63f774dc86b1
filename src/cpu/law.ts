import { applyContactLaw } from './contactLaw';
import type { ContactBlock } from './contacts';
import { applyShockLaw } from './shockLaw';

/** The loop that updates the contacts of a block: the plain one wherever it is all the law there is. */
export const lawOf = ({ general }: ContactBlock) => (general ? applyContactLaw : applyShockLaw);
