import { checkArgument } from '../arguments';
import type { Vector } from '../scene/problem';
import { BINS, checkDimension, checkRegion } from './arguments';
import { coordination } from './coordination';
import { checkPacking, type PackingState } from './packingFigures';
import { grainsInside, inBox, type Region } from './region';
import { stress } from './stress';
import { volumeFraction } from './volumeFraction';

/** Figures of one slice of a region. */
export interface Layer {
  /** From the region's lower end (a box's along z, in two dimensions along y; a cylinder's along its axis) up to the slice's ends. */
  from: number;
  to: number;
  /** Grains whose centres lie in it; one between two layers is of the upper. */
  grains: number;
  /** NaN where the slice has no volume. */
  volumeFraction: number;
  /** Contacts that bear per grain; null where there is no grain. */
  coordination: number | null;
  /** 3 x 3, row by row, compression positive; null without forces */
  stress: number[] | null;
}

/** The region cut in slices of equal thickness. @throws TypeError naming an argument that is not what it must be */
export function layersOf(region: Region, count: number, dimension: 2 | 3): (Region & { from: number; to: number })[] {
  checkDimension('layersOf', dimension);
  checkRegion('layersOf', region, dimension);
  checkArgument('layersOf', 'count', count, BINS);
  const cuts = (length: number) =>
    Array.from({ length: count }, (_, k) => ({ from: (k * length) / count, to: ((k + 1) * length) / count }));
  if (region.kind === 'cylinder') {
    return cuts(region.height).map(({ from, to }) => {
      const point = region.point.map((x, axis) => x + from * region.axis[axis]) as Vector;
      return { ...region, point, height: to - from, from, to };
    });
  }
  const up = dimension - 1;
  const { min, max } = region;
  return cuts(max[up] - min[up]).map(({ from, to }) => ({
    ...region,
    min: min.with(up, min[up] + from) as Vector,
    max: max.with(up, min[up] + to) as Vector,
    from,
    to,
  }));
}

/** Volume fraction, coordination and stress by height. @throws TypeError naming an argument that is not what it must be */
export function layerFigures(packing: PackingState, region: Region, count: number): Layer[] {
  checkPacking('layerFigures', packing);
  const { radii, contacts, dimension, periodic, hasForces } = packing;
  checkRegion('layerFigures', region, dimension, periodic);
  const positions = inBox(packing.positions, periodic);
  const scene = { grains: { count: radii.length, radii }, dimension, periodic };
  const { contacts: touching } = coordination(contacts, positions, { dimension });
  const layers = layersOf(region, count, dimension);
  // A centre between two layers is of the upper one: from the top on, those that are taken are not taken again.
  const taken = new Uint8Array(radii.length);
  const grainsOf = layers.toReversed().map((layer) => {
    const inside = grainsInside(layer, positions, dimension).filter((i) => taken[i] === 0);
    for (const i of inside) taken[i] = 1;
    return inside;
  });
  return layers.map((layer, k) => {
    const inside = grainsOf[count - 1 - k];
    const grains = inside.length;
    return {
      from: layer.from,
      to: layer.to,
      grains,
      volumeFraction: volumeFraction(scene, positions, layer),
      coordination: grains > 0 ? inside.reduce((sum, i) => sum + touching[i], 0) / grains : null,
      stress: hasForces ? [...stress(scene, { positions, contacts }, layer).total] : null,
    };
  });
}
