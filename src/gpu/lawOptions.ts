import type { LawOptions } from '../../shaders/shockLaw';
import { hasMemory, hasTorques, isPlain } from '../scene/laws';
import type { System } from '../scene/system';

/** What of the contact law the kernels of a system have to know. */
export function lawOptions({ laws, inertiaFactor }: System): LawOptions {
  return { inertiaFactor, general: !laws.every(isPlain), torques: laws.some(hasTorques), memory: laws.some(hasMemory) };
}
