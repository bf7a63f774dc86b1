import type { Problem, State } from '../../src/index';
import type { Columns } from '../demo';
import { demo, slider } from '../demo';
import { DENSITY, DIAMETER, FLOWING, GRAVITY, radii, STEPS, TIME_STEP, UNIT_TIME } from '../materials';
import { TimeSeries } from '../probes/timeSeries';

/** Of a heap of spheres with rolling friction, to choose the size of the table by; degrees. */
const TYPICAL_SLOPE = 25;
const BINS = 24;
/** Height of the table in grains, and rolling friction of the ground, on which what has left the table soon lies still. */
const TABLE = 5;
const GROUND = 1;

const radians = (angle: number) => (angle * Math.PI) / 180;

/** Whether each grain falls, as one that is poured does. */
const falling = ({ velocities }: State, count: number): boolean[] =>
  Array.from({ length: count }, (_, i) => Math.abs(velocities[3 * i + 2]) > DIAMETER / UNIT_TIME);

/**
 * Slope of the cone with the mean height and the mean distance from the axis that the grains of the heap have: of a cone of height h and
 * radius R these are h/4 and R/2. Heights are reckoned from that of grains on the table; those that have left it, fall or touch nothing do
 * not count.
 * @returns degrees; null where no grain lies
 */
function slopeOf(state: State, { grains: { radii: sizes, masses, count } }: Problem): number | null {
  const { positions, contacts } = state;
  const lies = new Array<boolean>(count).fill(false);
  for (let c = 0; c < contacts.count; c++) {
    if (contacts.states[c] === 0) continue;
    lies[contacts.first[c]] = true;
    if (contacts.second[c] < count) lies[contacts.second[c]] = true;
  }
  const falls = falling(state, count);
  let [height, distance] = [0, 0];
  for (let i = 0; i < count; i++) {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    if (z <= 0 || falls[i] || !lies[i]) continue;
    height += masses[i] * (z - sizes[i]);
    distance += masses[i] * Math.hypot(x, y);
  }
  return distance > 0 ? (Math.atan((2 * height) / distance) * 180) / Math.PI : null;
}

/** Height of the surface by the distance from the axis, of grains that do not fall; in mm. */
function outline(state: State, { grains: { radii: sizes, count } }: Problem, width: number): Columns {
  const { positions } = state;
  const top: number[] = new Array(BINS).fill(0);
  const falls = falling(state, count);
  for (let i = 0; i < count; i++) {
    if (falls[i]) continue;
    const bin = Math.floor((BINS * Math.hypot(positions[3 * i], positions[3 * i + 1])) / width);
    if (bin < BINS) top[bin] = Math.max(top[bin], positions[3 * i + 2] + sizes[i]);
  }
  return [top.map((_, bin) => (1000 * width * (bin + 0.5)) / BINS), top.map((height) => 1000 * height)];
}

export const pile = demo({
  id: 'pile',
  title: 'Why sand piles stand',
  teaser: 'Without rolling friction there is no heap',
  look: [
    'Grains rain on one spot. With rolling friction, which stands for the corners of real sand, they build a cone, and small avalanches keep its slope.',
    'Now set rolling friction to 0. Friction is as it was, but round grains roll: the heap spreads until it is one layer thick, and rolls off the table.',
  ],
  sources: ['Rolling friction: T. Unger and others, as in docs/method.md'],
  controls: {
    rolling: slider('Rolling friction', 0.4, [0, 0.8, 0.05]),
    friction: slider('Friction', 0.6, [0, 1, 0.05]),
    duration: slider('Time to pour', 4, [1, 10, 0.5], 's'),
  },
  sizes: { cpu: 600, gpu: 20_000, least: 40, most: 100_000 },
  stepsPerFrame: 2,
  view: { colourBy: 'coordination' },
  plots: [
    { title: 'Outline', x: 'distance from the axis, mm', y: 'height, mm', curves: [{ label: 'surface', kind: 'line' }] },
    { title: 'Slope', x: 'time, s', y: 'degrees', until: 'once grains lie', curves: [{ label: 'slope', kind: 'line' }] },
  ],
  scene({ rolling, friction, duration }, grains) {
    const cone = Math.cbrt((3 * 0.9 * grains) / (Math.PI * Math.tan(radians(TYPICAL_SLOPE)))) * DIAMETER;
    const table = 1.3 * cone + 2 * DIAMETER;
    const height = 0.7 * cone + 3 * DIAMETER;
    const law = { friction, rollingFriction: rolling };
    return {
      format: 'contact-dynamics/1',
      title: `A heap of ${grains} grains`,
      gravity: [0, 0, -GRAVITY],
      timeStep: TIME_STEP,
      steps: STEPS,
      materials: { sand: { density: DENSITY }, table: {}, ground: {} },
      contacts: [
        { between: ['sand', 'sand'], ...law },
        { between: ['sand', 'table'], ...law },
        { between: ['sand', 'ground'], friction: 1, rollingFriction: GROUND },
      ],
      grains: [],
      walls: [
        { name: 'table', material: 'table', plane: { point: [0, 0, 0], normal: [0, 0, 1], disk: table } },
        { name: 'ground', material: 'ground', plane: { point: [0, 0, -TABLE * DIAMETER], normal: [0, 0, 1] } },
      ],
      events: [
        {
          when: { step: 0 },
          pour: {
            material: 'sand',
            count: grains,
            radius: radii(DIAMETER / 2, 1.3),
            rate: grains / duration,
            velocity: [0, 0, (-2 * DIAMETER) / UNIT_TIME],
            region: {
              cylinder: {
                point: [0, 0, height],
                axis: [0, 0, 1],
                radius: Math.max(2 * DIAMETER, 0.2 * cone),
                height: Math.max(4 * DIAMETER, 0.3 * cone),
              },
            },
          },
        },
      ],
      solver: FLOWING,
    };
  },
  probe(_, start) {
    const slopes = new TimeSeries(1);
    const table = start.walls[0].shape;
    const width = table.kind === 'plane' && table.region ? table.region.outer : DIAMETER;
    let surface: Columns = [[], []];
    let [count, fallen] = [0, 0];
    return {
      onReport(_report, problem) {
        count = problem.grains.count;
      },
      onState(state, problem) {
        surface = outline(state, problem, width);
        fallen = problem.grains.radii.reduce((sum, _, i) => sum + (state.positions[3 * i + 2] < 0 ? 1 : 0), 0);
        slopes.push(state.step * problem.timeStep, slopeOf(state, problem));
      },
      readings: () => [
        { label: 'Time', value: slopes.last[0], unit: 's' },
        { label: 'Grains', value: count },
        { label: 'Off the table', value: fallen },
        { label: 'Slope', value: slopes.last[1], unit: '°' },
        { label: 'Height', value: surface[1].reduce((most: number, y) => Math.max(most, y ?? 0), 0), unit: 'mm' },
      ],
      data: () => [surface, slopes.data()],
    };
  },
});
