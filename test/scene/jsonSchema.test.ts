import Ajv2020 from 'ajv/dist/2020';
import { expect, test } from 'vitest';
import { parseScene, sceneJsonSchema } from '../../src/scene/schema';
import { sceneWith } from '../support/scenes';

const validate = new Ajv2020({ strict: false }).compile(sceneJsonSchema());
const grains = (group: object) => sceneWith({ grains: [{ material: 'glass', ...group }] });
const region = { box: { min: [0, 0, 0], max: [9, 9, 9] } };

const scenes: [string, unknown][] = [
  ['the least scene', sceneWith()],
  ['a scene that names the schema', sceneWith({ $schema: './scene.schema.json' })],
  ['a schema that is no text', sceneWith({ $schema: 1 })],
  ['a filled scene', parseScene(sceneWith())],
  ['a lattice', grains({ lattice: { count: [2, 2, 2], spacing: 1, radius: 0.5, jitter: 0.1 } })],
  ['a fill', grains({ random: { count: 5, radius: { list: [[1, 2]] }, ...region }, velocity: [0, 0, 1] })],
  ['an unknown key', sceneWith({ gravty: 1 })],
  ['a fraction for steps', sceneWith({ steps: 1.5 })],
  ['a negative radius', grains({ list: [{ position: [0, 0, 0], radius: -1 }] })],
  ['a vector of two', sceneWith({ gravity: [0, 1] })],
  ['a vector of four', sceneWith({ gravity: [0, 1, 2, 3] })],
  ['no format', sceneWith({ format: undefined })],
  ['two sources', grains({ file: 'a.csv', list: [{ position: [0, 0, 0], radius: 1 }] })],
  ['no source', grains({})],
  ['two regions', grains({ random: { count: 5, radius: 1, ...region, cylinder: region } })],
  ['an unknown criterion', sceneWith({ solver: { convergence: { criterion: 'fast' } } })],
  ['events', sceneWith({ events: [] })],
];

test.each(scenes)('the JSON Schema judges %s as the validation does', (_, scene) => {
  const asWritten = JSON.parse(JSON.stringify(scene));
  let taken = true;
  try {
    parseScene(asWritten);
  } catch {
    taken = false;
  }
  expect(validate(asWritten)).toBe(taken);
});

test('a scene may say where its schema lies', () => {
  expect(parseScene(sceneWith({ $schema: './scene.schema.json' }))).toMatchObject({ $schema: './scene.schema.json' });
});
