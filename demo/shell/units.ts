import type { Colouring, Legend } from '../../src/viewer/index';
import type { AnyDemo } from '../demo';

/** Units of figures of grains. */
export interface GrainUnits {
  length: string;
  speed: string;
  rotation: string;
  force: string;
}

/** Of disks forces are for each metre of their length. */
const SI: Record<2 | 3, GrainUnits> = {
  2: { length: 'm', speed: 'm/s', rotation: 'rad/s', force: 'N per m' },
  3: { length: 'm', speed: 'm/s', rotation: 'rad/s', force: 'N' },
};

export const unitsOf = (demo: AnyDemo, dimension: 2 | 3): GrainUnits => demo.units ?? SI[dimension];

/** Of what a colour tells. */
const OF_COLOUR: Partial<Record<Colouring, keyof GrainUnits>> = {
  speed: 'speed',
  rotation: 'rotation',
  force: 'force',
  size: 'length',
};

/** The legend with the unit of its figures, where they have one. */
export function withUnit(legend: Legend | null, colourBy: string, units: GrainUnits): Legend | null {
  const kind = OF_COLOUR[colourBy as Colouring];
  return legend && kind ? { ...legend, unit: units[kind] } : legend;
}
