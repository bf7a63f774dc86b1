import { createSimulation, SceneError, type SceneInput, type Simulation, type StepReport } from 'contact-dynamics';
import 'contact-dynamics/element';
import { loadSceneFile } from 'contact-dynamics/node';

const scene: SceneInput = {
  format: 'contact-dynamics/1',
  timeStep: 1e-3,
  steps: 10,
  materials: { glass: { density: 2500 } },
  grains: [{ material: 'glass', list: [{ position: [0, 0, 1], radius: 0.5 }] }],
};

export async function run(device: GPUDevice): Promise<readonly StepReport[]> {
  const simulation: Simulation = await createSimulation(scene, { device });
  return simulation.step(2);
}

export async function faults(path: string): Promise<readonly string[]> {
  try {
    await loadSceneFile(path);
    return [];
  } catch (error) {
    if (error instanceof SceneError) return error.faults.map((fault) => fault.path);
    throw error;
  }
}

// @ts-expect-error: a scene without a time step does not compile
export const incomplete: SceneInput = { format: 'contact-dynamics/1', steps: 1, materials: {}, grains: [] };

export function listen(energies: number[]): void {
  const element = document.createElement('contact-dynamics');
  const note = ({ detail }: CustomEvent<StepReport>) => energies.push(detail.kineticEnergy);
  element.addEventListener('report', note, { once: true });
  element.removeEventListener('report', note);
  element.addEventListener('report', (event) => energies.push(event.detail.step));
  element.addEventListener('error', (event) => console.error(event.message));
  element.addEventListener('click', (event) => energies.push(event.offsetX));
  element.addEventListener('an event of its own', (event) => console.log(event.type));
  element.addEventListener('end', { handleEvent: (event) => console.log(event.type) });
  // @ts-expect-error: an event without a report
  element.addEventListener('ready', (event) => event.detail);
}
