import { forceChains, forceDistribution, normalForces, type SceneInput, type State, type Vector } from '../../src/index';
import { demo, slider } from '../demo';
import { DENSITY, DIAMETER, FLOWING, STEPS } from '../materials';
import { packDisks, spreadRadii } from '../packing';
import { TimeSeries } from '../probes/timeSeries';

/** Mean pressure, N/m. */
const PRESSURE = 200;
/** Mass of a disk, and the time that the pressure takes to move one by its own size, about. */
const MASS = (DENSITY * Math.PI * DIAMETER ** 2) / 4;
const STEP = 0.05 * Math.sqrt(MASS / PRESSURE);
/** Of the disks before they are pressed; lower than where they jam. */
const FRACTION = 0.74;
const PISTON_DISKS = 5;
const CHANGES = 400;
const [BINS, LARGEST] = [24, 6];

/**
 * How the strong contacts lie: mean of F cos(2 angle) over that of F, of contacts between disks that bear more than the mean. 1: all
 * upright, -1: all level.
 */
function uprightness({ contacts }: State, grains: number): number | null {
  const forces = normalForces(contacts);
  const { mean } = forceDistribution(contacts);
  let [sum, weight] = [0, 0];
  forces.forEach((force, c) => {
    if (force <= mean || contacts.second[c] >= grains) return;
    const [x, y] = [contacts.normals[3 * c], contacts.normals[3 * c + 1]];
    sum += force * (y * y - x * x);
    weight += force;
  });
  return weight > 0 ? sum / weight : null;
}

export const chains = demo({
  id: 'chains',
  title: 'Force chains',
  teaser: 'A few contacts carry most of the load, and they turn with it',
  look: [
    'Two pistons press disks into a corner, one now harder, now softer than the other. The force goes through the packing in chains: a third of the contacts, those with more than the mean, carry most of it. When the load turns the chains turn, though hardly a disk moves.',
    'The distribution of the forces falls off exponentially above the mean: a straight line in the plot. Pull the pistons apart until the packing yields and flows.',
  ],
  sources: [
    'F. Radjai, D. E. Wolf, M. Jean, J.-J. Moreau, Phys. Rev. Lett. 80 (1998) 61',
    'Published figures of P(F): npm run validate-physics',
  ],
  controls: {
    difference: slider('Difference of the pistons', 0.25, [0, 0.6, 0.05]),
    friction: slider('Friction', 0.4, [0, 1, 0.05]),
    ratio: slider('Largest over smallest', 2, [1, 3, 0.1]),
    hold: slider('Steps until the load turns', 250, [50, 1000, 50]),
  },
  sizes: { cpu: 420, gpu: 2000, least: 30, most: 6000 },
  stepsPerFrame: 1,
  view: { colourBy: 'force', forceChains: true },
  plots: [
    {
      title: 'Distribution of forces',
      x: 'force over the mean',
      y: 'P',
      logY: true,
      curves: [
        { label: 'measured', kind: 'points' },
        { label: 'exponential', kind: 'dashed' },
      ],
    },
    {
      title: 'How the strong contacts lie',
      x: 'time, s',
      y: 'upright 1, level -1',
      curves: [{ label: 'strong contacts', kind: 'line' }],
    },
  ],
  scene({ difference, friction, ratio, hold }, grains) {
    const sizes = spreadRadii(grains, DIAMETER / 2, ratio, 7);
    const area = sizes.reduce((sum, radius) => sum + Math.PI * radius ** 2, 0);
    const side = Math.sqrt(area / FRACTION);
    const within = (x: number, radius: number) => Math.min(Math.max(x, radius), side - radius);
    const places = packDisks(sizes, {
      draw: (u, v) => [side * u, side * v],
      hold: (x, y, radius) => [within(x, radius), within(y, radius)],
    });
    const force = (share: number) => PRESSURE * side * share;
    const wall = (name: string, point: Vector, normal: Vector) => ({ name, material: 'wall', plane: { point, normal } });
    const piston = (share: number) => ({ piston: { mass: PISTON_DISKS * MASS, force: force(share) } });
    return {
      format: 'contact-dynamics/1',
      title: 'Force chains between two pistons',
      dimension: 2,
      timeStep: STEP,
      steps: STEPS,
      materials: { disk: { density: DENSITY }, wall: {} },
      contacts: [
        { between: ['disk', 'disk'], friction },
        { between: ['disk', 'wall'], friction: 0 },
      ],
      grains: [{ material: 'disk', list: places.map(([x, y], i) => ({ position: [x, y, 0] as Vector, radius: sizes[i] })) }],
      walls: [
        wall('left', [0, 0, 0], [1, 0, 0]),
        wall('floor', [0, 0, 0], [0, 1, 0]),
        { ...wall('right', [side, 0, 0], [-1, 0, 0]), ...piston(1 - difference) },
        { ...wall('top', [0, side, 0], [0, -1, 0]), ...piston(1 + difference) },
      ],
      events: Array.from({ length: CHANGES }, (_, k) => {
        const sign = k % 2 === 0 ? 1 : -1;
        return {
          when: { step: (k + 1) * hold },
          setPiston: { right: { force: force(1 + sign * difference) }, top: { force: force(1 - sign * difference) } },
        };
      }),
      solver: FLOWING,
    } satisfies SceneInput;
  },
  probe(_, start) {
    const lie = new TimeSeries(1);
    let [density, beta, edges]: [Float64Array, number, Float64Array] = [
      new Float64Array(BINS),
      Number.NaN,
      new Float64Array(BINS + 1),
    ];
    let [contacts, strong, longest] = [0, 0, 0];
    return {
      onReport(report) {
        contacts = report.contacts;
      },
      onState(state, problem) {
        const forces = forceDistribution(state.contacts, BINS, LARGEST);
        [density, beta, edges] = [forces.density, forces.tail.beta, forces.edges];
        const { share, sizes } = forceChains(state.contacts, problem.grains.count);
        [strong, longest] = [share, sizes[0] ?? 0];
        lie.push(state.step * problem.timeStep, uprightness(state, problem.grains.count));
      },
      readings: () => [
        { label: 'Time', value: lie.last[0], unit: 's' },
        { label: 'Contacts above the mean', value: 100 * strong, unit: '%' },
        { label: 'Disks in the largest chain network', value: longest },
        { label: 'Tail of P(F), exp(−β F/⟨F⟩)', value: Number.isFinite(beta) ? beta : null, expected: '1 to 2' },
        { label: 'Contacts that bear, per disk', value: (2 * contacts) / start.grains.count },
      ],
      data: () => {
        const x = Array.from(density, (_, k) => (edges[k] + edges[k + 1]) / 2);
        return [
          [
            x,
            Array.from(density, (p) => (p > 0 ? p : null)),
            x.map((at) => (at > 1 && Number.isFinite(beta) ? tail(beta, at) : null)),
          ],
          lie.data(),
        ];
      },
    };
  },
});

/** An exponential that has, above the mean, the share of contacts that packings have there: about 0.4. */
const tail = (beta: number, at: number) => 0.4 * beta * Math.exp(-beta * (at - 1));
