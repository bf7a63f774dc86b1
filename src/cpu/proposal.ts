/** What a contact or a body proposes itself with: a bijection of 32 bits (the finaliser of MurmurHash3), as in shaders/proposal.ts. */
export function proposal(index: number): number {
  let hash = index + 1;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
