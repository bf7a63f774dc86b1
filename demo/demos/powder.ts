import { normalForces, type Problem, type SceneInput, type State, stress, type Vector, volumeFraction } from '../../src/index';
import { deposit } from '../../src/scene/generators/ballistic';
import { allocateGrains } from '../../src/scene/grainSets';
import { demo, slider } from '../demo';
import { STEPS } from '../materials';
import { loadOn } from '../probes/figures';
import { TimeSeries } from '../probes/timeSeries';

/** Of the thesis: so many spheres over a square of so many radii, fewer in proportion. Radius, density and force of cohesion are 1. */
const [COUNT, SIDE] = [1015, 25];
const PISTON_MASS = 1000;
const CAPTURE_RADIUS = 3;
const RANGE = 0.01;
const STEP = 2.5;
/** Room above the deposit for grains to fall from, in the height that it comes to. */
const HEADROOM = 4;

/** The highest point of a deposit, where the piston starts. */
function topOf(settings: Parameters<typeof deposit>[0], side: number): number {
  const grains = allocateGrains(settings.count);
  grains.radii.fill(1);
  const periodic = { min: [0, 0, 0] as Vector, lengths: [side, side, 0] as Vector };
  const fitted = deposit(settings, grains, 0, [], { dimension: 3, walls: [], periodic });
  return Array.from({ length: fitted }, (_, i) => grains.positions[3 * i + 2] + 1).reduce((a, b) => Math.max(a, b), 0);
}

/** Porosity and stress between floor and piston, as the piston stands. */
function packingOf(state: State, problem: Problem, side: number) {
  const top = state.walls[7 * problem.walls.findIndex(({ name }) => name === 'piston') + 2];
  const region = { kind: 'box' as const, min: [0, 0, 0] as Vector, max: [side, side, top] as Vector };
  const { total, compressive, tensile } = stress(problem, state, region);
  return {
    porosity: 1 - volumeFraction(problem, state.positions, region),
    total: total[8],
    compressive: compressive[8],
    tensile: tensile[8],
    top,
  };
}

export const powder = demo({
  id: 'powder',
  title: 'Cohesive powder',
  teaser: 'Sticky grains build houses of cards, torque holds them up',
  look: [
    'Sticky spheres were deposited one by one, and a piston presses with a four-hundredth of the force that holds two of them together. Without torques at the contacts the house of cards collapses to a porosity of about 0.55; with strong rolling and torsion friction it hardly gives way: 0.82 and more.',
    'Take rolling friction away and leave torsion, and see which of the two matters. Some contacts press, many pull; only their sum must be the pressure.',
  ],
  sources: [
    'T. Unger, thesis (Budapest, 2004), ch. 6: porosity 0.54 without and 0.82 with torques, for 1015 spheres',
    'docs/decisions/cohesive-powder.md',
  ],
  controls: {
    rolling: slider('Rolling friction', 0, [0, 1, 0.05]),
    torsion: slider('Torsion friction', 0, [0, 1, 0.05]),
    friction: slider('Friction', 0.3, [0, 1, 0.05]),
    pressure: slider('Pressure', 1, [0.2, 8, 0.2], 'F_c/400 R²'),
  },
  sizes: { cpu: 260, gpu: COUNT, least: 30, most: 3000 },
  stepsPerFrame: 1,
  view: { colourBy: 'coordination' },
  units: { length: 'R', speed: '√(F_c/ρ)/R', rotation: '√(F_c/ρ)/R²', force: 'F_c' },
  plots: [
    { title: 'Porosity', x: 'time, (ρR⁴/F_c)^½', y: 'empty share', curves: [{ label: 'porosity', kind: 'line' }] },
    {
      title: 'Stress along the piston',
      x: 'time, (ρR⁴/F_c)^½',
      y: 'pressures',
      curves: [
        { label: 'of contacts that press', kind: 'line' },
        { label: 'of those that pull', kind: 'line' },
        { label: 'sum', kind: 'dashed' },
      ],
    },
  ],
  scene({ rolling, torsion, friction, pressure }, grains) {
    const side = Math.max(7, SIDE * Math.cbrt(grains / COUNT));
    const room: Vector = [side, side, Math.max(40, (HEADROOM * grains * 4) / side ** 2 / 0.15 / 2)];
    const ballistic = {
      count: grains,
      radius: 1,
      captureRadius: CAPTURE_RADIUS,
      box: { min: [0, 0, 0] as Vector, max: room },
      seed: 4,
    };
    const law = {
      friction,
      rollingFriction: rolling,
      torsionFriction: torsion,
      cohesion: { force: 1, range: RANGE },
    };
    return {
      format: 'contact-dynamics/1',
      title: 'Cohesive powder under a piston',
      timeStep: STEP,
      steps: STEPS,
      periodic: { axes: 'xy', min: [0, 0, 0], max: room },
      materials: { powder: { density: 1 } },
      contacts: [{ between: ['powder', 'powder'], ...law }],
      grains: [{ material: 'powder', ballistic }],
      walls: [
        { name: 'floor', material: 'powder', plane: { point: [0, 0, 0], normal: [0, 0, 1] } },
        {
          name: 'piston',
          material: 'powder',
          plane: { point: [0, 0, topOf(ballistic, side)], normal: [0, 0, -1] },
          piston: { mass: (PISTON_MASS * side ** 2) / SIDE ** 2, force: (pressure / 400) * side ** 2 },
        },
      ],
      solver: { momentum: 0.8, coarse: 'off', convergence: { criterion: 'fixed', iterations: 60 } },
    } satisfies SceneInput;
  },
  probe({ pressure }, start) {
    const [porosity, stresses] = [new TimeSeries(1), new TimeSeries(3)];
    const side = start.periodic!.lengths[0];
    const unit = pressure / 400;
    let [load, pulling] = [0, 0];
    return {
      onReport(report, problem) {
        load = -loadOn('floor', report, problem)[2] / side ** 2 / unit;
      },
      onState(state, problem) {
        const { porosity: empty, total, compressive, tensile } = packingOf(state, problem, side);
        const time = state.step * problem.timeStep;
        porosity.push(time, empty);
        stresses.push(time, compressive / unit, tensile / unit, total / unit);
        const forces = normalForces(state.contacts);
        const bearing = forces.reduce((sum, force) => sum + (force === 0 ? 0 : 1), 0);
        pulling = forces.reduce((sum, force) => sum + (force < 0 ? 1 : 0), 0) / Math.max(1, bearing);
      },
      readings: () => [
        { label: 'Time', value: porosity.last[0] },
        { label: 'Porosity', value: porosity.last[1], expected: '0.54 without, 0.82 with torques' },
        { label: 'Floor bears', value: load, unit: 'pressures', expected: '1, at rest' },
        { label: 'Contacts that pull', value: 100 * pulling, unit: '%' },
        { label: 'Spheres', value: start.grains.count },
      ],
      data: () => [porosity.data(), stresses.data()],
    };
  },
});
