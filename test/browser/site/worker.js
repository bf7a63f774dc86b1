import { runScene } from './run.js';

addEventListener('message', async ({ data: { scene, steps } }) => {
  try {
    postMessage({ outcome: await runScene(scene, steps) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
});
