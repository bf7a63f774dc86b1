import type { AnyDemo, PlotAxes, Probe } from '../demo';
import { TimeSeries } from '../probes/timeSeries';

const PLOTS: readonly PlotAxes[] = [
  { title: 'Kinetic energy', x: 'time', y: 'units of the scene', curves: [{ label: 'kinetic energy', kind: 'line' }] },
  { title: 'Sweeps in a step', x: 'time', y: '', curves: [{ label: 'sweeps', kind: 'line' }] },
];

const UNKNOWN = { length: '', speed: '', rotation: '', force: '' };

/** Figures that every scene has. */
function probe(): Probe {
  const [energy, sweeps] = [new TimeSeries(1), new TimeSeries(1)];
  let [grains, contacts, residual, overlap] = [0, 0, 0, 0];
  return {
    onReport(report, problem) {
      const time = report.step * problem.timeStep;
      energy.push(time, report.kineticEnergy);
      sweeps.push(time, report.iterations);
      grains = problem.grains.count;
      ({ contacts, residual, maxPenetration: overlap } = report);
    },
    readings: () => [
      { label: 'Time', value: energy.last[0] },
      { label: 'Grains', value: grains },
      { label: 'Contacts that bear', value: contacts },
      { label: 'Kinetic energy', value: energy.last[1] },
      { label: 'Residual', value: residual },
      { label: 'Largest overlap', value: 100 * overlap, unit: '% of a diameter' },
    ],
    data: () => [energy.data(), sweeps.data()],
  };
}

/** The demo whose scene a reader has changed: what it measures may no longer be there. */
export const changedDemo = (demo: AnyDemo): AnyDemo => ({ ...demo, plots: PLOTS, probe, units: UNKNOWN });
