import { describeAdapter, isSoftwareAdapter, requestLargeDevice } from '../../src/gpu/adapter';
import { cpuBandwidth, gpuBandwidth } from './bandwidth';
import type { BackendName } from './names';
import type { Surroundings } from './runSuite';

/** What of an adapter's limits decides how many grains fit, and how they are worked on. */
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupsPerDimension',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupStorageSize',
] as const;

/** Bytes that are copied to and fro: more than the caches hold. */
const COPIED = 2 ** 26;

/** What the backends run on, with the copy bandwidth of each. */
export type Hardware = Pick<Surroundings, 'copyBandwidth' | 'limits' | 'features' | 'softwareAdapter'> & {
  adapter: string | null;
};

/**
 * @param gpu where adapters are looked for; undefined: there is no WebGPU here
 * @throws RangeError where WebGPU is asked for and no adapter answers
 */
export async function describeHardware(gpu: GPU | null | undefined, backends: readonly BackendName[]): Promise<Hardware> {
  const copyBandwidth: Hardware['copyBandwidth'] = backends.includes('cpu') ? { cpu: cpuBandwidth() } : {};
  if (!backends.includes('webgpu')) return { copyBandwidth, limits: null, features: [], softwareAdapter: false, adapter: null };
  const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new RangeError('No WebGPU adapter answers here: leave WebGPU out and choose the CPU reference alone');
  const device = await requestLargeDevice(adapter);
  const bytes = Math.min(COPIED, device.limits.maxBufferSize);
  copyBandwidth.webgpu = await gpuBandwidth(device, bytes);
  device.destroy();
  return {
    copyBandwidth,
    limits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
    features: [...adapter.features].sort(),
    softwareAdapter: isSoftwareAdapter(adapter.info),
    adapter: describeAdapter(adapter.info),
  };
}
