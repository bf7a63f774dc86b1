import { ensureBrowser } from './browser';

/** Once before the test run: a browser for the tests in Chrome, whose software Vulkan also serves the tests in Node. */
export default async function setup(): Promise<void> {
  await ensureBrowser();
}
