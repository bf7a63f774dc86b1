/** Names under which drivers that compute on the CPU present themselves. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|software|basic render/i;

/** What an adapter says of itself, in one line. */
export function describeAdapter({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  const parts = [vendor, architecture, device, description].filter((part, k, all) => part && all.indexOf(part) === k);
  return parts.join(' ') || 'unnamed adapter';
}

/** Whether the adapter computes on the CPU. */
export function isSoftwareAdapter(info: GPUAdapterInfo): boolean {
  return info.isFallbackAdapter === true || SOFTWARE.test(describeAdapter(info));
}

/**
 * Invocations of a workgroup that works alone. On hardware as many as every adapter allows, since each round waits for the memory;
 * a driver on the CPU does them one after the other and pays for those that are idle.
 */
export function loneWorkgroupSize({ adapterInfo }: GPUDevice): number {
  return isSoftwareAdapter(adapterInfo) ? 64 : 256;
}

/** A device with as large buffers as the adapter offers, and with timestamps where it has them. */
export function requestLargeDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  return adapter.requestDevice({
    label: 'contact-dynamics',
    requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
    requiredFeatures: adapter.features.has('timestamp-query') ? ['timestamp-query'] : [],
  });
}

/** Bytes that a buffer may have on the device. */
export function largestBuffer({ limits }: GPUDevice): number {
  return Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
}
