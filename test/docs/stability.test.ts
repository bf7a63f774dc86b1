import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const text = readFileSync(resolve(ROOT, 'docs/stability.md'), 'utf8');

/** Names by entry under a heading of the document. */
function listed(heading: string): Map<string, string[]> {
  const section = text.slice(text.indexOf(`\n## ${heading}\n`)).split('\n## ')[1];
  const rows = [...section.matchAll(/^\| `(\.[^`]*)` \| (.*) \|$/gm)];
  return new Map(rows.map(([, entry, names]) => [entry, [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name)]));
}

/** Names that the entries of the package export, types among them, each where it comes first; the bundle's apart. */
function exported(): { entries: Map<string, string[]>; bundle: string[] } {
  const { exports } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));
  const names = Object.keys(exports).filter((entry) => !entry.endsWith('.json'));
  const fileOf = (entry: string) => resolve(ROOT, 'src', `${entry === '.' ? 'index' : entry.slice(2)}.ts`);
  const config = ts.readConfigFile(resolve(ROOT, 'tsconfig.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(names.map(fileOf), options);
  const checker = program.getTypeChecker();
  const of = (entry: string) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(fileOf(entry))!)!).map(({ name }) => name);
  const seen = new Set<string>();
  const entries = new Map<string, string[]>();
  for (const entry of names.filter((name) => name !== './bundle')) {
    const own = of(entry).filter((name) => !seen.has(name));
    for (const name of own) seen.add(name);
    entries.set(entry, own.sort());
  }
  return { entries, bundle: of('./bundle') };
}

test('the document lists every name that the package exports, once, as stable or as experimental', () => {
  const { entries, bundle } = exported();
  const [stable, experimental] = [listed('Stable'), listed('Experimental')];
  for (const [entry, names] of entries) {
    const both = [...(stable.get(entry) ?? []), ...(experimental.get(entry) ?? [])];
    expect(both.sort(), entry).toEqual(names);
  }
  const known = [...stable.keys(), ...experimental.keys()];
  expect(known.filter((entry) => !entries.has(entry))).toEqual([]);
  const pages = ['.', './cpu', './viewer', './element'].flatMap((entry) => entries.get(entry)!);
  expect(bundle.filter((name) => !pages.includes(name))).toEqual([]);
  expect(stable.get('.')).toContain('createSimulation');
});
