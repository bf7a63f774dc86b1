import type { SceneInput, Vector } from '../../src/index';
import { demo, slider } from '../demo';
import { DENSITY, DIAMETER, FLOWING, GRAVITY, POURED, STEPS, TIME_STEP, UNIT_TIME } from '../materials';
import { spreadRadii } from '../packing';
import { flux, loadOn, totalMass } from '../probes/figures';
import { circleFlow } from '../probes/flow';
import { RunningMean, TimeSeries } from '../probes/timeSeries';

/** Radius of the glass over the marble's diameter, and marbles in it; others in proportion. */
const [RADIUS, COUNT] = [5.5, 1100];
/** Room between the places that marbles start from, over the largest. */
const ROOM = 1.03;
/** So often the glass is turned over. */
const TURNS = 40;
const AXIS: { point: Vector; axis: Vector } = { point: [0, 0, 0], axis: [0, 0, 1] };

/** Layers of places that marbles start from, the lowest first, on a square lattice within the silo. */
function places(count: number, radius: number, spacing: number): Vector[] {
  const half = Math.floor(radius / spacing);
  const steps = Array.from({ length: 2 * half + 1 }, (_, k) => (k - half) * spacing);
  const layer = steps.flatMap((x) => steps.filter((y) => Math.hypot(x, y) <= radius).map((y) => [x, y] as const));
  return Array.from({ length: count }, (_, k) => {
    const [x, y] = layer[k % layer.length];
    return [x, y, (Math.floor(k / layer.length) + 0.5) * spacing];
  });
}

/** Little sideways, another way for each: marbles that fall in straight columns would stay in them. */
const drift = (k: number): Vector => [0.03 * Math.cos(2.4 * k), 0.03 * Math.sin(2.4 * k), 0];

/** Once all has run down and lies still: gravity the other way, again and again. */
function turns(): SceneInput['events'] {
  return Array.from({ length: TURNS }, (_, k) => ({
    when: { rest: 2e-3 },
    setGravity: [0, 0, k % 2 === 0 ? GRAVITY : -GRAVITY] as Vector,
  }));
}

export const silo = demo({
  id: 'silo',
  title: 'Silo that never stops',
  teaser: 'The rate of flow does not know how much is left',
  look: [
    'Marbles leave a silo with a flat floor through a hole. Water would slow down as its level falls; grains do not: the walls carry what lies high up, and the rate stays the same to the end. ' +
      "Beside the measured rate stands Beverloo's law, C ρ √g (D − k d)^5/2 with C = 0.58 and k = 1.4.",
    'Make the hole narrower than about five marbles, and arches begin to block it. When all has run out the silo is turned over.',
  ],
  sources: ['W. A. Beverloo, H. A. Leniger, J. van de Velde, Chem. Eng. Sci. 15 (1961) 260'],
  controls: {
    opening: slider('Hole', 50, [20, 90, 5], 'mm'),
    friction: slider('Friction', 0.5, [0, 1, 0.05]),
    ratio: slider('Largest over smallest', 1.2, [1, 2, 0.1]),
  },
  sizes: { cpu: 900, gpu: 10_000, least: 40, most: 30_000 },
  stepsPerFrame: 2,
  view: { colourBy: 'speed' },
  plots: [
    {
      title: 'Rate of flow',
      x: 'time, s',
      y: 'kg/s',
      curves: [
        { label: 'through the hole', kind: 'line' },
        { label: 'Beverloo', kind: 'dashed' },
      ],
    },
    { title: 'Left above the hole', x: 'time, s', y: 'kg', curves: [{ label: 'mass', kind: 'line' }] },
  ],
  scene({ opening, friction, ratio }, grains) {
    const radius = RADIUS * DIAMETER * Math.max(0.75, Math.cbrt(grains / COUNT));
    const hole = Math.min(opening / 2000, 0.85 * radius);
    const sizes = spreadRadii(grains, DIAMETER / 2, ratio, 1);
    const largest = (2 * ratio * DIAMETER) / (1 + ratio);
    const starts = places(grains, radius - (ROOM * largest) / 2, ROOM * largest);
    const height = starts.at(-1)![2] + 2 * DIAMETER;
    const law = { friction, rollingFriction: 0.02 };
    const plane = (normal: Vector, z: number) => ({ point: [0, 0, z] as Vector, normal });
    return {
      format: 'contact-dynamics/1',
      title: 'Silo with a flat floor and a hole',
      gravity: [0, 0, -GRAVITY],
      timeStep: TIME_STEP,
      steps: STEPS,
      materials: { glass: { density: DENSITY }, silo: {} },
      contacts: [
        { between: ['glass', 'glass'], ...law },
        { between: ['glass', 'silo'], ...law },
      ],
      grains: [
        {
          material: 'glass',
          list: starts.map((position, k) => ({ position, radius: sizes[k], velocity: drift(k) })),
        },
      ],
      walls: [
        { name: 'wall', material: 'silo', cylinder: { ...AXIS, radius, side: 'inside' } },
        { name: 'plate', material: 'silo', plane: { ...plane([0, 0, 1], 0), ring: [hole, radius + DIAMETER] } },
        { name: 'gate', material: 'silo', plane: { ...plane([0, 0, 1], 0), disk: hole } },
        { name: 'bottom', material: 'silo', plane: plane([0, 0, 1], -height) },
        { name: 'top', material: 'silo', plane: plane([0, 0, -1], height) },
      ],
      // After the time to fall from the top and a little to come to rest.
      events: [{ when: { time: Math.sqrt((2 * height) / GRAVITY) + 4 * UNIT_TIME }, removeWalls: ['gate'] }, ...turns()!],
      solver: FLOWING,
    };
  },
  probe({ opening }, start) {
    const [rate, left] = [new TimeSeries(2), new TimeSeries(1)];
    const mean = new RunningMean(0.2);
    const expected = circleFlow(POURED * DENSITY, opening / 1000, DIAMETER);
    const radius = start.walls[0].shape.kind === 'cylinder' ? start.walls[0].shape.radius : 0;
    let [onWall, above] = [0, 0];
    return {
      onReport(report, problem) {
        onWall = Math.abs(loadOn('wall', report, problem)[2]) / (totalMass(problem) * GRAVITY);
      },
      onState(state, problem) {
        const time = state.step * problem.timeStep;
        const down = problem.gravity[2] < 0 ? -1 : 1;
        // Three marbles thick, behind the hole.
        const slab = down < 0 ? { from: -3 * DIAMETER, to: 0 } : { from: 0, to: 3 * DIAMETER };
        rate.push(time, mean.push(time, flux(state, problem, { axis: 2, ...slab, down })), expected);
        above = problem.grains.masses.reduce((sum, mass, i) => sum + (down * state.positions[3 * i + 2] < 0 ? mass : 0), 0);
        left.push(time, above);
      },
      readings: () => [
        { label: 'Time', value: rate.last[0], unit: 's' },
        { label: 'Rate of flow', value: mean.value, unit: 'kg/s', expected: `${expected.toPrecision(3)} (Beverloo)` },
        { label: 'Left above', value: above, unit: 'kg' },
        { label: 'Hung on the wall', value: 100 * onWall, unit: '% of the weight' },
        { label: 'Hole over marble', value: opening / 1000 / DIAMETER },
        { label: 'Silo over marble', value: (2 * radius) / DIAMETER },
      ],
      data: () => [rate.data(), left.data()],
    };
  },
});
