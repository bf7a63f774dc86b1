import { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import h5wasm from 'h5wasm/node';
import { beforeAll, describe, expect, test } from 'vitest';
import { CheckpointError } from '../src/index';
import { readCheckpoint, resumeFrom, writeCheckpoint } from '../src/node';
import { seal } from '../src/node/checkpoint/seal';
import { readTree, type Tree, writeTree } from '../src/node/checkpoint/tree';
import { simulate } from './support/backends';
import { everything, floor, lid } from './support/checkpointScenes';
import { newFolder } from './support/folder';

const folder = newFolder();

/**
 * HDF5 files, by gzip, with a dataset of one number that lies in /dev/zero: by h5py's create_dataset with `external`, and by its
 * create_virtual_dataset.
 */
const ELSEWHERE = [
  'H4sIAAAAAAACA+v0cHHj5ZLiYubgYICB/1DwnRHCN4CKL80R9fX3cAliYqhgEkJWCANcTAxALWw8DECKsWIzzDwPBqqBzJ8yNWAnAC1gFGFgYGIEAqgcjGYWYWAUVLBngHjIgcGEm8HkPzMDAyvQdcxc7BoMYB1AAxj2Q7VwoNkC43MAfcnMCPMdXFULw6AA95bEpHi4OgaA2BJoYXCfEVWtfkpqmX5ValE+lA8Azp6CRfcBAAA=',
  'H4sIAAAAAAACA+3VPYoCMRgG4DeJq8OM6x9TiAj+XEALexVFpxAFa0stBgvBQgbxAlN7gb3Dep89x9rojJOR0WqLBRHeJ4SQL19CkubzneHo06yYyjAQu2goR/O2jvd9PzNzhnMJT5aSiTFTQgDpLIJBeN/xeQ7+jftbPdyu0Jg2s+tkhxA2IEVA58ajsiGK9S6iB/bQsdC5KOAjuK2yjByQUnox2nPCW6q5xwWIiIj+YjyYTW5Fr/BYNLt4qqKt5WrX2q+2G3hQiXhIhlU2jEmh94Tt/CN395SvPP+aiIiIiIiI6FWuf5Io8wAYAAA=',
];

describe('a checkpoint is refused', () => {
  const path = join(folder, 'good.h5');
  beforeAll(async () => {
    const problem = await everything();
    const simulation = await simulate(problem, 'cpu');
    await simulation.step(3);
    await writeCheckpoint(path, { problem, backend: 'cpu', snapshot: await simulation.capture() });
  });
  const spoilt = async (name: string, spoil: (path: string) => unknown) => {
    const copy = join(folder, name);
    copyFileSync(path, copy);
    await spoil(copy);
    return readCheckpoint(copy);
  };

  test('that was cut short, wherever', async () => {
    const { length } = readFileSync(path);
    for (const end of [0, 7, 8, 100, Math.floor(length / 2), length - 1]) {
      const reason = end < 8 ? /is not an HDF5 file/ : /was cut short/;
      await expect(spoilt('short.h5', (copy) => truncateSync(copy, end))).rejects.toThrow(reason);
    }
  });

  test('in which a byte is another', async () => {
    const bytes = readFileSync(path);
    for (let k = 0; k < 40; k++) {
      const at = Math.floor(((k + 0.5) / 40) * bytes.length);
      const reason = /is damaged|was cut short|is not an HDF5 file/;
      const flip = (copy: string) => {
        const changed = Uint8Array.from(bytes);
        changed[at] ^= 1 << (k % 8);
        writeFileSync(copy, changed);
      };
      await expect(spoilt('flipped.h5', flip)).rejects.toThrow(reason);
    }
  });

  test('that is something else', async () => {
    await expect(spoilt('text.h5', (copy) => writeFileSync(copy, 'x,y,z,radius\n'))).rejects.toThrow(/is not an HDF5 file/);
    await expect(spoilt('longer.h5', (copy) => appendFileSync(copy, 'more'))).rejects.toThrow(/another program wrote it/);
    await expect(readCheckpoint(join(folder, 'missing.h5'))).rejects.toThrow(/missing\.h5 does not exist/);
    const foreign = (tree: Tree) => async (copy: string) => {
      const file = new h5wasm.File(copy, 'w');
      writeTree(file, tree);
      file.close();
      await seal(copy);
    };
    await expect(spoilt('foreign.h5', foreign({ format: 'x' }))).rejects.toThrow(/no checkpoint of this program/);
    const later = { format: 'contact-dynamics/checkpoint', version: 99, program: '9.0.0' };
    await expect(spoilt('later.h5', foreign(later))).rejects.toThrow(/version 99 of the format \(written by version 9\.0\.0/);
  });

  test('whose arrays do not fit together, or claim more than the file has', async () => {
    const file = new h5wasm.File(path, 'r');
    const tree = readTree(file, readFileSync(path).length);
    file.close();
    const changed =
      (change: (tree: Record<'head' | 'grains' | 'contacts' | 'solver' | 'schedule', Tree>) => void) => async (copy: string) => {
        const own = structuredClone(tree) as Tree & {
          grains: Tree;
          snapshot: { solver: Tree & { contacts: Tree }; schedule: Tree };
        };
        const { solver, schedule } = own.snapshot;
        change({ head: own, grains: own.grains, solver, schedule, contacts: solver.contacts });
        const written = new h5wasm.File(copy, 'w');
        writeTree(written, own);
        written.close();
        await seal(copy);
      };
    const refused = (change: Parameters<typeof changed>[0], reason: RegExp) =>
      expect(spoilt('unfit.h5', changed(change))).rejects.toThrow(reason);
    await expect(
      spoilt(
        'unfit.h5',
        changed(() => undefined),
      ),
    ).resolves.toMatchObject({ step: 3 });
    await refused(({ head }) => {
      head.scene = undefined;
    }, /does not tell of which scene it is/);
    await refused(({ head }) => {
      head.backend = 'gpu';
    }, /its backend is "gpu"/);
    await refused(({ head }) => {
      head.step = 4;
    }, /its step is 4, its state that after step 3/);
    await refused(({ grains }) => {
      grains.positions = new Float64Array(3);
    }, /"positions" has 3 values where \d+ belong/);
    await refused(({ grains }) => (grains.radii as Float64Array).fill(-1), /radii that are not above 0/);
    await refused(({ solver }) => {
      solver.spins = undefined;
    }, /"spins" has no values/);
    await refused(({ contacts }) => (contacts.first as Uint32Array).fill(2 ** 31), /grains that are not among its/);
    await refused(({ contacts }) => {
      contacts.count = 2 ** 40;
    }, /"first" has \d+ values where 1099511627776 belong/);
    for (const name of ['positions', 'velocities', 'angularVelocities'])
      await refused(({ grains }) => (grains[name] as Float64Array).fill(Number.NaN), new RegExp(`"${name}" has NaN at index 0`));
    for (const [periodic, reason] of [
      [{ min: new Float64Array(3), lengths: new Float64Array(2) }, /"lengths" has 2 values where 3 belong/],
      [{ min: new Float64Array(3), lengths: Float64Array.of(1, Number.NaN, 0) }, /"lengths" has NaN at index 1/],
      [{ min: new Float64Array(3), lengths: Float64Array.of(1, -1, 0) }, /its periodic box has a length below 0/],
      ['none', /"min" has no values/],
    ] as const)
      await refused(({ head }) => {
        head.periodic = periodic;
      }, reason);
    await refused(({ contacts }) => (contacts.normals as Float64Array).fill(Number.NaN, 4), /"normals" has NaN at index 4/);
    await refused(({ contacts }) => (contacts.colours as Uint32Array).fill(4e9), /its contacts have more than 65536 colours/);
    await refused(({ schedule }) => {
      schedule.step = 2;
    }, /its events are those after step 2, its state that after 3/);
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, -1, 'soon'])
      await refused(({ head }) => {
        head.time = time;
      }, /is damaged: its time is /);
    for (const step of [-3, 2.5, 'three', Number.NaN])
      await refused(({ head, solver, schedule }) => {
        for (const part of [head, solver, schedule]) part.step = step;
      }, /is damaged: (its step is|the state of the events is not whole)/);
    await refused(({ head }) => {
      head.scene = { grains: 'x' };
    }, /does not tell of which scene it is/);

    const goneOn = async (change: Parameters<typeof changed>[0]) => {
      const copy = join(folder, 'unfit.h5');
      await changed(change)(copy);
      return resumeFrom(copy, await everything());
    };
    await expect(goneOn(() => undefined)).resolves.toMatchObject({ step: 3, warnings: [] });
    for (const [change, reason] of [
      [({ schedule }) => (schedule.firedAt = Array(100).fill(1)), /100 events have happened, the scene has 4/],
      [({ schedule }) => (schedule.added = Uint32Array.of(7, 7)), /has grains that no event of the scene brings/],
      [({ contacts }) => (contacts.second as Uint32Array).fill(1e6), /contacts with walls that are not there/],
    ] as [Parameters<typeof changed>[0], RegExp][]) {
      const gone = goneOn(change);
      await expect(gone).rejects.toThrow(CheckpointError);
      await expect(gone).rejects.toThrow(reason);
    }

    const raw = (write: (file: InstanceType<typeof h5wasm.File>) => unknown) => async (copy: string) => {
      const written = new h5wasm.File(copy, 'w');
      write(written);
      written.close();
      await seal(copy);
    };
    const huge = { name: 'x', data: new Uint8Array(1000), shape: [1000], maxshape: [1e10], chunks: [1000] };
    const bomb = raw((written) => written.create_dataset(huge).resize([4e9]));
    await expect(spoilt('bomb.h5', bomb)).rejects.toThrow(/is damaged: its arrays claim more bytes than it has/);
    const nest = (levels: number): Tree => (levels === 0 ? {} : { a: nest(levels - 1) });
    const deep = raw((written) => writeTree(written, nest(12)));
    await expect(spoilt('deep.h5', deep)).rejects.toThrow(/is damaged: its groups are too deep/);
    const endless = raw((written) => written.create_group('a').create_soft_link('/a', 'again'));
    await expect(spoilt('endless.h5', endless)).rejects.toThrow(/is damaged: "again" is a link/);
    const named = raw((written) => written.create_group('__proto__'));
    await expect(spoilt('named.h5', named)).rejects.toThrow(/is damaged: "__proto__" is no name of a part/);
    const outside = raw((written) => written.create_external_link(path, '/grains', 'grains'));
    await expect(spoilt('outside.h5', outside)).rejects.toThrow(/is damaged: "grains" is a link/);
    for (const text of ELSEWHERE) {
      const elsewhere = async (copy: string) => {
        writeFileSync(copy, gunzipSync(Buffer.from(text, 'base64')));
        await seal(copy);
      };
      const reason = /is damaged: its arrays lie in another file, "\/dev\/zero"/;
      await expect(spoilt('elsewhere.h5', elsewhere)).rejects.toThrow(reason);
      // What is read next is not kept from its file.
      await expect(readCheckpoint(path)).resolves.toMatchObject({ step: 3 });
    }
  });

  test('by another scene, which says what differs', async () => {
    const other = async (parts: Record<string, unknown>) => resumeFrom(path, await everything(parts));
    await expect(other({ timeStep: 0.02 })).rejects.toThrow(/another scene, which differs in the time step; /);
    await expect(other({ walls: [floor, lid] })).rejects.toThrow(/another scene, which differs in the walls; /);
    await expect(other({ events: [] })).rejects.toThrow(/another scene, which differs in the events; /);
    await expect(other({ contacts: [] })).rejects.toThrow(/another scene, which differs in the contact laws; /);
    const { warnings } = await other({ solver: { momentum: 0 }, steps: 50, output: { every: 5 }, title: 'new' });
    expect(warnings).toEqual([expect.stringMatching(/solver is set otherwise/)]);
  });
});
