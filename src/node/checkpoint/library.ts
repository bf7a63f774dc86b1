/** What of the library's file system is needed here: it opens the files that the system has under their paths. */
interface FileSystem {
  open(path: string, flags: number, ...rest: unknown[]): unknown;
  ErrnoError: new (code: number) => Error;
}

/** O_CREAT and O_EXCL: a file that is not there yet, in which the library puts the text of its errors together. */
const NEW = 0o300;
/** EACCES, as the library's file system numbers it. */
const NOT_ALLOWED = 2;

/** The library's wasm is large: it is loaded where a checkpoint is written or read. */
export async function openLibrary() {
  const { default: hdf5 } = await import('h5wasm/node');
  const module = await hdf5.ready;
  module.activate_throwing_error_handler();
  return hdf5;
}

/**
 * Reads a file by HDF5, which then opens no other one: arrays of a file can be told to lie elsewhere, and what they name is not for a
 * file from elsewhere to say.
 * @param path whole
 * @param read does not wait for anything, so that nobody else opens a file meanwhile
 * @throws RangeError where it would open another
 */
export async function readAlone<T>(path: string, read: () => T): Promise<T> {
  const { FS } = await (await openLibrary()).ready;
  const files = FS as unknown as FileSystem;
  const { open } = files;
  let other: string | undefined;
  files.open = (name, flags, ...rest) => {
    if (name === path || (flags & NEW) === NEW) return open(name, flags, ...rest);
    other ??= name;
    throw new files.ErrnoError(NOT_ALLOWED);
  };
  const result = attempt(read);
  files.open = open;
  // HDF5 takes what it does not find of some arrays for zeros.
  if (other !== undefined) throw new RangeError(`its arrays lie in another file, ${JSON.stringify(other)}`);
  if ('error' in result) throw result.error;
  return result.value;
}

function attempt<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
