import { beforeAll, describe, expect, test } from 'vitest';
import { LastingSimulation } from '../../src/cli/lastingSimulation';
import { BackendError, createSimulation, type Problem, type SimulationSnapshot, type StepReport } from '../../src/index';
import { requestAdapter } from '../support/device';
import { load, sceneWith } from '../support/scenes';

/** Grains that fall, one of which comes on the way. */
const falling = (): Promise<Problem> =>
  load(
    sceneWith({
      steps: 12,
      events: [{ when: { step: 3 }, insert: [{ material: 'glass', list: [{ position: [0, 0, 9], radius: 0.5 }] }] }],
    }),
  );

type When = 'at once' | 'once open' | 'later';

/** Runs 12 steps; `losses` says after which reports the device is lost, `next` when each further one is. */
async function run(
  problem: Problem,
  losses: readonly number[],
  newDevices = Number.POSITIVE_INFINITY,
  next: readonly When[] = [],
) {
  let device: GPUDevice | undefined;
  const opened: string[] = [];
  const open = async (from: SimulationSnapshot | undefined, backend: 'same' | 'cpu') => {
    opened.push(`${backend} ${from?.solver.step ?? 'start'}`);
    if (backend === 'cpu') return createSimulation(problem, { backend: 'cpu', from });
    if (opened.length > newDevices) throw new BackendError('No WebGPU adapter answers here');
    device = await (await requestAdapter()).requestDevice();
    const when = next[opened.length - 2];
    if (when === 'at once') device.destroy();
    const simulation = await createSimulation(problem, { device, from });
    if (when === 'once open') device.destroy();
    return simulation;
  };
  const simulation = new LastingSimulation(await open(undefined, 'same'), open);
  const reports: StepReport[] = [];
  const left = [...losses];
  for (let k = 0; k < 4; k++) {
    await simulation.step(3, (report) => {
      reports.push(report);
      if (report.step === left[0]) {
        left.shift();
        device?.destroy();
      }
    });
  }
  const state = await simulation.read();
  const { steps, warnings, events, backend } = simulation;
  simulation.dispose();
  device?.destroy();
  return { reports, state, steps, warnings: [...warnings], events: events.map(({ text }) => text), backend, opened };
}

describe('a run that loses its GPU device', async () => {
  const problem = await falling();
  let whole: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    whole = await run(problem, []);
  });

  test('goes on on a new one to the same bits, with each step reported once', async () => {
    const broken = await run(problem, [5, 10]);
    expect(broken.reports.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(broken.state).toEqual(whole.state);
    expect(broken.events).toEqual(whole.events);
    expect(broken.events).toHaveLength(1);
    expect(broken.backend).toBe('webgpu');
    expect(broken.opened).toHaveLength(3);
    expect(broken.warnings.filter((text) => /goes on from step \d+ on a new device/.test(text))).toHaveLength(2);
    expect(whole.warnings).toEqual([]);
  });

  test.each<When>(['at once', 'once open'])(
    'goes on on the CPU where the new one is lost %s, before it has done a step',
    async (when) => {
      const broken = await run(problem, [5], Number.POSITIVE_INFINITY, [when]);
      expect(broken.opened.map((text) => text.split(' ')[0])).toEqual(['same', 'same', 'cpu']);
      expect(broken.backend).toBe('cpu');
      expect(broken.reports.map(({ step }) => step)).toEqual(whole.reports.map(({ step }) => step));
    },
  );

  test('goes on on the CPU where it is lost twice and no third one comes', async () => {
    const broken = await run(problem, [5, 6], 2);
    expect(broken.reports.map(({ step }) => step)).toEqual(whole.reports.map(({ step }) => step));
    expect(broken.backend).toBe('cpu');
    expect(broken.warnings.filter((text) => /goes on from step \d+ on (a new device|the CPU)/.test(text))).toHaveLength(2);
  });

  test('goes on on the CPU where no other comes', async () => {
    const broken = await run(problem, [5], 1);
    expect(broken.backend).toBe('cpu');
    expect(broken.steps).toBe(12);
    expect(broken.reports).toHaveLength(12);
    expect(broken.warnings.at(-1)).toMatch(/device was lost after step \d+.*goes on from step \d+ on the CPU/);
    const off = broken.state.positions.map((x, k) => Math.abs(x - whole.state.positions[k]));
    expect(Math.max(...off)).toBeLessThan(1e-4);
  });
});

test('what is no lost device ends the run', async () => {
  const simulation = new LastingSimulation(await createSimulation(await falling(), { backend: 'cpu' }), () => {
    throw new Error('nothing is to be opened');
  });
  await expect(simulation.step(-1)).resolves.toBeUndefined();
  simulation.dispose();
  await expect(simulation.step(1)).rejects.toThrow('disposed');
});
