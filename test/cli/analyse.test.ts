import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { analyseCommand } from '../../src/cli/commands/analyse';
import { OutputFolder } from '../../src/cli/outputFolder';
import { runScene } from '../../src/cli/runScene';
import { SceneError } from '../../src/errors';
import { createNodeSimulation, loadSceneFile } from '../../src/node';
import { newFolder } from '../support/folder';
import { asOrdinaryUser } from '../support/user';
import { command, FALL, printed, sceneFile, shellCommand } from './support';

test('tells of a run what its last state has, as JSON, as a table and as a page', async () => {
  const folder = newFolder();
  // At rest on the floor, a grain on each: forces are weights.
  const grains = [{ material: 'glass', lattice: { count: [3, 3, 2], spacing: 1, origin: [0, 0, 0.5], radius: 0.5 } }];
  const path = sceneFile(folder, { ...FALL, title: 'Rest & <b>', grains });
  const { scene, problem } = await loadSceneFile(path);
  const out = new OutputFolder(join(folder, 'out'));
  const simulation = await createNodeSimulation(problem, { backend: 'cpu' });
  const listener = { onReport: () => {}, onWarning: () => {}, onEvent: () => {} };
  await out.prepare();
  expect((await runScene(simulation, out, new AbortController().signal, listener)).status).toBe('done');
  await out.write('scene.json', JSON.stringify(scene));

  const json = JSON.parse(await printed(out.path, { json: true, html: join(folder, 'page.html') }));
  const { contacts } = await simulation.read();
  const weight = (2500 * Math.PI * 10) / 6;
  expect(json).toMatchObject({ grains: 18, step: simulation.steps, time: 0.2, diameter: { mean: 1, min: 1, max: 1 } });
  expect(json.contacts).toBeGreaterThanOrEqual(18);
  expect(json.contacts).toBeLessThanOrEqual(contacts.count);
  // Weights are passed down: the middle layer bears one grain, the floor two.
  expect(json.stress.total[8]).toBeGreaterThan(0.5 * weight);
  expect(json.forces.mean).toBeGreaterThan(0);
  expect(json.mobilisation.contacts).toBeGreaterThanOrEqual(9);
  expect(json.region).toMatchObject({ kind: 'box' });

  let seconds = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => 1000 * seconds++);
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const cut = JSON.parse(await printed(out.path, { json: true, layers: '2', indeterminacy: '30', box: '-0.5,-0.5,0,2.5,2.5,2' }));
  clock.mockRestore();
  expect(told.mock.calls.flat().join('')).toMatch(/(^|\n)state 5 of 30 of the forces\n/);
  told.mockRestore();
  expect(cut.layers.map(({ grains: n }: { grains: number }) => n)).toEqual([9, 9]);
  expect(cut.layers[0]).toMatchObject({ from: 0, to: 1, coordination: 2 });
  expect(cut.layers[1].volumeFraction).toBeCloseTo(Math.PI / 6, 4);
  expect(cut.layers[0].stress[8]).toBeGreaterThan(2 * cut.layers[1].stress[8]);
  expect(cut.indeterminacy).toMatchObject({ samples: 30 });
  expect(cut.indeterminacy.error).toBeGreaterThanOrEqual(0);

  const layered = join(folder, 'layered.html');
  const table = await printed(out.path, { box: '-0.5,-0.5,0,2.5,2.5,2', layers: '2', html: layered });
  const borne = Number(/^layer z 0 to 1 .* stress xx \S+ yy \S+ zz (\S+)$/m.exec(table)?.[1]);
  expect(borne / cut.layers[0].stress[8]).toBeCloseTo(1, 3);
  expect(readFileSync(layered, 'utf8')).toContain('>Pressure of the layers<');
  expect(readFileSync(layered, 'utf8').match(/<svg/g)).toHaveLength(4);
  expect(table).toMatch(/volume fraction +0\.5236\n/);
  expect(table).toMatch(/force chains +/);
  const page = readFileSync(join(folder, 'page.html'), 'utf8');
  expect(page).toContain('Rest &amp; &lt;b&gt;');
  expect(page).not.toContain('<b>');
  expect(page.match(/<svg/g)).toHaveLength(2);

  for (const [options, message] of [
    [{ box: '1,2,3' }, /--box: expected 6 numbers/],
    [{ box: '0,0,0,1,1,1', cylinder: '0,0,0,0,0,1,1,1' }, /not both/],
    [{ cylinder: '0,0,0,0,0,0,1,1' }, /must not be zero/],
    [{ gap: '-1' }, /--gap: expected/],
    [{ layers: '1' }, /--layers: expected a whole number from 2/],
    [{ indeterminacy: 'many' }, /--indeterminacy: expected a whole number/],
  ] as const)
    await expect(analyseCommand(out.path, options)).rejects.toThrow(message);
  await expect(analyseCommand(newFolder(), {})).rejects.toThrow(/neither frames of grains nor checkpoints/);
  await expect(analyseCommand(path, {})).rejects.toThrow(/give the folder of a run/);
});

describe('a face-centred cubic packing, cut', () => {
  const radius = Math.SQRT2 / 4;
  /** Of 4 x 4 x 4 cells of edge 1 that repeats itself; planes of grains at heights 1/8, 5/8, ... */
  function packing(): string {
    const rows = Array.from({ length: 4 ** 3 }, (_, k) => [k % 4, Math.floor(k / 4) % 4, Math.floor(k / 16)]).flatMap(([x, y, z]) =>
      [[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]].map(
        ([a, b, c]) => `${x + a + 0.25} ${y + b + 0.25} ${z + c + 0.125} ${radius}`,
      ),
    ); // biome-ignore format: a table
    const path = join(newFolder(), 'dense.xyz');
    const head = 'Lattice="4 0 0 0 4 0 0 0 4" pbc="T T T" Properties=pos:R:3:radius:R:1';
    writeFileSync(path, `${rows.length}\n${head}\n${rows.join('\n')}\n`);
    return path;
  }
  async function figuresOf(...options: string[]) {
    const { code, stdout, stderr } = await command(['analyse', packing(), '--json', ...options]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return JSON.parse(stdout);
  }

  test('by layers: planes of grains and what is between them in turn', async () => {
    const { layers, coordination, volumeFraction } = await figuresOf('--layers', '16');
    expect(volumeFraction).toBeCloseTo(Math.PI / (3 * Math.SQRT2), 4);
    expect(coordination).toEqual({ mean: 12, withoutRattlers: 12, rattlers: 0 });
    // Slices 1/8 above and below a plane hold slices of its own grains alone: two of them on each unit of area.
    const plane = 8 * Math.PI * (radius ** 2 / 4 - 1 / 768);
    expect(layers).toHaveLength(16);
    layers.forEach((layer: Record<string, number>, k: number) => {
      expect(layer).toMatchObject({
        from: k / 4,
        to: (k + 1) / 4,
        grains: k % 2 === 0 ? 32 : 0,
        coordination: k % 2 === 0 ? 12 : null,
      });
      expect(layer.volumeFraction).toBeCloseTo(k % 2 === 0 ? plane : (2 * Math.PI) / (3 * Math.SQRT2) - plane, 4);
    });
  });

  test('by a cylinder around a row of grains that touch, and by layers of it', async () => {
    // Other rows are sqrt(3) radii away: a cylinder of 0.25 reaches none of them. It begins where two grains touch.
    const figures = await figuresOf('--cylinder', `0.5,0.5,1.125,1,1,0,0.25,${8 * radius}`, '--layers', '4');
    const filled = (4 / 3) * Math.PI * (radius ** 3 - (radius ** 2 - 0.25 ** 2) ** 1.5);
    const fraction = filled / (Math.PI * 0.25 ** 2 * 2 * radius);
    expect(figures.region).toMatchObject({ kind: 'cylinder', radius: 0.25, height: 8 * radius });
    expect(figures.volumeFraction).toBeCloseTo(fraction, 4);
    expect(figures.coordination).toEqual({ mean: 12, withoutRattlers: 12, rattlers: 0 });
    for (const layer of figures.layers) {
      expect(layer).toMatchObject({ grains: 1, coordination: 12 });
      expect(layer.volumeFraction).toBeCloseTo(fraction, 4);
    }
  });
});

test('of a file of grains, those that touch', async () => {
  const path = join(newFolder(), 'two.csv');
  writeFileSync(path, 'x,y,z,radius\n0,0,0,0.5\n1.0005,0,0,0.5\n3,0,0,0.5\n');
  expect(existsSync(path)).toBe(true);
  const json = JSON.parse(await printed(path, { json: true, box: '-1,-1,-1,4,1,1' }));
  expect(json).toMatchObject({ grains: 3, contacts: 1, stress: null, coordination: { mean: 2 / 3 } });
  await expect(analyseCommand(path, { indeterminacy: '10' })).rejects.toThrow(
    /--indeterminacy: give the folder of a run with contact/,
  );
  await expect(analyseCommand(path, { box: '5,5,5,6,6,6' })).rejects.toThrow(
    'The region holds no centre of a grain: they are in box (0, 0, 0) to (3, 0, 0).',
  );
  expect(JSON.parse(await printed(path, { json: true, gap: '1e-4', box: '-1,-1,-1,4,1,1' })).contacts).toBe(0);
});

test('hints at a region that reaches beyond the grains or is smaller than one, and tells where they are', async () => {
  const path = join(newFolder(), 'row.csv');
  writeFileSync(path, 'x,y,z,radius\n0,0,0,0.5\n1,0,0,0.5\n2,0,0.1,0.5\n');
  const where = 'the grains lie in box \\(-0\\.5, -0\\.5, -0\\.5\\) to \\(2\\.5, 0\\.5, 0\\.6\\)\\.';
  const beyond = (far: string) => `the region reaches ${far} mean diameters beyond the grains, .*: ${where}`;
  for (const [region, expected] of [
    [{ box: '-1,-1,-1,3,1,1.5' }, []],
    [{ box: '-1,-1,-1,3,1,1.7' }, [`${beyond('1\\.1')}$`]],
    [{ box: '-1000,-1000,-1000,3000,1000,1000' }, [`${beyond('3000')} Is it in their units\\?$`]],
    [{ cylinder: '-1,0,0,1,0,0,1,6' }, [`${beyond('2\\.5')}$`]],
    [{ cylinder: '0,0,-1.5,0,0,1,1,3' }, []],
    [{ box: '-0.001,-0.001,-0.001,0.001,0.001,0.001' }, [`the region is 0\\.002 mean diameters wide, .*: ${where} Is it`]],
  ] as const) {
    const { hints } = JSON.parse(await printed(path, { ...region, json: true }));
    expect(hints).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    expect((await printed(path, region)).match(/^hint /gm) ?? []).toHaveLength(expected.length);
  }
});

test.each(['frames', 'scene.json', '.'])(
  'of a run whose "%s" may not be read there are no figures made of less',
  async (part) => {
    const folder = newFolder();
    const out = join(folder, 'out');
    mkdirSync(join(out, 'frames'), { recursive: true });
    writeFileSync(join(out, 'frames', 'grains-000001.xyz'), '1\nProperties=pos:R:3:radius:R:1\n1 2 3 0.5\n');
    writeFileSync(join(out, 'scene.json'), '{}');
    chmodSync(folder, 0o755);
    chmodSync(join(out, part), 0o000);
    const why = part === '.' ? out : join(out, part);
    const analysed = asOrdinaryUser(() => analyseCommand(out, { quiet: true }));
    await expect(analysed).rejects.toThrow(new RegExp(`^${why}\\S* cannot be read: permission denied \\(EACCES\\)$`));
    const unseen = asOrdinaryUser(() => analyseCommand(join(out, 'frames', 'grains-000001.xyz'), { quiet: true }));
    await expect(unseen).rejects.toThrow(/cannot be read: .*permission denied/);
    chmodSync(join(out, part), 0o755);
  },
);

test('friction of bonds is a share of what they hold by cohesion', async () => {
  const folder = newFolder();
  const list = [
    { position: [0, 0, 0.5], radius: 0.5, fixed: true },
    { position: [0, 0, 1.5], radius: 0.5 },
  ];
  const law = { between: ['glass', 'glass'], friction: 0.5, cohesion: { force: 10, range: 0.1 } };
  // Of mass 1, it begins to roll, for which friction is 2/7 of what moves it, and presses by a thousandth of that.
  const scene = { ...FALL, gravity: [1, 0, -1e-3], timeStep: 1e-3, steps: 20, materials: { glass: { density: 6 / Math.PI } } };
  const path = sceneFile(folder, { ...scene, contacts: [law], grains: [{ material: 'glass', list }], walls: [] });
  const out = join(folder, 'out');
  expect((await command(['run', path, '--out', out, '--quiet', '--backend', 'cpu'])).code).toBe(0);
  const { mobilisation } = JSON.parse(await printed(out, { json: true, box: '-1,-1,0,1,1,2' }));
  expect(mobilisation).toMatchObject({ contacts: 1, full: 0 });
  expect(mobilisation.mean).toBeCloseTo(2 / 7 / (0.5 * 10.001), 3);
});

test('a pipe beside a frame is no contact frame, and is not waited for', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'grains-000001.xyz'), '1\nProperties=pos:R:3:radius:R:1\n1 2 3 0.5\n');
  execFileSync('mkfifo', [join(folder, 'contacts-000001.vtp')]);
  await expect(analyseCommand(join(folder, 'grains-000001.xyz'), {})).rejects.toThrow(/contacts-000001\.vtp: .*it is a pipe/);
});

test('what is not defined is null in JSON, none in the table and on the page', async () => {
  const folder = newFolder();
  const [flat, apart, page] = [join(folder, 'flat.csv'), join(folder, 'apart.csv'), join(folder, 'page.html')];
  writeFileSync(flat, 'x,y,z,radius\n0,0,0,1\n2,0,0,1\n');
  const json = JSON.parse(await printed(flat, { json: true, layers: '3', html: page }));
  expect(json.layers.at(-1)).toMatchObject({ grains: 2, volumeFraction: null });
  const written = readFileSync(page, 'utf8');
  expect(written).toMatch(/2 grains, volume fraction none, coordination 1</);
  expect(written).not.toMatch(/NaN|Infinity/);

  writeFileSync(apart, 'x,y,z,radius\n0,0,0,1\n2.1,0,0,1\n');
  expect(JSON.parse(await printed(apart, { json: true }))).toMatchObject({ contacts: 0, fabric: null });
  const table = await printed(apart, {});
  expect(table).toMatch(/^fabric +none$/m);
  expect(table).toMatch(/^hint +no pair is nearer than 0\.001 mean diameters: try --gap$/m);
  expect(await printed(apart, { gap: '0.1' })).not.toMatch(/hint|none$/m);
});

test('a page that is there is replaced with --force alone, and one that cannot be written leaves it as it was', async () => {
  const folder = newFolder();
  const [grains, page] = [join(folder, 'a.csv'), join(folder, 'page.html')];
  writeFileSync(grains, 'x,y,z,radius\n0,0,0,1\n2,0,0,1\n');
  writeFileSync(page, 'mine');
  await expect(analyseCommand(grains, { html: page })).rejects.toThrow(/page\.html is there already.*--force/);
  expect(readFileSync(page, 'utf8')).toBe('mine');
  const long = join(folder, 'none', 'page.html');
  await expect(analyseCommand(grains, { html: long })).rejects.toThrow(/Cannot write .*page\.html: the folder does not exist/);
  // Half a kilobyte is what a file may have: as where the disk is full.
  const { code, stderr } = await shellCommand(['analyse', grains, '--html', page, '--force'], '', 'trap "" XFSZ; ulimit -f 1');
  expect(stderr).toMatch(/Cannot write .*page\.html: the file would be larger/);
  expect(code).toBe(1);
  expect(readFileSync(page, 'utf8')).toBe('mine');
  expect(await printed(grains, { html: page, force: true })).toMatch(/^page +\S+page\.html$/m);
  expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
  expect(readdirSync(folder).sort()).toEqual(['a.csv', 'page.html']);
  await expect(analyseCommand(grains, { html: grains, force: true })).rejects.toThrow(/a\.csv is read and would be replaced/);
});

test('grains whose centres lie in a plane have a volume fraction in a region that is given', async () => {
  const path = join(newFolder(), 'layer.csv');
  writeFileSync(path, 'x,y,z,radius\n0,0,0.5,0.5\n1,1,0.5,0.5\n');
  expect(await printed(path, {})).toMatch(/volume fraction +none: the region is flat, choose one by --box or --cylinder\n/);
  const { volumeFraction } = JSON.parse(await printed(path, { json: true, box: '0,0,0,1,1,1' }));
  expect(volumeFraction).toBeGreaterThan(0);
});

test('disks in a file are known by their places', async () => {
  const path = join(newFolder(), 'disks.csv');
  writeFileSync(path, 'x,y,z,radius\n0,0,0,0.5\n1,1,0,0.5\n');
  const { volumeFraction } = JSON.parse(await printed(path, { json: true }));
  expect(volumeFraction).toBeCloseTo(Math.PI / 8, 10);
});

test.each([
  ['0,0,0,1e308', /line 2: the radius is 1e\+308, and figures can be made of radii from 1e-40 to 1e\+40; take units/],
  ['0,0,0,1e-308', /line 2: the radius is 1e-308/],
  ['0,0,0,1\n0,-1e308,0,1', /line 3: y is -1e\+308, and figures can be made of positions from -1e\+40 to 1e\+40/],
])('refuses a packing of which no figures can be made: %s', async (rows, message) => {
  const path = join(newFolder(), 'a.csv');
  writeFileSync(path, `x,y,z,radius\n${rows}\n`);
  await expect(analyseCommand(path, {})).rejects.toThrow(SceneError);
  await expect(analyseCommand(path, {})).rejects.toThrow(message);
});

test('figures of the sizes at the ends of what is allowed are numbers', async () => {
  for (const [x, radius] of [
    [2e-40, 1e-40],
    [1e40, 1e40],
    [1e40, 1e-40],
  ]) {
    const path = join(newFolder(), 'a.csv');
    writeFileSync(path, `x,y,z,radius\n0,0,0,${radius}\n${x},${x},${x},${radius}\n`);
    const { volumeFraction, radialDistribution } = JSON.parse(await printed(path, { json: true, layers: '2' }));
    expect(volumeFraction).toBeGreaterThanOrEqual(0);
    expect(radialDistribution.density.every(Number.isFinite)).toBe(true);
  }
  const path = join(newFolder(), 'a.csv');
  writeFileSync(path, 'x,y,z,radius\n0,0,0,1\n');
  await expect(analyseCommand(path, { box: '-1e308,0,0,1e308,1,1' })).rejects.toThrow(/--box: expected 6 numbers .*1e\+40/);
});
