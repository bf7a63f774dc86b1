import { type AnyDemo, defaults, type Reading, type Settings } from '../../demo/demo';
import { demos } from '../../demo/demos/index';
import { createSimulation } from '../../src/index';

/** Demos read no files. */
export async function noFile(path: string): Promise<string> {
  throw new Error(`a demo reads ${path}`);
}

export function demoOf(id: string): AnyDemo {
  const found = demos.find((demo) => demo.id === id);
  if (!found) throw new Error(`there is no demo ${id}`);
  return found;
}

/** Runs a demo on the CPU as the page does: all reports, and the state now and then. */
export async function runDemo(id: string, grains: number, steps: number, values: Settings = {}, every = 10) {
  const demo = demoOf(id);
  const all = { ...defaults(demo.controls), ...values };
  const simulation = await createSimulation(demo.scene(all, grains), { backend: 'cpu' });
  const probe = demo.probe(all, simulation.problem);
  while (simulation.steps < steps) {
    await simulation.step(every, (report) => probe.onReport(report, simulation.problem));
    probe.onState?.(await simulation.read(), simulation.problem);
  }
  simulation.dispose();
  const reading = (label: string): number => {
    const found: Reading | undefined = probe.readings().find((one) => one.label.startsWith(label));
    if (!found || found.value === null) throw new Error(`${id} does not tell "${label}"`);
    return found.value;
  };
  return { reading, data: probe.data(), readings: probe.readings() };
}
