import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load } from '../support/scenes';

const FILES = ['scene.md', 'scene-walls.md', 'scene-events.md'];
const blocks = FILES.flatMap((file) => {
  const text = readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8');
  return [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, code]) => code);
});

/** What the parts of a scene that the document shows refer to. */
const base = {
  format: 'contact-dynamics/1',
  timeStep: 1e-3,
  steps: 1,
  materials: { powder: { density: 1000 }, glass: { density: 2500 }, steel: {} },
  contacts: ['powder,powder', 'powder,glass', 'powder,steel', 'glass,glass', 'glass,steel'].map((pair) => ({
    between: pair.split(','),
    friction: 0.3,
  })),
  grains: [{ material: 'glass', list: [{ position: [0.03, 0.02, 0.05], radius: 0.005 }] }],
};

/** In which list of a scene a part of the document has its place. */
const listOf = (part: object) => ('between' in part ? 'contacts' : 'name' in part ? 'walls' : 'grains');

function sceneOf(code: string): Record<string, unknown> {
  if (code.startsWith('"')) return { ...base, ...JSON.parse(`{${code}}`) };
  const parts: Record<string, unknown>[] = JSON.parse(`[${code}]`);
  if ('format' in parts[0]) return parts[0];
  const list = listOf(parts[0]);
  const kept = list === 'contacts' ? base.contacts.slice(1) : [];
  return { ...base, [list]: [...kept, ...parts] };
}

test('the scenes, and the parts of scenes, in the documents of the format are right', async () => {
  expect(blocks.length).toBeGreaterThan(5);
  for (const code of blocks) {
    await load(sceneOf(code));
  }
});
