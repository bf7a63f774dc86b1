import { demo, slider } from '../demo';
import { DENSITY, FLOWING, GRAVITY, radii, STEPS } from '../materials';
import { totalLoad, totalMass } from '../probes/figures';
import { TimeSeries } from '../probes/timeSeries';

/** Sand, metres. */
const GRAIN = 1e-3;
const STEP = 5e-4;
const SPACING = 1.1 * GRAIN;
/** Diameters in a step at which the grains fall in. */
const FALL = 0.2;

export const million = demo({
  id: 'million',
  title: 'A million grains',
  teaser: 'As many as the graphics card holds',
  look: [
    'Sand falls into a tray, all of it at once: layer by layer comes to bear from the bottom up, and the wave of coming to rest runs to the surface. Every contact keeps to the exact laws.',
    'How many grains there are goes by what is there: on a graphics card as many as its buffers hold, up to a million and more; without one a few thousand on the processor.',
  ],
  sources: ['The scene of the benchmark, bench/scenes/poured.ts', 'docs/gpu.md'],
  controls: {
    friction: slider('Friction', 0.5, [0, 1, 0.05]),
    depth: slider('Depth over width', 0.6, [0.2, 2, 0.1]),
    ratio: slider('Largest over smallest', 1.25, [1, 2, 0.05]),
  },
  sizes: { cpu: 2500, gpu: 1_000_000, least: 60, most: 8_000_000 },
  stepsPerFrame: 1,
  view: { colourBy: 'speed' },
  plots: [
    {
      title: 'Weight',
      x: 'time, ms',
      y: 'N',
      curves: [
        { label: 'of the sand', kind: 'dashed' },
        { label: 'on the tray', kind: 'line' },
      ],
    },
    { title: 'Sweeps in a step', x: 'time, ms', y: '', curves: [{ label: 'sweeps', kind: 'line' }] },
  ],
  scene({ friction, depth, ratio }, grains) {
    const across = Math.max(3, Math.round((grains / depth) ** (1 / 3)));
    const layers = Math.max(1, Math.round(grains / across ** 2));
    const half = (across * SPACING) / 2;
    return {
      format: 'contact-dynamics/1',
      title: `${across ** 2 * layers} grains of sand`,
      gravity: [0, 0, -GRAVITY],
      timeStep: STEP,
      steps: STEPS,
      materials: { sand: { density: DENSITY }, wood: {} },
      contacts: [
        { between: ['sand', 'sand'], friction },
        { between: ['sand', 'wood'], friction: Math.min(friction, 0.3) },
      ],
      grains: [
        {
          material: 'sand',
          velocity: [0, 0, (-FALL * GRAIN) / STEP],
          lattice: {
            count: [across, across, layers],
            spacing: SPACING,
            origin: [SPACING / 2 - half, SPACING / 2 - half, SPACING / 2],
            radius: radii(0.45 * GRAIN, ratio),
            jitter: 0.05 * GRAIN,
            seed: 1,
          },
        },
      ],
      walls: [
        {
          name: 'tray',
          material: 'wood',
          box: { min: [-half, -half, 0], max: [half, half, 1.6 * layers * SPACING], open: ['+z'] },
        },
      ],
      solver: { ...FLOWING, momentum: 0.9 },
    };
  },
  probe(_, start) {
    const [weights, sweeps] = [new TimeSeries(2), new TimeSeries(1)];
    const weight = totalMass(start) * GRAVITY;
    let [contacts, updates] = [0, 0];
    return {
      onReport(report) {
        const time = 1000 * report.step * STEP;
        weights.push(time, weight, -totalLoad(report)[2]);
        sweeps.push(time, report.iterations);
        contacts = report.contacts;
        updates = report.candidates * report.iterations;
      },
      readings: () => [
        { label: 'Time', value: weights.last[0], unit: 'ms' },
        { label: 'Grains', value: start.grains.count },
        { label: 'Contacts that bear', value: contacts },
        { label: 'On the tray', value: weights.last[2], unit: 'N', expected: `${weight.toPrecision(3)} (the weight)` },
        { label: 'Contact updates in a step', value: updates },
      ],
      data: () => [weights.data(), sweeps.data()],
    };
  },
});
