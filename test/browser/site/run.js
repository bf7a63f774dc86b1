import { createSimulation } from '../index.js';

/** Runs a scene on a device of the caller's; the device must stay usable after dispose(). */
export async function runScene(scene, steps) {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const errors = [];
  device.addEventListener('uncapturederror', ({ error }) => errors.push(error.message));
  const simulation = await createSimulation(scene, { device });
  const reports = await simulation.step(steps);
  const state = await simulation.read();
  const { backend, gpuMemoryBytes } = simulation;
  simulation.dispose();
  return {
    ...{ backend, gpuMemoryBytes, errors, contacts: reports.map((report) => report.contacts) },
    heights: [...state.positions].filter((_, k) => k % 3 === 2),
    echo: await echo(device, 42),
  };
}

/** Sends a number through a buffer of the device. */
async function echo(device, number) {
  const buffer = device.createBuffer({ label: 'echo', size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, new Uint32Array([number]));
  await buffer.mapAsync(GPUMapMode.READ);
  const [received] = new Uint32Array(buffer.getMappedRange());
  buffer.destroy();
  return received;
}
