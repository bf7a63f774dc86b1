import type { Problem, State, Vector } from '../../src/index';
import type { Columns } from '../demo';
import { demo, slider } from '../demo';
import { DENSITY, DIAMETER, FLOWING, STEPS } from '../materials';
import { packDisks, spreadRadii } from '../packing';
import { TimeSeries } from '../probes/timeSeries';

/** Radius of the wheel over that of the ring. */
const WHEEL = 0.42;
/** Diameters that the wheel's rim moves in a step. */
const RIM_STEP = 0.04;
const AXIS: { point: Vector; axis: Vector } = { point: [0, 0, 0], axis: [0, 0, 1] };
/** Rings in which speeds are averaged, a diameter wide each, over the last so many looks. */
const MEMORY = 60;

/** Sum of the speeds along the ring and number of disks, by the distance from the wheel in diameters. */
function speedsAround({ positions, velocities }: State, { grains }: Problem, wheel: number, rings: number) {
  const [sums, counts] = [new Float64Array(rings), new Float64Array(rings)];
  for (let i = 0; i < grains.count; i++) {
    const [x, y] = [positions[3 * i], positions[3 * i + 1]];
    const r = Math.hypot(x, y);
    const ring = Math.floor((r - wheel) / DIAMETER);
    if (ring < 0 || ring >= rings) continue;
    sums[ring] += (x * velocities[3 * i + 1] - y * velocities[3 * i]) / r;
    counts[ring]++;
  }
  return { sums, counts };
}

/** Diameters over which a profile falls to 1/e, from its logarithms where they mean something. */
function bandWidth([x, y]: Columns): number | null {
  const points = x.map((at, k) => [at, y[k]] as const).filter((p): p is [number, number] => p[1] !== null && p[1] > 0.01);
  if (points.length < 3) return null;
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [u, v] = [mean(points.map(([at]) => at)), mean(points.map(([, speed]) => Math.log(speed)))];
  const slope =
    points.reduce((sum, [at, speed]) => sum + (at - u) * (Math.log(speed) - v), 0) /
    points.reduce((sum, [at]) => sum + (at - u) ** 2, 0);
  return slope < 0 ? -1 / slope : null;
}

export const couette = demo({
  id: 'couette',
  title: 'Shear band',
  teaser: 'Turn a wheel in sand and only its neighbours notice',
  look: [
    'A rough wheel turns in a ring full of disks, without gravity. A liquid would take part everywhere; grains flow in a band a few diameters wide at the wheel, and the speed falls off exponentially: a straight line in the plot. Beyond it the disks only creep.',
    'The density decides. A little less, and the wheel digs itself free; a little more, and force chains reach to the outer wall and the torque fluctuates.',
  ],
  sources: ['After the experiments of D. Howell, R. P. Behringer, C. Veje, Phys. Rev. Lett. 82 (1999) 5241'],
  controls: {
    fraction: slider('Area that disks fill', 0.78, [0.7, 0.8, 0.005]),
    speed: slider('Speed of the wheel', 10, [1, 40, 1], 'rpm'),
    friction: slider('Friction', 0.5, [0, 1, 0.05]),
    ratio: slider('Largest over smallest', 1.5, [1, 2, 0.1]),
  },
  sizes: { cpu: 500, gpu: 3000, least: 150, most: 6000 },
  stepsPerFrame: 2,
  view: { colourBy: 'speed', forceChains: true },
  plots: [
    {
      title: 'Speed around, over that of the rim',
      x: 'diameters from the wheel',
      y: '',
      logY: true,
      curves: [{ label: 'mean', kind: 'points' }],
    },
    { title: 'Torque on the wheel', x: 'time, s', y: 'N m per m', curves: [{ label: 'torque', kind: 'line' }] },
  ],
  scene({ fraction, speed, friction, ratio }, grains) {
    const sizes = spreadRadii(grains, DIAMETER / 2, ratio, 6);
    const area = sizes.reduce((sum, radius) => sum + Math.PI * radius ** 2, 0);
    const ring = Math.sqrt(area / fraction / Math.PI / (1 - WHEEL ** 2));
    const wheel = WHEEL * ring;
    const places = packDisks(sizes, {
      draw: (u, v) => {
        const r = Math.sqrt(wheel ** 2 + u * (ring ** 2 - wheel ** 2));
        const angle = 2 * Math.PI * v;
        return [r * Math.cos(angle), r * Math.sin(angle)];
      },
      hold: (x, y, radius) => {
        const r = Math.hypot(x, y);
        const held = Math.min(Math.max(r, wheel + radius), ring - radius) / r;
        return [held * x, held * y];
      },
    });
    const rate = (speed * 2 * Math.PI) / 60;
    const rough = { friction: 1, rollingFriction: 0.5 };
    return {
      format: 'contact-dynamics/1',
      title: 'Couette cell of disks',
      dimension: 2,
      timeStep: (RIM_STEP * DIAMETER) / (rate * wheel),
      steps: STEPS,
      materials: { disk: { density: DENSITY }, rough: {} },
      contacts: [
        { between: ['disk', 'disk'], friction },
        { between: ['disk', 'rough'], ...rough },
      ],
      grains: [{ material: 'disk', list: places.map(([x, y], i) => ({ position: [x, y, 0] as Vector, radius: sizes[i] })) }],
      walls: [
        {
          name: 'wheel',
          material: 'rough',
          cylinder: { ...AXIS, radius: wheel, side: 'outside' },
          motion: { angularVelocity: [0, 0, rate] },
        },
        { name: 'ring', material: 'rough', cylinder: { ...AXIS, radius: ring, side: 'inside' } },
      ],
      solver: FLOWING,
    };
  },
  probe({ speed }, start) {
    const torque = new TimeSeries(1);
    const radiusOf = (w: number) => {
      const { shape } = start.walls[w];
      return shape.kind === 'cylinder' ? shape.radius : 0;
    };
    const [wheel, ring] = [radiusOf(0), radiusOf(1)];
    const rings = Math.max(1, Math.floor((ring - wheel) / DIAMETER));
    const rim = ((speed * 2 * Math.PI) / 60) * wheel;
    const looks: ReturnType<typeof speedsAround>[] = [];
    const profile = (): Columns => {
      const x = Array.from({ length: rings }, (_, k) => k + 0.5);
      const mean = x.map((_, k) => {
        const [sum, count] = looks.reduce(([a, b], { sums, counts }) => [a + sums[k], b + counts[k]], [0, 0]);
        return count > 0 && sum > 0 ? sum / count / rim : null;
      });
      return [x, mean];
    };
    let [contacts, turns] = [0, 0];
    return {
      onReport(report) {
        const time = report.step * start.timeStep;
        torque.push(time, report.wallLoads[5]);
        contacts = report.contacts;
        turns = (speed / 60) * time;
      },
      onState(state, problem) {
        looks.push(speedsAround(state, problem, wheel, rings));
        if (looks.length > MEMORY) looks.shift();
      },
      readings: () => [
        { label: 'Time', value: torque.last[0], unit: 's' },
        { label: 'Turns of the wheel', value: turns },
        { label: 'Width of the band (fall to 1/e)', value: bandWidth(profile()), unit: 'diameters' },
        { label: 'Torque on the wheel', value: torque.last[1], unit: 'N m per m' },
        { label: 'Contacts that bear, per disk', value: (2 * contacts) / start.grains.count },
        { label: 'Width of the gap', value: (ring - wheel) / DIAMETER, unit: 'diameters' },
      ],
      data: () => [profile(), torque.data()],
    };
  },
});
