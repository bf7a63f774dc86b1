import type { System } from '../scene/system';
import { COLOUR_HEADROOM } from '../settings';
import type { SweepPlan } from './stages/solve';
import type { GpuReport } from './stepReport';

/** How sweeps are dispatched while nothing is known of the contacts. */
export function firstPlan({ grains }: System): SweepPlan {
  return {
    largeColours: grains < 1000 ? 0 : 12,
    contactsAtOnce: [grains],
    hubs: { grains: Math.ceil(grains / 100), colours: 0, atOnce: 1 },
  };
}

/** How the sweeps of the next steps are dispatched, by what the last one tells of its colours. */
export function nextPlan(
  { largeColours, colourSizes, hubGrains, hubColours, hubsAtOnce, step }: GpuReport,
  { order }: System['solver'],
): SweepPlan {
  const atOnce = colourSizes.map((contacts) => Math.ceil(COLOUR_HEADROOM * contacts));
  const largest = [Math.max(...atOnce)];
  const ofColours =
    order === 'random' && largeColours > 0
      ? { largeColours: step.colours, contactsAtOnce: largest }
      : { largeColours, contactsAtOnce: largeColours > atOnce.length ? largest : atOnce };
  // Where a colour has hardly more than one hub, one workgroup does them all.
  return {
    ...ofColours,
    hubs: { grains: hubGrains, atOnce: hubsAtOnce, colours: hubGrains >= 2 * hubColours ? hubColours : 0 },
  };
}
