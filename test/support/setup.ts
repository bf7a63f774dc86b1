import { ensureBrowser } from './browser';
import { ensureVtk } from './vtk';

/**
 * Once before the test run: a browser for the tests in Chrome, whose software Vulkan also serves the tests in Node, and VTK for the
 * tests of files.
 */
export default async function setup(): Promise<void> {
  await ensureBrowser();
  try {
    ensureVtk();
  } catch {
    // The tests that take it say so; the others run.
  }
}
