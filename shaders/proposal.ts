import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';

/** What a contact or a body proposes itself with. */
export const proposal = wgsl`
/** A bijection, so that no two propose the same; never 0, which means no proposal. */
fn proposal(index: u32) -> u32 {
  var h = index + 1u;
  h = (h ^ (h >> 16u)) * 0x85ebca6bu;
  h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
  return h ^ (h >> 16u);
}
`;
