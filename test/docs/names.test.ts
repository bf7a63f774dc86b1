import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program';
import { ATTRIBUTES } from '../../src/element/attributes';
import { sceneJsonSchema } from '../../src/scene/schema';
import { COLOURINGS } from '../../src/viewer/types';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8');

test('the document of the command line has every command with its options, and no others', () => {
  const sections = read('cli.md').split(/^## /m);
  for (const command of createProgram(() => {}).commands) {
    const section = sections.find((text) => text.startsWith(command.name())) ?? '';
    const told = new Set(section.replace(/^```.*?^```$/gms, '').match(/--[a-z][a-z-]*/g));
    const options = command.options.map(({ long }) => long!);
    expect(
      options.filter((option) => !told.has(option)),
      command.name(),
    ).toEqual([]);
    expect(
      [...told].filter((option) => !options.includes(option)),
      command.name(),
    ).toEqual([]);
  }
});

/** Names of the properties of a JSON Schema, at any depth. */
function keysOf(schema: unknown, keys = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return keys;
  if ('properties' in schema) for (const key of Object.keys(schema.properties as object)) keys.add(key);
  for (const part of Object.values(schema)) keysOf(part, keys);
  return keys;
}

test('the documents of the scene have every key of it', () => {
  const text = ['scene.md', 'scene-walls.md', 'scene-events.md'].map(read).join('\n');
  const keys = [...keysOf(sceneJsonSchema())];
  expect(keys.length).toBeGreaterThan(80);
  expect(keys.filter((key) => !(text.includes(`\`${key}\``) || text.includes(`"${key}"`)))).toEqual([]);
});

test('the documents for pages have every attribute and every colouring', () => {
  const missing = (file: string, names: readonly string[]) => names.filter((name) => !read(file).includes(`\`${name}\``));
  expect(missing('embedding.md', [...ATTRIBUTES, ...COLOURINGS])).toEqual([]);
  expect(missing('viewer.md', COLOURINGS)).toEqual([]);
});

test('the documents of the library have every function and every error that it exports', () => {
  const rows = [...read('stability.md').matchAll(/^\| `\.[^`]*` \| (.*) \|$/gm)].map(([, names]) => names).join(' ');
  const names = [...rows.matchAll(/`([a-z]\w*|\w+Error)`/g)].map(([, name]) => name);
  const text = ['api.md', 'viewer.md', 'embedding.md'].map(read).join('\n');
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(text))).toEqual([]);
});
