/** Bytes of a file as they come. */
export type Chunks = AsyncIterable<Uint8Array>;

/** Opens a file by its name. */
export type OpenFile = (path: string) => Promise<Chunks>;

export async function* oneChunk(bytes: Uint8Array): Chunks {
  yield bytes;
}

/**
 * All bytes together.
 * @param most that they may be
 * @throws TooLongError where they are more
 */
export async function joined(chunks: Chunks, most = Infinity): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of chunks) {
    parts.push(part);
    length += part.length;
    if (length > most) throw new TooLongError(most);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A file that has no end, or that claims to be what it cannot be. */
export class TooLongError extends Error {
  constructor(most: number) {
    super(`has more than ${most} bytes (expanded, where it is compressed); no file of its kind is as large`);
    this.name = 'TooLongError';
  }
}

/** What is compressed by gzip, whatever it is called, is expanded as it comes. */
export async function* gunzipped(chunks: Chunks): Chunks {
  const source = chunks[Symbol.asyncIterator]();
  let head = new Uint8Array(0);
  let done = false;
  while (head.length < 2 && !done) {
    const next = await source.next();
    done = next.done ?? false;
    if (!next.done) head = concat(head, next.value);
  }
  const rest = (async function* () {
    if (head.length > 0) yield head;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  })();
  try {
    if (head[0] === 0x1f && head[1] === 0x8b) yield* expand(rest, 'gzip');
    else yield* rest;
  } finally {
    // Whoever takes no more has the file closed.
    await source.return?.();
  }
}

/** Compressed data that cannot be expanded. */
export class DamagedError extends Error {
  constructor(cause: unknown) {
    super('is compressed, and damaged or cut short', { cause });
    this.name = 'DamagedError';
  }
}

/**
 * @param format of the compression; `deflate` is zlib's
 * @throws DamagedError
 */
export async function* expand(chunks: Chunks, format: 'gzip' | 'deflate'): Chunks {
  const expander = new DecompressionStream(format);
  const writer = expander.writable.getWriter();
  const source = chunks[Symbol.asyncIterator]();
  let unread: { error: unknown } | undefined;
  const feeding = (async () => {
    for (;;) {
      const next = await source.next().catch((error) => {
        unread = { error };
        throw error;
      });
      if (next.done) break;
      await writer.write(next.value as Uint8Array<ArrayBuffer>);
    }
    await writer.close();
  })();
  // The reader gets the same error.
  feeding.catch((error) => writer.abort(error).catch(() => {}));
  const reader = expander.readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    await feeding;
  } catch (error) {
    throw unread ? unread.error : new DamagedError(error);
  } finally {
    // Whoever takes no more leaves the rest unread.
    await reader.cancel().catch(() => {});
    await source.return?.();
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
