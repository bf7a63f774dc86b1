import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const filesOf = (folder: string, ending: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));
const DOCUMENTS = ['README.md', 'CHANGELOG.md', ...filesOf('docs', /\.md$/)];
const SOURCES = ['src', 'shaders', 'bench', 'demo'].flatMap((folder) => filesOf(folder, /\.ts$/));

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
/** Text without its blocks of code. */
const proseOf = (file: string) => read(file).replace(/^```.*?^```$/gms, '');
const headingsOf = (file: string) => [...proseOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
/** The anchor that a heading gets where Markdown is shown. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-');

test('every link of the documents leads to a file, and to a heading where it names one', () => {
  const links = DOCUMENTS.flatMap((file) =>
    [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => ({ file, link })),
  ).filter(({ link }) => !/^https?:/.test(link));
  const broken = links.filter(({ file, link }) => {
    const [path, anchor] = link.split('#');
    const target = path === '' ? file : relative(ROOT, resolve(ROOT, dirname(file), path));
    return !existsSync(join(ROOT, target)) || (anchor !== undefined && !headingsOf(target).map(anchorOf).includes(anchor));
  });
  expect(links.length).toBeGreaterThan(50);
  expect(broken).toEqual([]);
});

test('every document is linked from another one', () => {
  const linked = DOCUMENTS.flatMap((file) =>
    [...proseOf(file).matchAll(/\]\(([^)\s#]+)/g)].map(([, path]) => relative(ROOT, resolve(ROOT, dirname(file), path))),
  );
  expect(DOCUMENTS.filter((file) => file.startsWith('docs') && !linked.includes(file))).toEqual([]);
});

test('comments in the code name documents and headings that are there', () => {
  const named = SOURCES.flatMap((file) =>
    [...read(file).matchAll(/\b(docs\/[\w/-]+\.md)(?:, "([^"]+)")?/g)].map(([, document, heading]) => ({
      file,
      document,
      heading,
    })),
  );
  const wrong = named.filter(
    ({ document, heading }) =>
      !existsSync(join(ROOT, document)) ||
      (heading !== undefined && !headingsOf(document).some((known) => known.toLowerCase() === heading.toLowerCase())),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(wrong).toEqual([]);
});

test('files and npm scripts that the documents name are there', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const wrong = DOCUMENTS.flatMap((file) => {
    const paths = [...read(file).matchAll(/\b(?:src|shaders|bench|demo|test)\/[\w/.-]*\w\.(?:ts|json|md|obj|html)\b/g)].map(
      ([path]) => path,
    );
    const names = [...read(file).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name);
    return [...paths.filter((path) => !existsSync(join(ROOT, path))), ...names.filter((name) => !(name in scripts))].map(
      (what) => `${file}: ${what}`,
    );
  });
  expect(wrong).toEqual([]);
});
