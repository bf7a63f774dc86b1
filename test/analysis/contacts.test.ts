import { describe, expect, test } from 'vitest';
import { coordination } from '../../src/analysis/coordination';
import { forceDistribution, mobilisation } from '../../src/analysis/forces';
import { stress } from '../../src/analysis/stress';
import type { ContactState, Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';

interface TestContact {
  first: number;
  second: number;
  normal?: Vector;
  force: Vector;
}

function contactState(contacts: readonly TestContact[]): ContactState {
  const vectors = (pick: (contact: TestContact) => Vector) => Float64Array.from(contacts.flatMap(pick));
  return {
    count: contacts.length,
    first: Uint32Array.from(contacts, ({ first }) => first),
    second: Uint32Array.from(contacts, ({ second }) => second),
    normals: vectors(({ normal = [1, 0, 0] }) => normal),
    gaps: new Float64Array(contacts.length),
    forces: vectors(({ force }) => force),
    torques: new Float64Array(3 * contacts.length),
    states: new Uint8Array(contacts.length),
  };
}

/** Spheres of a periodic face-centred cubic lattice of 2 x 2 x 2 cells of edge 1, and each pair that touches, with one force. */
function denseLattice() {
  const n = 2;
  const basis = [
    [0, 0, 0],
    [0.5, 0.5, 0],
    [0.5, 0, 0.5],
    [0, 0.5, 0.5],
  ];
  const points = Array.from({ length: n ** 3 }, (_, k) => [k % n, Math.floor(k / n) % n, Math.floor(k / n ** 2)]).flatMap(
    (cell) => basis.map((place) => cell.map((c, axis) => c + place[axis])),
  );
  const contacts: TestContact[] = [];
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      const way = points[j].map((x, axis) => x - points[i][axis] - n * Math.round((x - points[i][axis]) / n)) as Vector;
      const distance = Math.hypot(...way);
      if (Math.abs(distance - Math.SQRT1_2) > 1e-9) continue;
      const normal = way.map((x) => x / distance) as Vector;
      contacts.push({ first: i, second: j, normal, force: normal });
    }
  }
  return { positions: Float64Array.from(points.flat()), contacts: contactState(contacts), n };
}

describe('coordination number', () => {
  test('is 12 in a face-centred cubic lattice', () => {
    const { positions, contacts } = denseLattice();
    const { mean, withoutRattlers, rattlers } = coordination(contacts, positions);
    expect(mean).toBe(12);
    expect(withoutRattlers).toBe(12);
    expect(rattlers.some((r) => r === 1)).toBe(false);
  });

  test('rattlers go one after the other, and take their contacts along', () => {
    const force: Vector = [1, 0, 0];
    // A ring of three; a tail of two on it, which falls off from its end.
    const pairs = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4]]; // biome-ignore format: a table
    const contacts = contactState(pairs.map(([first, second]) => ({ first, second, force })));
    const result = coordination(contacts, new Float64Array(15));
    expect([...result.rattlers]).toEqual([0, 0, 0, 1, 1]);
    expect(result.mean).toBe(2);
    expect(result.withoutRattlers).toBe(2);
    expect([...result.contacts]).toEqual([2, 2, 3, 2, 1]);
  });

  test('faint contacts are none, contacts with walls count once, and a region picks by the centres', () => {
    const contacts = contactState([
      { first: 0, second: 1, force: [1, 0, 0] },
      { first: 0, second: 2, force: [1e-5, 0, 0] },
      { first: 1, second: 3, force: [1, 0, 0] },
    ]);
    const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0);
    expect([...coordination(contacts, positions).contacts]).toEqual([1, 2, 0]);
    const region = { kind: 'box' as const, min: [0.5, -1, -1] as Vector, max: [3, 1, 1] as Vector };
    expect(coordination(contacts, positions, { region }).mean).toBe(1);
  });
});

describe('stress', () => {
  const column = {
    grains: { count: 3, radii: new Float64Array(3).fill(0.5) },
    dimension: 3 as const,
  };
  const positions = Float64Array.of(0, 0, 0.5, 0, 0, 1.5, 0, 0, 2.5);
  const press = (first: number, second: number, force: number, way = 1): TestContact => {
    return { first, second, normal: [0, 0, way], force: [0, 0, force * way] };
  };
  const region = { kind: 'box' as const, min: [-1, -1, 0] as Vector, max: [1, 1, 3] as Vector };

  test('of a column under a force is the force over the area, walls included', () => {
    const contacts = contactState([press(0, 3, 2, -1), press(0, 1, 2), press(1, 2, 2), press(2, 4, 2)]);
    const { total, compressive, tensile } = stress(column, { positions, contacts }, region);
    expect(total[8]).toBeCloseTo(2 / 4, 12);
    expect(compressive[8]).toBeCloseTo(2 / 4, 12);
    expect(tensile.every((x) => x === 0)).toBe(true);
  });

  test('contacts that pull count apart, and branches by what lies in the region', () => {
    const contacts = contactState([press(0, 1, 2), press(1, 2, -3)]);
    const slice = { ...region, min: [-1, -1, 1] as Vector, max: [1, 1, 2] as Vector };
    const { total, compressive, tensile } = stress(column, { positions, contacts }, slice);
    expect(compressive[8]).toBeCloseTo((2 * 0.5) / 4, 12);
    expect(tensile[8]).toBeCloseTo((-3 * 0.5) / 4, 12);
    expect(total[8]).toBeCloseTo(-0.5 / 4, 12);
    const round = { kind: 'cylinder' as const, point: [0.5, 0, 1] as Vector, axis: [0, 0, 1] as Vector, radius: 1, height: 1 };
    expect(stress(column, { positions, contacts }, round).total[8]).toBeCloseTo(-0.5 / Math.PI, 12);
  });

  test('of a dense lattice of equal forces is isotropic: 4 f sqrt(2)/a^2', () => {
    const { positions: places, contacts, n } = denseLattice();
    const periodic = { min: [0, 0, 0] as Vector, lengths: [n, n, n] as Vector };
    const grains = { count: places.length / 3, radii: new Float64Array(places.length / 3).fill(Math.SQRT2 / 4) };
    const box = { kind: 'box' as const, min: [0, 0, 0] as Vector, max: [n, n, n] as Vector };
    const { total } = stress({ grains, dimension: 3, periodic }, { positions: places, contacts }, box);
    for (let k = 0; k < 9; k++) expect(total[k]).toBeCloseTo(k % 4 === 0 ? 4 * Math.SQRT2 : 0, 10);
    // Places may have counted on beyond the faces.
    const beyond = { positions: places.map((x, k) => x + n * ((k % 5) - 2)), contacts };
    const slice = { ...box, max: [n, 0.7, n] as Vector };
    const [cut, same] = [{ positions: places, contacts }, beyond].map((state) =>
      stress({ grains, dimension: 3, periodic }, state, slice),
    );
    for (let k = 0; k < 9; k++) expect(same.total[k]).toBeCloseTo(cut.total[k], 10);
  });
});

describe('forces', () => {
  test('an exponential distribution has the exponent it was drawn with', () => {
    const random = randomNumbers(5);
    const forces = Array.from({ length: 20_000 }, () => -Math.log(1 - random()));
    const contacts = contactState(forces.map((size, c) => ({ first: c, second: c + 1, force: [size, 0, 0] })));
    const { tail, density, mean, edges } = forceDistribution(contacts);
    expect(mean).toBeCloseTo(1, 1);
    expect(Math.abs(tail.beta - 1)).toBeLessThan(4 * tail.error);
    expect(tail.error).toBeLessThan(0.02);
    const filled = density.reduce((sum, p) => sum + p * edges[1], 0);
    expect(filled).toBeGreaterThan(0.99);
    expect(density[0]).toBeCloseTo((1 - Math.exp(-0.2)) / 0.2, 1);
  });

  test('mobilisation is |F_t| over mu F_n, of contacts that press', () => {
    const contacts = contactState([
      { first: 0, second: 1, force: [2, 0.3, 0.4] },
      { first: 1, second: 2, force: [1, 0, 0] },
      { first: 1, second: 3, force: [-1, 0.5, 0] },
    ]);
    const shares = mobilisation(contacts, () => 0.5);
    expect(shares[0]).toBeCloseTo(0.5, 12);
    expect([...shares]).toHaveLength(2);
    expect(shares[1]).toBe(0);
    // Bonds bear friction by what they could pull, also where they hardly press.
    const bonded = contactState([{ first: 0, second: 1, force: [1e-9, 3, 4] }]);
    expect(
      mobilisation(
        bonded,
        () => 0.5,
        1e-3,
        () => 20,
      )[0],
    ).toBeCloseTo(0.5, 9);
  });
});
