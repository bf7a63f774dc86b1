import type { Problem } from '../scene/problem';
import type { Units } from '../scene/system';
import { forceUnit } from '../scene/units';
import { type Colour, coloursOf, css, PALETTE_SIZE, type Theme } from './colours';
import { highFigure, type Measured, Scale } from './scale';
import type { Colouring, Legend } from './types';

/** Shares of the speed that a grain gains in falling its diameter below which motion is rest. */
const REST_SPEED = 0.02;
/** Contacts that the last colour stands for. */
const MOST_CONTACTS = { 2: 6, 3: 12 } as const;

const LABELS: Record<Measured, string> = {
  speed: 'Speed',
  rotation: 'Angular speed',
  force: 'Sum of normal forces',
  chains: 'Normal force',
};

/** What the colours of one source mean: the scales of its figures, and its names. */
export class Legends {
  private readonly scales: Record<Measured, Scale>;
  /** Units of the scene for one internal unit of each figure. */
  private readonly factors: Record<Measured, number>;

  constructor(
    private readonly problem: () => Problem,
    private readonly units: Units,
  ) {
    const { length, time } = units;
    this.factors = { speed: length / time, rotation: 1 / time, force: forceUnit(units), chains: forceUnit(units) };
    const rest = REST_SPEED * Math.sqrt(Math.hypot(...problem().gravity) * length);
    this.scales = { speed: new Scale(rest), rotation: new Scale(rest / length), force: new Scale(0), chains: new Scale(0) };
  }

  /** @returns whether a scale has changed */
  follow(histograms: Uint32Array): boolean {
    return (Object.keys(this.scales) as Measured[])
      .map((name) => this.scales[name].follow(this.factors[name] * highFigure(histograms, name)))
      .some((changed) => changed);
  }

  /** Normal force of the widest ribbons, in internal units and in those of the scene. */
  get chains(): { internal: number; scene: number } {
    const { max } = this.scales.chains;
    return { internal: max / this.factors.chains, scene: max };
  }

  private get groups(): number {
    return 1 + rangeOf(this.problem().grains.groups)[1];
  }

  /** Null where colours mean nothing. */
  of(colourBy: Colouring, theme: Theme): Legend | null {
    const { dimension, grains, materials } = this.problem();
    const colours = (categories: number) => coloursOf(theme, colourBy, categories).map(css);
    const named = (label: string, names: string[], present = names.map((_, k) => k)) => {
      const all = colours(names.length);
      const categories = present.map((k) => names[k]);
      return { label, min: 0, max: names.length - 1, colours: present.map((k) => all[k]), categories };
    };
    switch (colourBy) {
      case 'plain':
        return null;
      case 'coordination':
        return { label: 'Contacts', min: 0, max: MOST_CONTACTS[dimension], colours: sparse(colours(0)) };
      case 'size': {
        const [min, max] = rangeOf(grains.radii);
        return { label: 'Radius', min, max, colours: sparse(colours(0)) };
      }
      case 'material':
        // Of walls there is nothing to see in these colours.
        return named(
          'Material',
          materials.map(({ name }) => name),
          kindsIn(this.problem()),
        );
      case 'group':
        return named(
          'Group',
          Array.from({ length: this.groups }, (_, k) => `${k}`),
        );
      case 'contactState':
        return named('Contacts', ['none', 'all stick', 'some slide']);
      default:
        return { label: LABELS[colourBy], min: 0, max: this.scales[colourBy].max, colours: sparse(colours(0)) };
    }
  }

  /** The palette of a colouring, and factor and summand that take an internal figure to its place in it, from 0 to 1. */
  paint(colourBy: Colouring, theme: Theme): { palette: readonly Colour[]; scale: [factor: number, summand: number] } {
    const legend = this.of(colourBy, theme);
    const palette = coloursOf(theme, colourBy, colourBy === 'group' ? this.groups : this.problem().materials.length);
    if (!legend) return { palette, scale: [0, 0] };
    if (legend.categories) return { palette, scale: [1 / (PALETTE_SIZE - 1), 0] };
    const unit = colourBy === 'size' ? this.units.length : colourBy === 'coordination' ? 1 : this.factors[colourBy as Measured];
    const range = legend.max - legend.min;
    return { palette, scale: range > 0 ? [unit / range, -legend.min / range] : [0, 0.5] };
  }
}

/** Colours enough for a gradient. */
const sparse = (colours: string[]) => colours.filter((_, k) => k % 17 === 0);

type Values = Float64Array | Uint32Array;

/** Grains that come bring new arrays: of each, this is looked for once, not at every picture. */
const ranges = new WeakMap<Values, [number, number]>();
const kinds = new WeakMap<Uint32Array, Set<number>>();

function rangeOf(values: Values): [number, number] {
  const known = ranges.get(values);
  if (known) return known;
  let [min, max] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; k++) {
    min = Math.min(min, values[k]);
    max = Math.max(max, values[k]);
  }
  const range: [number, number] = values.length > 0 ? [min, max] : [0, 0];
  ranges.set(values, range);
  return range;
}

/** The materials of the grains that are there or still come, ascending. */
function kindsIn({ grains, events = [] }: Problem): number[] {
  const all = [grains, ...events.flatMap(({ insert, pour }) => [insert, pour?.grains])].filter((some) => some !== undefined);
  return [...new Set(all.flatMap(({ materials }) => [...kindsOf(materials)]))].sort((a, b) => a - b);
}

function kindsOf(materials: Uint32Array): Set<number> {
  const known = kinds.get(materials) ?? new Set(materials);
  kinds.set(materials, known);
  return known;
}
