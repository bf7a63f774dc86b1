import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installedBrowsers } from './browsers';

const ICD = 'vk_swiftshader_icd.json';

/** Path of the driver description of an installed Chromium's software Vulkan, or undefined where there is none. */
function findSoftwareVulkan(): string | undefined {
  return installedBrowsers()
    .map(({ folder }) => join(folder, ICD))
    .find((path) => existsSync(path));
}

/** dlopen flags of Linux: resolve at once, keep loaded although the library is no Node addon. */
const RTLD_NOW = 2;
const RTLD_NODELETE = 0x1000;

/**
 * Makes Vulkan offer the software driver alone, in this process. Call it before the first WebGPU instance is made.
 * Loads the browser's own Vulkan loader, so that none need be installed.
 * @returns false where no driver is found
 */
export function enableSoftwareVulkan(): boolean {
  const icd = findSoftwareVulkan();
  if (!icd) return false;
  process.env.VK_ICD_FILENAMES = icd;
  process.env.VK_DRIVER_FILES = icd;
  process.env.XDG_RUNTIME_DIR ??= '/tmp';
  const loader = join(dirname(icd), 'libvulkan.so.1');
  if (existsSync(loader)) {
    try {
      process.dlopen({ exports: {} }, loader, RTLD_NOW | RTLD_NODELETE);
    } catch {
      // Node refuses it as an addon, after the system has loaded it: what WebGPU needs is done.
    }
  }
  return true;
}
