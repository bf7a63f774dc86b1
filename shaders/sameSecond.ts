import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import type { FeatureImages } from '../src/cpu/walls';

/** Whether two second bodies are the same one; of features, images of each other are. */
export const sameSecond = (features?: FeatureImages) => wgsl`
fn isSame(a: u32, b: u32) -> bool {
  #if ${features !== undefined}
  if (a >= ${features?.first}u && b >= ${features?.first}u) {
    return (a - ${features?.first}u) / ${features?.images}u == (b - ${features?.first}u) / ${features?.images}u;
  }
  #endif
  return a == b;
}`;
