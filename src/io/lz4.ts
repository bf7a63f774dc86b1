/**
 * Expands one block of LZ4 (format: lz4_Block_format.md of the LZ4 project): literals and copies of what came before, in turn.
 * @param length of what comes out
 * @throws RangeError where the block is damaged
 */
export function expandLz4(block: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length);
  let [from, to] = [0, 0];
  /** A length that goes on in further bytes where its four bits are all set. */
  const lengthFrom = (bits: number) => {
    let sum = bits;
    if (bits < 15) return sum;
    for (let more = 255; more === 255; sum += more) {
      if (from >= block.length) throw new RangeError('LZ4: the block ends in a length');
      more = block[from++];
    }
    return sum;
  };
  while (from < block.length) {
    const token = block[from++];
    const literals = lengthFrom(token >> 4);
    if (from + literals > block.length || to + literals > length) throw new RangeError('LZ4: literals beyond the end');
    out.set(block.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    // The last sequence is literals alone.
    if (from === block.length) break;
    const back = block[from] | (block[from + 1] << 8);
    from += 2;
    const copied = lengthFrom(token & 15) + 4;
    if (from > block.length || back === 0 || back > to || to + copied > length)
      throw new RangeError('LZ4: a copy of what is not there');
    // Byte by byte: what is copied may be what the copy itself writes.
    for (const end = to + copied; to < end; to++) out[to] = out[to - back];
  }
  if (to !== length) throw new RangeError('LZ4: the block is too short');
  return out;
}
