import type { Vector } from '../../src/index';
import { demo, slider } from '../demo';
import { DENSITY, DIAMETER, DISK_ROOM, FLOWING, GRAVITY, POURED_DISKS, radii, STEPS, TIME_STEP } from '../materials';
import { flux } from '../probes/figures';
import { slotFlow } from '../probes/flow';
import { RunningMean, TimeSeries } from '../probes/timeSeries';

/** Area fraction of the disks that are let fall. */
const LOOSE = 0.42;
/** Room for the disks to fall through below the opening, in diameters. */
const FALL = 8;

/** The two slopes of the funnel as rows of fixed disks, so close that none fits between them. */
function funnel(half: number, opening: number, angle: number): Vector[] {
  const slope = Math.tan((angle * Math.PI) / 180);
  const run = half - opening / 2 - DIAMETER / 2;
  const places = Math.max(1, Math.ceil(Math.hypot(run, slope * run) / (DIAMETER / 2)));
  return Array.from({ length: places + 1 }, (_, k) => (k / places) * run).flatMap((way) =>
    [-1, 1].map((side) => [side * (opening / 2 + DIAMETER / 2 + way), slope * way, 0] as Vector),
  );
}

export const hopper = demo({
  id: 'hopper',
  title: 'Hopper without end',
  teaser: 'Does it flow, pulse or jam?',
  look: [
    'Disks flow out of a hopper, and what leaves below comes in above, so that the flow never ends. Force chains span the throat, break and form again.',
    'Narrow the opening: first the rate falls as (D − 1.4 d)^3/2, then an arch holds everything. Friction off and it may flow again. Steep walls move all of the disks at once, flat ones leave dead corners.',
  ],
  sources: ["Beverloo's law for a slot: J. F. Al-Din, D. J. Gunn, Chem. Eng. Sci. 39 (1984) 121"],
  controls: {
    opening: slider('Opening', 60, [15, 110, 5], 'mm'),
    angle: slider('Slope of the walls', 45, [0, 70, 5], '°'),
    friction: slider('Friction', 0.4, [0, 1, 0.05]),
    ratio: slider('Largest over smallest', 1.4, [1, 2, 0.1]),
  },
  sizes: { cpu: 450, gpu: 4000, least: 40, most: 20_000 },
  stepsPerFrame: 2,
  view: { colourBy: 'speed', forceChains: true },
  plots: [
    {
      title: 'Rate of flow, per depth',
      x: 'time, s',
      y: 'kg/s per m',
      curves: [
        { label: 'through the opening', kind: 'line' },
        { label: 'Beverloo', kind: 'dashed' },
      ],
    },
  ],
  scene({ opening, angle, friction, ratio }, grains) {
    const half = DIAMETER * Math.max(7, 0.52 * Math.sqrt(grains));
    const hole = Math.min(opening / 1000, 1.5 * half);
    const places = funnel(half, hole, angle);
    const top = places.at(-1)![1] + DIAMETER;
    const loose = (grains * Math.PI * DIAMETER ** 2) / 4 / (LOOSE * 2 * half);
    const packed = (grains * DISK_ROOM * DIAMETER ** 2) / (2 * half);
    const length = Math.max(top + loose + DIAMETER, top + packed + FALL * DIAMETER);
    const min: Vector = [-half, -FALL * DIAMETER, 0];
    const max: Vector = [half, length, 0];
    const law = { friction, rollingFriction: 0.02 };
    const side = (name: string, x: number) => ({
      name,
      material: 'wall',
      plane: { point: [x, 0, 0] as Vector, normal: [-Math.sign(x), 0, 0] as Vector },
    });
    return {
      format: 'contact-dynamics/1',
      title: 'Hopper of disks, periodic along gravity',
      dimension: 2,
      gravity: [0, -GRAVITY, 0],
      timeStep: TIME_STEP,
      steps: STEPS,
      periodic: { axes: 'y', min, max },
      materials: { disk: { density: DENSITY }, wall: { density: DENSITY } },
      contacts: [
        { between: ['disk', 'disk'], ...law },
        { between: ['disk', 'wall'], ...law },
      ],
      grains: [
        { material: 'wall', list: places.map((position) => ({ position, radius: DIAMETER / 2, fixed: true })) },
        {
          material: 'disk',
          random: {
            count: grains,
            radius: radii(DIAMETER / 2, ratio),
            box: { min: [-half, top, 0], max: [half, length, 0] },
            seed: 3,
          },
        },
      ],
      walls: [side('left', -half), side('right', half)],
      solver: FLOWING,
    };
  },
  probe({ opening }, start) {
    const rate = new TimeSeries(2);
    const mean = new RunningMean(0.5);
    const expected = slotFlow(POURED_DISKS * DENSITY, opening / 1000, DIAMETER);
    const moving = start.grains.count - start.grains.fixed.reduce((sum, fixed) => sum + fixed, 0);
    let contacts = 0;
    return {
      onReport(report) {
        contacts = report.contacts;
      },
      onState(state, problem) {
        const slab = { axis: 1, from: -3 * DIAMETER, to: 0, down: -1 } as const;
        const time = state.step * problem.timeStep;
        rate.push(time, mean.push(time, flux(state, problem, slab)), expected);
      },
      readings: () => [
        { label: 'Time', value: rate.last[0], unit: 's' },
        { label: 'Rate of flow', value: mean.value, unit: 'kg/s per m', expected: `${expected.toPrecision(3)} (Beverloo)` },
        { label: 'Opening over disk', value: opening / 1000 / DIAMETER },
        { label: 'Disks', value: moving },
        { label: 'Contacts that bear, per disk', value: (2 * contacts) / moving },
      ],
      data: () => [rate.data()],
    };
  },
});
