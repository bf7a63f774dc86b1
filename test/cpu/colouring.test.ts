import { describe, expect, test } from 'vitest';
import { Colourer, NO_COLOUR } from '../../src/cpu/colouring';
import { colourOrder, shuffle } from '../../src/cpu/colourOrder';
import { crowd, prepare } from '../support/systems';

describe('colouring', () => {
  test.each([1, 2, 3])('no two contacts of a colour share a body that moves, seed %i', (seed) => {
    const system = crowd(500, seed);
    const { list, colouring } = prepare(system, 0.3);
    const degrees = new Uint32Array(system.bodies);
    for (let colour = 0; colour < colouring.colours; colour++) {
      const met = new Set<number>();
      for (let slot = colouring.starts[colour]; slot < colouring.starts[colour + 1]; slot++) {
        const c = colouring.order[slot];
        expect(colouring.colourOf[c]).toBe(colour);
        for (const body of [list.first[c], list.second[c]]) {
          degrees[body]++;
          if (system.inverseMasses[body] === 0) continue;
          expect(met.has(body)).toBe(false);
          met.add(body);
        }
      }
    }
    const movable = degrees.filter((_, body) => system.inverseMasses[body] > 0);
    const largest = Math.max(...movable);
    expect(largest).toBeGreaterThan(32);
    expect(colouring.colours).toBeGreaterThanOrEqual(largest);
    expect(colouring.colours).toBeLessThanOrEqual(largest + 5);
    expect(new Set(colouring.order.slice(0, list.count)).size).toBe(list.count);
  });

  test('contacts of a fixed body do not need colours of their own', () => {
    const star = { count: 50, first: Uint32Array.from({ length: 50 }, (_, k) => k), second: new Uint32Array(50).fill(50) };
    const inverseMasses = new Float64Array(51).fill(1);
    expect(new Colourer(inverseMasses).colour(star).colours).toBe(50);
    inverseMasses[50] = 0;
    expect(new Colourer(inverseMasses).colour(star).colours).toBe(1);
  });
});

describe('colours of the last step', () => {
  test('are kept, and new contacts take what is left at both bodies', () => {
    const chain = { count: 4, first: Uint32Array.of(0, 1, 2, 3), second: Uint32Array.of(1, 2, 3, 4) };
    const kept = Uint32Array.of(NO_COLOUR, 4, NO_COLOUR, 40);
    const { colourOf, colours } = new Colourer(new Float64Array(5).fill(1)).colour(chain, kept);
    expect([...colourOf.slice(0, 4)]).toEqual([0, 4, 0, 40]);
    expect(colours).toBe(41);
  });
});

describe('random orders', () => {
  test('are permutations, the same for the same numbers, others for others', () => {
    const order = colourOrder(7, 3, 2, 12);
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, k) => k));
    expect(colourOrder(7, 3, 2, 12)).toEqual(order);
    for (const other of [colourOrder(8, 3, 2, 12), colourOrder(7, 4, 2, 12), colourOrder(7, 3, 3, 12)])
      expect(other).not.toEqual(order);
  });

  test('take every place equally often', () => {
    const [places, draws] = [6, 6000];
    const counts = new Uint32Array(places * places);
    const order = new Uint32Array(places);
    for (let sweep = 0; sweep < draws; sweep++) {
      shuffle(1, 0, sweep, order);
      order.forEach((value, place) => {
        counts[places * place + value]++;
      });
    }
    // Five standard deviations of a binomial count.
    const [mean, deviation] = [draws / places, Math.sqrt((draws / places) * (1 - 1 / places))];
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(5 * deviation);
  });
});
