import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { CheckpointError } from '../../errors';

/** What a sealed file ends with: the mark, then the SHA-256 of all before it as text. HDF5 passes over what follows its own end. */
const MARK = '\ncontact-dynamics checkpoint sha256 ';
const SEAL_BYTES = MARK.length + 64 + 1;
const SIGNATURE = Buffer.from([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Ends a file with the digest of what is in it, and sees it onto the disk. */
export async function seal(path: string): Promise<void> {
  const digest = await digestOf(path);
  const file = await open(path, 'a');
  try {
    await file.appendFile(`${MARK}${digest}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Whether a file is what `seal` left. Done before anything in it is looked at: an HDF5 library is not made for damaged files.
 * @throws CheckpointError that says what the file is instead
 */
export async function checkSeal(path: string): Promise<void> {
  const refuse = (error: NodeJS.ErrnoException) => {
    throw new CheckpointError(path, error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`);
  };
  const found = await stat(path).catch(refuse);
  if (found.isDirectory()) throw new CheckpointError(path, 'cannot be read: it is a folder');
  // A pipe that nobody writes to would not even open.
  if (!found.isFile()) throw new CheckpointError(path, 'cannot be read: it is a pipe or a device; give a file');
  const file = await open(path, 'r').catch(refuse);
  try {
    const { size } = await file.stat();
    const head = await bytesAt(file, 0, SIGNATURE.length);
    if (!head.equals(SIGNATURE)) throw new CheckpointError(path, 'is no checkpoint: it is not an HDF5 file');
    const end = (await bytesAt(file, Math.max(0, size - SEAL_BYTES), SEAL_BYTES)).toString('latin1');
    if (!end.startsWith(MARK) || !end.endsWith('\n')) {
      throw new CheckpointError(path, 'was cut short, or another program wrote it: it does not end as checkpoints do');
    }
    if ((await digestOf(path, size - SEAL_BYTES)) !== end.slice(MARK.length, -1)) {
      throw new CheckpointError(path, 'is damaged: its contents are not those that were written');
    }
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new CheckpointError(path, `cannot be read: ${(error as Error).message}`);
  } finally {
    await file.close();
  }
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** @param length of the part from the start on; default: all */
async function digestOf(path: string, length = Number.POSITIVE_INFINITY): Promise<string> {
  const hash = createHash('sha256');
  if (length > 0) for await (const chunk of createReadStream(path, { end: length - 1 })) hash.update(chunk);
  return hash.digest('hex');
}
