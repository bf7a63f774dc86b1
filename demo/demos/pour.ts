import { demo, slider } from '../demo';
import { DENSITY, DIAMETER, FLOWING, GRAVITY, radii, SPHERE_ROOM, STEPS, TIME_STEP, UNIT_TIME } from '../materials';
import { totalLoad, totalMass } from '../probes/figures';
import { RunningMean, TimeSeries } from '../probes/timeSeries';

/** Seconds over which the scales take their mean: single marbles land with a bang. */
const SCALES = 0.02;
/** Height of the filled box over its width. */
const ASPECT = 0.8;

export const pour = demo({
  id: 'pour',
  title: 'Pouring into a box',
  teaser: 'Marbles fall in, and the scales under the box find out',
  look: [
    'Marbles stream into a box that stands on scales. What is in the air is not on the scales yet, but what lands strikes them: of marbles that were let go the two would make up for each other. These are thrown in downwards, and the scales show more by what that gives them: rate times mass times speed. ' +
      'When all have come to rest, floor and walls together carry the weight. No spring is in here: the forces of all contacts are solved for.',
    'Set the friction to 0 and pour again: the surface lies flat, and the packing is denser. Let them bounce, and see how long it takes until all is quiet.',
  ],
  sources: ['Laws: docs/method.md'],
  controls: {
    friction: slider('Friction', 0.4, [0, 1, 0.05]),
    restitution: slider('Bounce (restitution)', 0.2, [0, 0.9, 0.05]),
    ratio: slider('Largest over smallest', 1.5, [1, 3, 0.1]),
    duration: slider('Time to pour', 3, [1, 8, 0.5], 's'),
  },
  sizes: { cpu: 800, gpu: 30_000, least: 30, most: 200_000 },
  stepsPerFrame: 1,
  view: { colourBy: 'speed' },
  plots: [
    {
      title: 'Weight',
      x: 'time, s',
      y: 'N',
      curves: [
        { label: 'poured', kind: 'dashed' },
        { label: 'on the scales', kind: 'line' },
      ],
    },
  ],
  scene({ friction, restitution, ratio, duration }, grains) {
    const width = DIAMETER * Math.max(5, Math.cbrt((SPHERE_ROOM * grains) / ASPECT));
    const law = { friction, restitution };
    return {
      format: 'contact-dynamics/1',
      title: `${grains} marbles poured into a box`,
      gravity: [0, 0, -GRAVITY],
      timeStep: TIME_STEP,
      steps: STEPS,
      materials: { glass: { density: DENSITY }, box: {} },
      contacts: [
        { between: ['glass', 'glass'], ...law },
        { between: ['glass', 'box'], ...law },
      ],
      grains: [],
      walls: [
        {
          name: 'box',
          material: 'box',
          box: { min: [-width / 2, -width / 2, 0], max: [width / 2, width / 2, 1.5 * width], open: ['+z'] },
        },
      ],
      events: [
        {
          when: { step: 0 },
          pour: {
            material: 'glass',
            count: grains,
            radius: radii(DIAMETER / 2, ratio),
            rate: grains / duration,
            velocity: [0, 0, (-3 * DIAMETER) / UNIT_TIME],
            region: {
              cylinder: {
                point: [0.1 * width, 0, 1.35 * width],
                axis: [0, 0, 1],
                radius: Math.max(0.22 * width, 2 * DIAMETER),
                height: Math.max(0.4 * width, 4 * DIAMETER),
              },
            },
          },
        },
      ],
      solver: FLOWING,
    };
  },
  probe() {
    const weights = new TimeSeries(2);
    const scales = new RunningMean(SCALES);
    let [count, contacts, sweeps] = [0, 0, 0];
    return {
      onReport(report, problem) {
        count = problem.grains.count;
        contacts = report.contacts;
        sweeps = report.iterations;
        const time = report.step * problem.timeStep;
        weights.push(time, totalMass(problem) * GRAVITY, scales.push(time, -totalLoad(report)[2]));
      },
      readings() {
        const [time, poured, borne] = weights.last;
        return [
          { label: 'Time', value: time, unit: 's' },
          { label: 'Marbles', value: count },
          { label: 'Weight poured', value: poured, unit: 'N' },
          { label: 'On the scales', value: borne, unit: 'N', expected: 'the weight, at rest' },
          { label: 'Contacts that bear, per marble', value: count > 0 ? (2 * contacts) / count : null },
          { label: 'Sweeps in a step', value: sweeps },
        ];
      },
      data: () => [weights.data()],
    };
  },
});
