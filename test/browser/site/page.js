import { runScene } from './run.js';

window.runInPage = runScene;

window.runInWorker = (scene, steps) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }) => {
      worker.terminate();
      if (data.error) reject(new Error(data.error));
      else resolve(data.outcome);
    };
    worker.postMessage({ scene, steps });
  });
