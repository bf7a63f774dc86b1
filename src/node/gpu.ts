import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkBackendName } from '../backend';
import { isSoftwareAdapter } from '../gpu/adapter';
import { enableSoftwareVulkan } from './softwareVulkan';

/** Where Vulkan drivers describe themselves on Linux. */
const DRIVER_FOLDERS = [
  '/usr/share/vulkan/icd.d',
  '/usr/local/share/vulkan/icd.d',
  '/etc/vulkan/icd.d',
  join(homedir(), '.local/share/vulkan/icd.d'),
];

const PROBE_TIMEOUT_MS = 20_000;

/** One instance for the process: the native module must not be collected while devices live, and reads Vulkan's set-up once. */
let instance: GPU | undefined;

/**
 * The entry to WebGPU in Node, from the optional package `webgpu`.
 * @param backend with "auto" only where hardware may answer; with "webgpu" on a software driver if need be
 * @returns null where there is none
 * @throws BackendError for a backend that there is not
 */
export async function nodeGpu(backend: 'auto' | 'webgpu'): Promise<GPU | null> {
  checkBackendName(backend);
  if (instance) return instance;
  const hardware = mayHaveHardware();
  if (!hardware && backend === 'auto') return null;
  if (!hardware) enableSoftwareVulkan();
  try {
    const { create, globals } = await import('webgpu');
    Object.assign(globalThis, globals);
    // Timestamps as the GPU gives them: rounded to 65 us, stages of small packings could not be told.
    instance = create(['disable-dawn-features=timestamp_quantization']);
    return instance;
  } catch {
    return null;
  }
}

/** Elsewhere than on Linux the system's own drivers answer. On Linux a driver may be described although its GPU is not there. */
function mayHaveHardware(): boolean {
  if (process.platform !== 'linux') return true;
  const named = process.env.VK_DRIVER_FILES ?? process.env.VK_ICD_FILENAMES;
  const described = DRIVER_FOLDERS.some(
    (folder) => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.json')),
  );
  return (named !== undefined || described) && hardwareAnswers();
}

/** Asks in a process of its own, since Vulkan's set-up cannot be changed once it was looked at. */
function hardwareAnswers(): boolean {
  try {
    const module = pathToFileURL(createRequire(import.meta.url).resolve('webgpu')).href;
    const code = `
      const { create } = await import(${JSON.stringify(module)});
      const gpu = create([]);
      const { vendor, architecture, device, description, isFallbackAdapter } = (await gpu.requestAdapter()).info;
      console.log(JSON.stringify({ vendor, architecture, device, description, isFallbackAdapter }));
      process.exit();`;
    const probe = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      timeout: PROBE_TIMEOUT_MS,
      encoding: 'utf8',
    });
    return probe.status === 0 && !isSoftwareAdapter(JSON.parse(probe.stdout));
  } catch {
    return false;
  }
}
