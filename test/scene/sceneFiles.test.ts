import { expect, test } from 'vitest';
import { filesOf, renameFiles } from '../../src/scene/sceneFiles';
import { parseScene } from '../../src/scene/schema';
import { sceneWith } from '../support/scenes';

test('finds the files of grains and meshes, at the start and in events', () => {
  const mesh = (file: string, name: string) => ({ name, material: 'glass', mesh: { file } });
  const scene = parseScene(
    sceneWith({
      grains: [{ material: 'glass', file: 'a.csv' }],
      walls: [mesh('b.stl', 'b')],
      events: [{ when: { step: 1 }, addWalls: [mesh('c.obj', 'c')], insert: [{ material: 'glass', file: 'd.h5' }] }],
    }),
  );
  expect(filesOf(scene)).toEqual(['a.csv', 'b.stl', 'd.h5', 'c.obj']);
  const renamed = renameFiles(scene, (file) => `x/${file}`);
  expect(filesOf(renamed)).toEqual(['x/a.csv', 'x/b.stl', 'x/d.h5', 'x/c.obj']);
  expect(renameFiles(renamed, (file) => file.slice(2))).toEqual(scene);
});
