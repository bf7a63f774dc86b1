import { arrayScene } from '../../bench/physics/arrayScene';
import type { State } from '../../src/index';
import type { Columns } from '../demo';
import { demo, slider } from '../demo';
import { STEPS } from '../materials';

/** Of the paper's section 5, N_0. */
const BRAKE = 0.01;
const BLOCK = 0.001;
/** Relative, of angular and linear acceleration of a disk that rolls. */
const ROLLS = 0.02;
/** Steps over which accelerations are taken. */
const SPAN = 20;

/** Steady mu_g of 30 disks with mu = 0.04, mu' = 0.1 by the push, N_0 = 0.01, mu'' = 0.001. */
const STEADY = new Map([
  [0.5, 0.0141331],
  [1, 0.0280351],
  [2, 0.0545638],
  [4, 0.086818],
  [8, 0.0997417],
]);

interface Accelerations {
  linear: number;
  /** Of each disk from the first on; positive where it turns as one that rolls. */
  turns: number[];
}

function accelerations(before: State, after: State, timeStep: number): Accelerations {
  const time = (after.step - before.step) * timeStep;
  const count = after.positions.length / 3;
  const gain = (k: number, values: 'velocities' | 'angularVelocities', axis: number) =>
    (after[values][3 * k + axis] - before[values][3 * k + axis]) / time;
  const disks = Array.from({ length: count }, (_, k) => k);
  return {
    linear: disks.reduce((sum, k) => sum + gain(k, 'velocities', 0), 0) / count,
    turns: disks.map((k) => -gain(k, 'angularVelocities', 2)),
  };
}

/** Lengths of the domains: disks that roll, and from the pushed end those that turn against their neighbours; the rest slides. */
function domains({ linear, turns }: Accelerations): [roll: number, slide: number, counter: number] {
  let roll = 0;
  while (roll < turns.length && Math.abs(turns[roll] - linear) <= ROLLS * Math.abs(linear)) roll++;
  let counter = 0;
  for (let k = turns.length - 1; k > roll && turns[k] * turns[k - 1] < 0; k--) counter = turns.length - k + 1;
  counter = Math.min(counter, turns.length - roll);
  return [roll, turns.length - roll - counter, counter];
}

export const array = demo({
  id: 'array',
  title: 'The row of disks of 1997',
  teaser: 'A block pushes a row of disks, and they cannot agree how to roll',
  look: [
    'A block pushes a row of equal disks over a plane. Each would like to roll, but two that touch and roll the same way rub against each other. The row finds a way: the front rolls (mode 1), one or a few slide (mode 2), and at the pushed end neighbours turn against each other (mode 3).',
    'So the friction of the whole, F_g over the weight, is no constant: it grows with the push from a few thousandths to almost that of the plane. For 30 disks the numbers are known to five digits.',
  ],
  sources: ['F. Radjai, J. Schäfer, S. Dippel, D. Wolf, J. Phys. I France 7 (1997) 1053', 'Unit radius and weight, gravity 1'],
  controls: {
    push: slider('Push N_L', 4, [0.5, 12, 0.5], 'weights'),
    friction: slider('Friction between disks', 0.04, [0.01, 0.2, 0.01]),
    plane: slider('Friction with the plane', 0.1, [0.02, 0.3, 0.02]),
  },
  sizes: { cpu: 30, gpu: 30, least: 5, most: 80 },
  cpuOnly: 'Contacts are solved to ten digits here, which takes double precision: it runs on the processor',
  stepsPerFrame: 1,
  follow: true,
  view: { colourBy: 'rotation' },
  units: { length: 'r', speed: '√(g r)', rotation: '√(g/r)', force: 'weights' },
  plots: [
    {
      title: 'Angular acceleration of each disk',
      x: 'disk, from the front',
      y: 'units of g/r',
      curves: [
        { label: 'measured', kind: 'points' },
        { label: 'rolling', kind: 'dashed' },
      ],
    },
  ],
  scene({ push, friction, plane }, grains) {
    const scene = arrayScene({ disks: grains, mu: friction, plane, block: BLOCK, push, brake: BRAKE });
    return { ...scene, steps: STEPS };
  },
  probe({ push, friction, plane }, start) {
    const disks = start.grains.count;
    let before: State | undefined;
    let last: Accelerations | undefined;
    let [rubbing, time, residual] = [0, 0, 0];
    const known = disks === 30 && friction === 0.04 && plane === 0.1 ? STEADY.get(push) : undefined;
    const plot = (): Columns => {
      const x = Array.from({ length: disks }, (_, k) => k + 1);
      return [x, x.map((_, k) => last?.turns[k] ?? null), x.map(() => last?.linear ?? null)];
    };
    return {
      onReport(report) {
        rubbing = report.wallLoads[0] / disks;
        residual = report.residual;
        time = report.step * start.timeStep;
      },
      onState(state) {
        if (before && state.step - before.step < SPAN) return;
        if (before) last = accelerations(before, state, start.timeStep);
        before = state;
      },
      readings: () => {
        const [roll, slide, counter] = last ? domains(last) : [null, null, null];
        return [
          { label: 'Time', value: time, unit: '√(r/g)' },
          {
            label: 'Friction of the whole, F_g over weight',
            value: rubbing,
            ...(known ? { expected: `${known} (steady)` } : {}),
          },
          { label: 'Acceleration', value: last?.linear ?? null, unit: 'g' },
          { label: 'Roll (mode 1)', value: roll, unit: 'disks' },
          { label: 'Slide (mode 2)', value: slide, unit: 'disks' },
          { label: 'Turn against each other (mode 3)', value: counter, unit: 'disks' },
          { label: 'Residual', value: residual },
        ];
      },
      data: () => [plot()],
    };
  },
});
