import { afterAll, beforeAll, expect } from 'vitest';
import { create, globals } from 'webgpu';
import { enableSoftwareVulkan } from '../../src/node/softwareVulkan';

Object.assign(globalThis, globals);
enableSoftwareVulkan();

/** One instance for the whole process: the native module must not be garbage collected while devices live. */
const gpu: GPU = create([]);

/** The test adapter. No adapter is a failure, never a skip. */
export async function requestAdapter(): Promise<GPUAdapter> {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('No WebGPU adapter: see docs/contributing.md, "Tests"');
  return adapter;
}

/** Runs `body` on a fresh device inside a validation scope: any validation error fails the test. */
export async function withDevice(body: (device: GPUDevice) => Promise<void>): Promise<void> {
  const device = await (await requestAdapter()).requestDevice();
  try {
    device.pushErrorScope('validation');
    await body(device);
    const error = await device.popErrorScope();
    if (error) throw new Error(`WebGPU validation: ${error.message}`);
  } finally {
    device.destroy();
  }
}

/**
 * One device for all tests of a file, since compiling the kernels takes longer than most tests do: a validation error in any
 * of them fails the file.
 * @returns the device, once the tests run
 */
export function sharedDevice(): () => GPUDevice {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await (await requestAdapter()).requestDevice();
    device.pushErrorScope('validation');
  });
  afterAll(async () => {
    const error = await device.popErrorScope();
    device.destroy();
    expect(error?.message).toBeUndefined();
  });
  return () => device;
}
