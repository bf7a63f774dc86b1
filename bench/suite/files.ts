import { readFile } from 'node:fs/promises';
import { arch, cpus, platform, totalmem } from 'node:os';
import { version } from '../../package.json';
import { writeInto } from '../../src/cli/outputFile';
import { fileTexts } from './fileTexts';
import { type Machine, parseResult, type SuiteResult } from './result';

export function describeMachine(rapier: string | null, adapter: string | null): Machine {
  return {
    cpu: cpus()[0]?.model ?? null,
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${platform()} ${arch()}`,
    runtime: `Node ${process.version}`,
    library: version,
    rapier,
    adapter,
  };
}

/**
 * Leaves `<name>.json`, `.csv`, `.md` and `.html`, each whole or as it was before.
 * @throws OutputError naming the file
 */
export async function writeSuite(folder: string, name: string, result: SuiteResult): Promise<void> {
  for (const [kind, text] of Object.entries(fileTexts)) await writeInto(folder, `${name}.${kind}`, text(result));
}

/** @throws RangeError where it cannot be read, or is no result of a benchmark */
export async function readResult(path: string): Promise<SuiteResult> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new RangeError(`${path} cannot be read: ${error.message}`);
  });
  return parseResult(text, path);
}
