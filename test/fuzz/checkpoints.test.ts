import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import h5wasm from 'h5wasm/node';
import { beforeAll, expect, test } from 'vitest';
import { CapacityError, CheckpointError, createSimulation, EventError, NumericalError, type Problem } from '../../src/index';
import { resumeFrom, writeCheckpoint } from '../../src/node';
import { seal } from '../../src/node/checkpoint/seal';
import { readTree, type Tree, writeTree } from '../../src/node/checkpoint/tree';
import { newFolder } from '../support/folder';
import { load } from '../support/scenes';
import { rightScenes } from './scenes';
import { settings } from './settings';

/** The length of what a checkpoint ends with: the digest and its mark. */
const SEAL = '\ncontact-dynamics checkpoint sha256 \n'.length + 64;

const folder = newFolder();
const [good, broken] = [join(folder, 'good.h5'), join(folder, 'broken.h5')];
let problem: Problem;
let tree: Tree;

beforeAll(async () => {
  problem = await load(rightScenes.events);
  const simulation = await createSimulation(problem, { backend: 'cpu' });
  await simulation.step(12);
  await writeCheckpoint(good, { problem, backend: 'cpu', snapshot: await simulation.capture() });
  const file = new h5wasm.File(good, 'r');
  tree = readTree(file, readFileSync(good).length);
  file.close();
});

/** Goes on from the file; what it throws must say what is wrong with it. */
async function tryFile(): Promise<'refused' | 'failed' | 'ran'> {
  try {
    const { snapshot, backend, step, time, program } = await resumeFrom(broken, problem);
    expect([backend, typeof program, Number.isFinite(time)]).toEqual(['cpu', 'string', true]);
    expect(step).toBe(snapshot.solver.step);
    const simulation = await createSimulation(problem, { backend: 'cpu', from: snapshot });
    await simulation.step(2);
    expect((await simulation.read()).positions.every(Number.isFinite)).toBe(true);
    return 'ran';
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof CheckpointError || (error instanceof RangeError && /^The snapshot given as "from" /.test(message))) {
      return 'refused';
    }
    if ([NumericalError, EventError, CapacityError].some((kind) => error instanceof kind)) return 'failed';
    throw error;
  }
}

const NUMBERS = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 0.5, 1, 3, 1e9, 1e300, 5e-324, 2 ** 32, 2 ** 53];
const change = fc.record({
  part: fc.nat(),
  kind: fc.constantFrom('value', 'value', 'value', 'drop', 'shorten', 'replace', 'rename'),
  at: fc.nat(),
  number: fc.oneof(fc.constantFrom(...NUMBERS), fc.double()),
  instead: fc.constantFrom<Tree[string]>('', 'cpu', true, 7, [1, 2], { a: 1 }, new Float64Array(3), new Uint32Array(9)),
});

/** What the tree is made of, with where it stands. */
const partsIn = (node: Tree): { parent: Tree; key: string }[] =>
  Object.keys(node).flatMap((key) => {
    const own = node[key];
    const inner = typeof own === 'object' && !ArrayBuffer.isView(own) ? partsIn(own as Tree) : [];
    return [{ parent: node, key }, ...inner];
  });

function spoil(root: Tree, { part, kind, at, number, instead }: typeof change extends fc.Arbitrary<infer T> ? T : never): void {
  const parts = partsIn(root);
  const { parent, key } = parts[part % parts.length];
  const own = parent[key];
  const array = ArrayBuffer.isView(own) ? (own as Float64Array) : undefined;
  if (kind === 'value' && array) array[at % Math.max(1, array.length)] = number;
  else if (kind === 'value' && typeof own === 'number') parent[key] = number;
  else if (kind === 'shorten' && array) parent[key] = array.slice(0, at % Math.max(1, array.length));
  else if (kind === 'rename') parent[`${key}x`] = own;
  else if (kind === 'replace') parent[key] = instead;
  else delete parent[key];
}

test('a checkpoint with parts that are broken, and a right digest, is refused with what is wrong, or goes on', async () => {
  const seen = { refused: 0, failed: 0, ran: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
      const own = structuredClone(tree);
      for (const one of changes) spoil(own, one);
      const file = new h5wasm.File(broken, 'w');
      writeTree(file, own);
      file.close();
      await seal(broken);
      seen[await tryFile()]++;
    }),
    settings(60),
  );
  expect(seen.refused).toBeGreaterThan(seen.ran);
  expect(seen.ran).toBeGreaterThan(5);
});

test('a checkpoint with bytes that are others, and a right digest, is refused, or goes on', async () => {
  const bytes = readFileSync(good).subarray(0, -SEAL);
  const byte = fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(fc.array(byte, { minLength: 1, maxLength: 4 }), async (changes) => {
      const own = Uint8Array.from(bytes);
      for (const { at, value } of changes) own[at] = value;
      writeFileSync(broken, own);
      await seal(broken);
      await tryFile();
    }),
    settings(60),
  );
});
