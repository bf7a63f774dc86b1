import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { convertCommand } from '../../src/cli/commands/convert';
import { runCommand } from '../../src/cli/commands/run';
import { readPacking } from '../../src/cli/packing';
import { readCheckpoint } from '../../src/node';
import { newFolder } from '../support/folder';
import { FALL, sceneFile } from './support';

const folder = newFolder();
const out = join(folder, 'out');
/** Two grains on the floor that touch across the ends of x alone. */
const ACROSS = {
  ...FALL,
  steps: 4,
  periodic: { axes: 'x', min: [0, 0, 0], max: [4, 0, 0] },
  grains: [
    {
      material: 'glass',
      list: [
        { position: [0.4, 0, 0.5], radius: 0.5 },
        { position: [3.4, 0, 0.5], radius: 0.5 },
      ],
    },
  ],
  output: { every: 2, contacts: true },
};

beforeAll(async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const options = { out, backend: 'cpu', checkpointEvery: '2', quiet: true } as const;
  expect(await runCommand(sceneFile(folder, ACROSS), options as never)).toBe(0);
  write.mockRestore();
});

describe('The scene of a packing', () => {
  test('is that of the run to whose folder a frame, its collection or a checkpoint belongs', async () => {
    for (const path of [out, join(out, 'grains.pvd'), join(out, 'frames', 'grains-000004.vtp')]) {
      const { grains, contacts, scene, periodic } = await readPacking(path);
      expect(grains).toBe(join(out, 'frames', 'grains-000004.vtp'));
      expect(contacts?.count).toBe(3);
      expect(scene).toMatchObject({ title: 'Falling cube' });
      expect(periodic?.lengths).toEqual([4, 0, 0]);
    }
    const { scene, contacts } = await readPacking(join(out, 'checkpoint-000002.h5'));
    expect(scene).toMatchObject({ title: 'Falling cube' });
    expect(contacts).toBeUndefined();
  });

  test('is none for another file, whatever scene lies near it', async () => {
    const own = join(newFolder(), 'own');
    mkdirSync(join(own, 'packs'), { recursive: true });
    writeFileSync(join(own, 'scene.json'), JSON.stringify({ ...FALL, dimension: 2 }));
    writeFileSync(join(own, 'packs', 'scene.json'), JSON.stringify({ ...FALL, dimension: 2 }));
    const path = join(own, 'packs', 'grains-000001.xyz');
    writeFileSync(path, '1\nLattice="8 0 0 0 9 0 0 0 10" Properties=pos:R:3:radius:R:1\n1 2 3 0.5\n');
    const { scene, dimension, periodic } = await readPacking(path);
    expect(scene).toBeUndefined();
    expect([dimension, periodic?.lengths]).toEqual([3, [8, 9, 10]]);
  });
});

test('Frames that are text are told by the run, and to those who convert its folder', async () => {
  const text = join(folder, 'text');
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const scene = { $schema: './scene.schema.json', ...ACROSS, output: { every: 2, frames: 'dump' } };
  await runCommand(sceneFile(folder, scene), { out: text, backend: 'cpu', quiet: true } as never);
  const told = write.mock.calls.flat().join('');
  write.mockRestore();
  expect(told).toContain(`${join(text, 'frames', 'grains-*.dump')}\n`);
  expect(told).not.toContain('ParaView');
  // Where the schema lies is told from the folder of the scene.
  expect(readFileSync(join(text, 'scene.json'), 'utf8')).not.toContain('schema');
  await expect(convertCommand(text, join(folder, 'text.xyz'), {})).rejects.toThrow(
    `${text} is a folder. Give ${join(text, 'frames', 'grains-000004.dump')}.`,
  );
});

test('A checkpoint tells its periodic box where no scene is beside it', async () => {
  const moved = join(newFolder(), 'moved.h5');
  copyFileSync(join(out, 'checkpoint-000004.h5'), moved);
  const { periodic, table, dimension } = await readPacking(moved);
  expect(periodic).toMatchObject({ lengths: [4, 0, 0] });
  expect(periodic?.min[0]).toBe(0);
  expect(dimension).toBe(3);
  expect(table.box?.periodic).toEqual([true, false, false]);

  const dump = `${moved}.dump`;
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await convertCommand(moved, dump, { quiet: true });
  write.mockRestore();
  expect(readFileSync(dump, 'utf8')).toMatch(/ITEM: BOX BOUNDS pp ff ff\n0 4\n/);

  const open = join(folder, 'open');
  const quiet = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { periodic: _, ...rest } = ACROSS;
  await runCommand(sceneFile(folder, rest), { out: open, backend: 'cpu', checkpointEvery: '4', quiet: true } as never);
  quiet.mockRestore();
  expect((await readCheckpoint(join(open, 'checkpoint-000004.h5'))).periodic).toBeUndefined();
});
