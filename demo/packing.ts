import { randomNumbers } from '../src/scene/generators/randomNumbers';

/** Where disks may be. */
export interface Room {
  /** A place: evenly spread over the room where u and v are so between 0 and 1. */
  draw(u: number, v: number): [number, number];
  /** The nearest place to (x, y) where a disk of this radius fits. */
  hold(x: number, y: number, radius: number): [number, number];
  /** Space repeats itself along y after this length; absent: it does not. */
  period?: number;
}

/** Passes over all overlaps; as the disks grow they need most of the way. */
const PASSES = 600;
const GROWTH_PASSES = 150;
/** Disks start with this share of their radius. */
const SEED_SIZE = 0.7;
/** Powers of the plastic number: steps of a sequence that fills a square evenly (Roberts' R2). */
const STEP_U = 0.7548776662466927;
const STEP_V = 0.5698402909980532;
/** Passes between two looks for neighbours, and how far apart those may be, in largest diameters. */
const LOOK_EVERY = 5;
const NEAR = 1.3;

/** Radii evenly spread about the mean, the largest `ratio` times the smallest, in an order of their own. */
export function spreadRadii(count: number, mean: number, ratio: number, seed: number): number[] {
  const random = randomNumbers(seed);
  const smallest = (2 * mean) / (1 + ratio);
  return Array.from({ length: count }, () => smallest * (1 + (ratio - 1) * random()));
}

/**
 * Puts disks into a room, as dense as is asked for: they grow where they are and push each other aside. Up to the density at which
 * they jam no overlaps are left, beyond it small ones are.
 * @returns x y of each disk
 */
export function packDisks(radii: readonly number[], room: Room): [number, number][] {
  const places = radii.map((_, k) => room.draw((0.5 + STEP_U * k) % 1, (0.5 + STEP_V * k) % 1));
  let pairs: [number, number][] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    const size = Math.min(1, SEED_SIZE + ((1 - SEED_SIZE) * pass) / GROWTH_PASSES);
    if (pass % LOOK_EVERY === 0) pairs = nearPairs(places, radii, room.period);
    for (const [i, j] of pairs) part(places[i], places[j], size * (radii[i] + radii[j]), room.period);
    places.forEach(([x, y], i) => {
      places[i] = room.hold(x, y, size * radii[i]);
    });
  }
  return places;
}

const image = (difference: number, period?: number) =>
  period ? difference - period * Math.round(difference / period) : difference;

/** Moves two that overlap apart, each by half. */
function part(a: [number, number], b: [number, number], distance: number, period?: number): void {
  const [dx, dy] = [b[0] - a[0], image(b[1] - a[1], period)];
  const apart = Math.hypot(dx, dy);
  if (apart >= distance || apart === 0) return;
  const push = (distance - apart) / 2 / apart;
  a[0] -= push * dx;
  a[1] -= push * dy;
  b[0] += push * dx;
  b[1] += push * dy;
}

/** Pairs that may come to overlap before the next look, by columns along x. */
function nearPairs(places: readonly [number, number][], radii: readonly number[], period?: number): [number, number][] {
  const reach = 2 * NEAR * radii.reduce((most, radius) => Math.max(most, radius), 0);
  const order = [...places.keys()].sort((i, j) => places[i][0] - places[j][0]);
  const pairs: [number, number][] = [];
  for (let a = 0; a < order.length; a++) {
    const i = order[a];
    for (let b = a + 1; b < order.length && places[order[b]][0] - places[i][0] < reach; b++) {
      const j = order[b];
      if (Math.abs(image(places[j][1] - places[i][1], period)) < reach) pairs.push([i, j]);
    }
  }
  return pairs;
}
