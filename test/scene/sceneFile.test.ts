import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { loadSceneFile } from '../../src/node/sceneFile';
import { parseJson } from '../../src/scene/jsonText';
import { applyOverrides } from '../../src/scene/override';
import { newFolder } from '../support/folder';
import { expectFault, faultsOf, sceneWith } from '../support/scenes';

afterEach(() => vi.restoreAllMocks());

const folder = newFolder();

async function sceneFile(text: string): Promise<string> {
  const path = join(folder, 'scene.json');
  await writeFile(path, text);
  return path;
}

test('reads a scene and the grain files beside it', async () => {
  await mkdir(join(folder, 'data'), { recursive: true });
  await writeFile(join(folder, 'data/a.csv'), 'x,y,z,radius\n0,0,5,1\n');
  const path = await sceneFile(JSON.stringify(sceneWith({ grains: [{ material: 'glass', file: 'data/a.csv' }] })));
  const { scene, problem } = await loadSceneFile(path);
  expect(scene.solver.momentum).toBe(0.9);
  expect([...problem.grains.positions]).toEqual([0, 0, 5]);
});

test('names the grain file that is not there, and where it was looked for', async () => {
  const path = await sceneFile(JSON.stringify(sceneWith({ grains: [{ material: 'glass', file: 'data/b.csv' }] })));
  const faults = await faultsOf(() => loadSceneFile(path));
  expect(faults).toEqual([
    { path: 'grains[0].file', message: `cannot read "data/b.csv": there is no such file (${join(folder, 'data/b.csv')})` },
  ]);
});

test('reads no file that is not in the folder of the scene, unless that is allowed', async () => {
  await mkdir(join(folder, 'inner'), { recursive: true });
  await writeFile(join(folder, 'outer.csv'), 'x,y,z,radius\n0,0,5,1\n');
  await writeFile(join(folder, 'inner/..inner.csv'), 'x,y,z,radius\n0,0,5,1\n');
  await symlink(join(folder, 'outer.csv'), join(folder, 'inner/link.csv'));
  const path = join(folder, 'inner/scene.json');
  const outside = ['../outer.csv', join(folder, 'outer.csv'), 'a/../../outer.csv', 'link.csv', '../none.csv'];
  for (const file of outside) {
    await writeFile(path, JSON.stringify(sceneWith({ grains: [{ material: 'glass', file }] })));
    await expectFault(() => loadSceneFile(path), 'grains[0].file', /it is not in the folder of the scene.*--allow-outside/);
    if (file === '../none.csv')
      await expectFault(() => loadSceneFile(path, { allowOutside: true }), 'grains[0].file', /no such file/);
    else expect((await loadSceneFile(path, { allowOutside: true })).problem.grains.count).toBe(1);
  }
  await writeFile(path, JSON.stringify(sceneWith({ grains: [{ material: 'glass', file: '..inner.csv' }] })));
  expect((await loadSceneFile(path)).problem.grains.count).toBe(1);
});

test('meshes too stay in the folder of the scene', async () => {
  const path = join(folder, 'meshed.json');
  const walls = [{ name: 'm', material: 'glass', mesh: { file: '../m.stl' } }];
  await writeFile(
    path,
    JSON.stringify(sceneWith({ walls, events: [{ when: { step: 1 }, addWalls: [{ ...walls[0], name: 'n' }] }] })),
  );
  const faults = await faultsOf(() => loadSceneFile(path));
  expect(faults.map((fault) => fault.path)).toContain('walls[0].mesh.file');
  expect(faults[0].message).toMatch(/not in the folder of the scene/);
});

test('names the scene that is not there', () => {
  const path = join(folder, 'none.json');
  return expectFault(() => loadSceneFile(path), path, /cannot read the scene: there is no such file/);
});

test('a pipe is no scene, and is not waited for', async () => {
  const pipe = join(newFolder(), 'pipe.json');
  execFileSync('mkfifo', [pipe]);
  await expectFault(() => loadSceneFile(pipe), pipe, /it is a pipe or a device; give a file/);
});

test('a folder is no scene', () => expectFault(() => loadSceneFile(folder), folder, /it is a folder/));

test('warns of more grains than the memory that is free holds, those of events too', async () => {
  const lattice = { count: [10, 10, 1], spacing: 3, origin: [0, 0, 2], radius: 1 };
  const grains = [{ material: 'glass', lattice }];
  const path = join(folder, 'memory.json');
  await writeFile(
    path,
    JSON.stringify(
      sceneWith({
        grains,
        events: [{ when: { step: 1 }, insert: [{ material: 'glass', lattice: { ...lattice, origin: [0, 0, 9] } }] }],
      }),
    ),
  );
  const free = vi.spyOn(process, 'availableMemory').mockReturnValue(200 * 2500);
  expect((await loadSceneFile(path)).problem.warnings).toEqual([]);
  free.mockReturnValue(199 * 2500);
  const told = /^a run of 200 grains on the CPU takes about 0\.000466 GiB .* 0\.000463 GiB are free now: the system may end it/;
  expect((await loadSceneFile(path)).problem.warnings).toEqual([expect.stringMatching(told)]);
});

test('sets values before the scene is validated', async () => {
  const path = await sceneFile(JSON.stringify(sceneWith()));
  const set = ['solver.order=random', 'steps=3', 'grains[0].list[0].radius=0.5', 'contacts.1.friction=0.9', 'title=a=b'];
  const { scene } = await loadSceneFile(path, { set });
  expect(scene).toMatchObject({
    solver: { order: 'random' },
    steps: 3,
    grains: [{ list: [{ radius: 0.5 }] }],
    contacts: [{ friction: 0.3 }, { friction: 0.9 }],
    title: 'a=b',
  });
  expect((await loadSceneFile(path, { set: { 'output.every': '5' } })).scene.output.every).toBe(5);
});

test('a path that the scene does not know is a fault like any other', async () => {
  const path = await sceneFile(JSON.stringify(sceneWith()));
  await expectFault(() => loadSceneFile(path, { set: ['solver.ordre=random'] }), 'solver.ordre', /did you mean "order"/);
  await expectFault(() => loadSceneFile(path, { set: ['steps=many'] }), 'steps', /got "many"/);
});

test('a value set from outside that is nested too deep is a fault', async () => {
  const path = await sceneFile(JSON.stringify(sceneWith()));
  await expectFault(() => loadSceneFile(path, { set: [`colour=${'['.repeat(5000)}${']'.repeat(5000)}`] }), '', /100 deep/);
});

describe('values set from outside', () => {
  test.each([
    ['steps', 'steps', /path=value/],
    ['a..b=1', 'a..b', /is no path/],
    ['=1', '=1', /path=value/],
    ['grains[x]=1', 'grains[x]', /is no path/],
    ['grains[3]=1', 'grains[3]', /has 1 entries; the next would be \[1\]/],
    ['grains.x=1', 'grains.x', /no place in a list/],
    ['a["\\q"].b=1', 'a["\\q"].b', /is no path/],
    ['a["b\tc"]=1', 'a["b\tc"]', /is no path/],
    ['steps.x=1', 'steps.x', /which has nothing inside/],
  ])('refuses %s', (entry, path, message) => expectFault(() => applyOverrides(sceneWith(), [entry]), path, message));

  test('reaches names with blanks and dots, and leaves the original alone', () => {
    const scene = { materials: { 'fine.sand': { density: 1 } } };
    expect(applyOverrides(scene, ['materials["fine.sand"].density=2'])).toEqual({ materials: { 'fine.sand': { density: 2 } } });
    expect(scene.materials['fine.sand'].density).toBe(1);
  });

  test('takes JSON where it parses, else a text', () => {
    expect(applyOverrides({}, ['a=[0, 0, 1]', 'b=true', 'c=x y', 'd={"e": null}', 'f[0]=1'])).toEqual({
      a: [0, 0, 1],
      b: true,
      c: 'x y',
      d: { e: null },
      f: [1],
    });
  });
});

describe('text that is no JSON', () => {
  test.each([
    ['cut short', '{\n  "a": [1, 2', 'line 2, column 13', /the file ends here.*\] } still to be closed/],
    ['cut in a text', '{"a": "b', 'line 1, column 7', /is the text closed/],
    ['empty', '', 'line 1, column 1', /the file ends here/],
    ['a comma too many', '{\n "a": 1,\n}', 'line 3, column 1', /remove the comma before it/],
    ['a comma too many in a list', '[1, ]', 'line 1, column 5', /remove the comma before it/],
    ['no comma', '{"a": 1 "b": 2}', 'line 1, column 9', /expected "," or "}"/],
    ['no colon', '{"a" 1}', 'line 1, column 6', /":" after the key/],
    ['a key without quotes', '{a: 1}', 'line 1, column 2', /a key in double quotes, got "a"/],
    ['a comment', '{\n  // why\n "a": 1}', 'line 2, column 3', /comments are not allowed/],
    ['NaN', '{"a": NaN}', 'line 1, column 7', /expected a value, got "NaN"/],
    ['a number with a leading zero', '{"a": 012}', 'line 1, column 7', /expected a value, got "012"/],
    ['something after the end', '{} {}', 'line 1, column 4', /expected the end of the file/],
    ['lists that end in no end', '['.repeat(5000), 'line 1, column 101', /more than 100 deep/],
    ['lists nested too deep', `{"a": ${'['.repeat(100)}1${']'.repeat(100)}}`, 'line 1, column 106', /more than 100 deep/],
    ['a key twice, once with escapes', '{"steps": 1, "\\u0073teps": 2}', 'line 1, column 14', /"steps" is given twice/],
    ['a key twice', '{"a": {"b": 1,\n "b": 2}}', 'line 2, column 2', /"b" is given twice/],
  ])('is refused with its line and column: %s', (_, text, place, message) =>
    expectFault(() => parseJson('s.json', text), `s.json ${place}`, message),
  );

  test.each([
    '{}',
    '[]',
    ' {"a": [], "b": {"a": [1, -2.5e-3, true, false, null, "x\\"\\u00e9"]}, "c": {}} \n',
    '3',
    '"x"',
    '['.repeat(100) + ']'.repeat(100),
    '\uFEFF[1]',
  ])('takes what is JSON: %s', (text) => expect(parseJson('s.json', text)).toEqual(JSON.parse(text.replace('\uFEFF', ''))));
});
