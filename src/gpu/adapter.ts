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

/** A device with as large buffers as the adapter offers, and with timestamps where it has them. */
export function requestLargeDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  return adapter.requestDevice({
    label: 'contact-dynamics',
    requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
    requiredFeatures: adapter.features.has('timestamp-query') ? ['timestamp-query'] : [],
  });
}
