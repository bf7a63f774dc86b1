import { DeviceLostError } from '../errors';

/** How long after a failed wait the loss of the device may become known. */
const LOSS_NOTICE_MS = 200;

/**
 * Waits for work on the GPU; a lost device is an error of its own, whatever the wait failed with.
 * @param stepsDone steps that were completed when the wait ends
 * @throws DeviceLostError
 */
export async function unlessLost<T>(device: GPUDevice, stepsDone: () => number, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, LOSS_NOTICE_MS));
    const lost = await Promise.race([device.lost, late]);
    if (!lost) throw error;
    throw deviceLost(stepsDone(), lost);
  }
}

/** @param step the last that was completed */
export function deviceLost(step: number, { message, reason }: GPUDeviceLostInfo): DeviceLostError {
  return new DeviceLostError(step, `The GPU device was lost after step ${step}: ${message || reason}`);
}
