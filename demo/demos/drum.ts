import type { Problem, State } from '../../src/index';
import { demo, slider } from '../demo';
import { DENSITY, DIAMETER, FLOWING, GRAVITY, POURED, STEPS, TIME_STEP } from '../materials';
import { massMean } from '../probes/figures';
import { TimeSeries } from '../probes/timeSeries';

/** Depth of the drum in marbles, and in those of the larger colour at least. */
const DEPTH = 6;
const LEAST_DEPTH = 4;
/** Of the drum's volume, what a full count of grains fills. */
const FULL = 0.4;

const degrees = (angle: number) => (angle * 180) / Math.PI;

/** Contacts of unlike marbles over those that a perfect mixture has. */
function mixing({ contacts }: State, { grains }: Problem): number | null {
  const { count, materials } = grains;
  let [unlike, all] = [0, 0];
  for (let c = 0; c < contacts.count; c++) {
    const [i, j] = [contacts.first[c], contacts.second[c]];
    if (j >= count || contacts.states[c] === 0) continue;
    all++;
    if (materials[i] !== materials[j]) unlike++;
  }
  const share = materials.reduce((sum, material) => sum + (material === materials[0] ? 1 : 0), 0) / count;
  return all > 0 ? unlike / all / (2 * share * (1 - share)) : null;
}

export const drum = demo({
  id: 'drum',
  title: 'Rotating drum',
  teaser: 'A thin skin flows, the rest turns along',
  look: [
    'The drum lifts the marbles until their surface is too steep; then a thin layer flows down it while all below turns with the drum as one solid. Amber and blue begin side by side, and mix turn by turn.',
    'Turn slowly and single avalanches go down; turn fast and the surface bends, then marbles fly, and where the Froude number comes near 1 they stay on the wall all the way round. ' +
      'With two sizes they do not mix but part: the small ones gather in a core.',
  ],
  sources: ['The slope is that of a level cut through the drum with its centre of mass where the marbles have theirs.'],
  controls: {
    speed: slider('Speed', 15, [2, 120, 1], 'rpm'),
    friction: slider('Friction', 0.5, [0, 1, 0.05]),
    filling: slider('Filling', 0.4, [0.15, 0.45, 0.05]),
    ratio: slider('Blue over amber size', 1, [1, 2, 0.1]),
  },
  sizes: { cpu: 700, gpu: 20_000, least: 30, most: 100_000 },
  stepsPerFrame: 1,
  view: { colourBy: 'material' },
  plots: [
    {
      title: 'Slope of the surface',
      x: 'time, s',
      y: 'degrees',
      until: 'once a bed lies',
      curves: [{ label: 'slope', kind: 'line' }],
    },
    { title: 'Mixing', x: 'time, s', y: '1: mixed', curves: [{ label: 'unlike contacts', kind: 'line' }] },
  ],
  scene({ speed, friction, filling, ratio }, grains) {
    const depth = DIAMETER * Math.max(DEPTH, LEAST_DEPTH * ratio);
    const radius = DIAMETER * Math.max(4 * ratio, Math.sqrt(grains / (6 * POURED * FULL * DEPTH)));
    const volume = (filling * POURED * Math.PI * radius ** 2 * depth) / 2;
    const colour = (material: string, diameter: number, side: -1 | 1, seed: number) => ({
      material,
      random: {
        count: Math.max(1, Math.round(volume / ((Math.PI / 6) * diameter ** 3))),
        radius: { uniform: [0.475 * diameter, 0.525 * diameter] as [number, number] },
        box: {
          min: [side < 0 ? -radius : 0, -depth / 2, -radius] as [number, number, number],
          max: [side < 0 ? 0 : radius, depth / 2, radius] as [number, number, number],
        },
        seed,
      },
    });
    const among = { friction, rollingFriction: 0.02 };
    const wall = { friction: Math.max(friction, 0.8), rollingFriction: 0.02 };
    const plate = (name: string, y: number) => ({
      name,
      material: 'window',
      plane: { point: [0, y, 0] as [number, number, number], normal: [0, -Math.sign(y), 0] as [number, number, number] },
    });
    return {
      format: 'contact-dynamics/1',
      title: 'Rotating drum',
      gravity: [0, 0, -GRAVITY],
      timeStep: TIME_STEP,
      steps: STEPS,
      materials: { blue: { density: DENSITY }, amber: { density: DENSITY }, drum: {}, window: {} },
      contacts: [
        { between: ['amber', 'amber'], ...among },
        { between: ['blue', 'blue'], ...among },
        { between: ['amber', 'blue'], ...among },
        { between: ['amber', 'drum'], ...wall },
        { between: ['blue', 'drum'], ...wall },
        { between: ['amber', 'window'], friction: 0.1 },
        { between: ['blue', 'window'], friction: 0.1 },
      ],
      grains: [colour('blue', ratio * DIAMETER, 1, 1), colour('amber', DIAMETER, -1, 2)],
      walls: [
        {
          name: 'drum',
          material: 'drum',
          cylinder: { point: [0, 0, 0], axis: [0, 1, 0], radius, side: 'inside' },
          motion: { angularVelocity: [0, (speed * 2 * Math.PI) / 60, 0] },
        },
        plate('front', -depth / 2),
        plate('back', depth / 2),
      ],
      solver: FLOWING,
    };
  },
  probe({ speed }, problem) {
    const [slopes, mixed] = [new TimeSeries(1), new TimeSeries(1)];
    const shape = problem.walls[0].shape;
    const radius = shape.kind === 'cylinder' ? shape.radius : 0;
    const rate = (speed * 2 * Math.PI) / 60;
    // Until a marble would have fallen through the drum there is no bed.
    const settled = Math.sqrt((4 * radius) / GRAVITY);
    let turns = 0;
    return {
      onReport(report) {
        turns = (report.step * problem.timeStep * rate) / (2 * Math.PI);
      },
      onState(state) {
        const { positions } = state;
        const time = state.step * problem.timeStep;
        const across = massMean(problem, (i) => positions[3 * i]);
        const up = massMean(problem, (i) => positions[3 * i + 2]);
        if (time > settled) slopes.push(time, degrees(Math.atan2(Math.abs(across), -up)));
        mixed.push(time, mixing(state, problem));
      },
      readings: () => [
        { label: 'Time', value: mixed.last[0], unit: 's' },
        { label: 'Turns', value: turns },
        { label: 'Slope', value: slopes.last[1], unit: '°' },
        { label: 'Mixed', value: mixed.last[1], expected: '1 at best' },
        { label: 'Froude number', value: (rate ** 2 * radius) / GRAVITY },
        { label: 'Radius of the drum', value: 1000 * radius, unit: 'mm' },
      ],
      data: () => [slopes.data(), mixed.data()],
    };
  },
});
