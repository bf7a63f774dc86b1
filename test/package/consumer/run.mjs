import { readFileSync } from 'node:fs';
import { createSimulation, SceneError } from 'contact-dynamics';
import { createNodeSimulation, loadSceneFile } from 'contact-dynamics/node';
import schema from 'contact-dynamics/scene.schema.json' with { type: 'json' };

const scene = JSON.parse(readFileSync('scene.json', 'utf8'));
for (const key of Object.keys(scene)) if (!(key in schema.properties)) throw new Error(`the schema does not know ${key}`);

/** The lower grain carries both: its contact with the floor bears twice the weight of one. */
async function check(simulation) {
  const reports = await simulation.step(20);
  const { contacts } = await simulation.read();
  if (reports.length !== 20 || contacts.count !== 2) throw new Error('two contacts after 20 steps are expected');
  const [upper, lower] = [...contacts.forces.filter((_, k) => k % 3 === 2)].map(Math.abs).sort((a, b) => a - b);
  if (Math.abs(lower / upper - 2) > 1e-3) throw new Error(`forces ${lower} and ${upper}: not two to one`);
  simulation.dispose();
}

await check(await createSimulation(scene, { backend: 'cpu' }));
await check(await createNodeSimulation((await loadSceneFile('scene.json')).problem, { backend: 'cpu' }));

try {
  await createSimulation({ ...scene, timeStep: -1 }, { backend: 'cpu' });
} catch (error) {
  if (!(error instanceof SceneError)) throw error;
  process.exit(0);
}
throw new Error('a negative time step was accepted');
