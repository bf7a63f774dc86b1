import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { analyseCommand } from '../../src/cli/commands/analyse';
import { newFolder } from '../support/folder';
import { FALL } from './support';

const CUP = { name: 'cup', material: 'glass', cylinder: { point: [0, 0, 5], axis: [0, 0, -2], radius: 1, side: 'inside' } };
const ROWS = ['0 0 0.5 0.4', '0.5 0 1.1 0.4', '-0.5 0.2 1.9 0.4', '0 0 3.5 0.4'];

/** Prints what is told of a run that has left these grains. */
async function analysed(scene: object, options: Parameters<typeof analyseCommand>[1], rows = ROWS): Promise<string> {
  const folder = newFolder();
  mkdirSync(join(folder, 'frames'));
  const grains = `${rows.length}\nProperties=pos:R:3:radius:R:1\n${rows.join('\n')}\n`;
  writeFileSync(join(folder, 'frames', 'grains-000020.xyz'), grains);
  writeFileSync(join(folder, 'scene.json'), JSON.stringify({ ...FALL, ...scene }));
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(await analyseCommand(folder, { quiet: true, ...options })).toBe(0);
    return write.mock.calls.map(([text]) => text).join('');
  } finally {
    write.mockRestore();
  }
}

const spun = (motion: object) => ({ walls: [...FALL.walls, { ...CUP, motion }] });

test('the region of a run in a round container is the cylinder, as far as there are grains', async () => {
  const walls = [...FALL.walls, CUP];
  const { region, volumeFraction, coordination } = JSON.parse(await analysed({ walls }, { json: true }));
  expect(region).toMatchObject({ kind: 'cylinder', axis: [0, 0, -1], radius: 1 });
  expect(region.point[2]).toBeCloseTo(3.5, 6);
  expect(region.height).toBeCloseTo(3, 6);
  // Two grains are whole, and the halves of two.
  expect(volumeFraction).toBeCloseTo((3 * (4 / 3) * 0.4 ** 3) / 3, 5);
  // The last of the four centres touches nothing.
  expect(coordination.rattlers).toBe(4);
  for (const scene of [{ walls }, spun({ angularVelocity: [0, 0, 3], velocity: [0, 0, 1] })]) {
    const told = await analysed(scene, {});
    expect(told).toMatch(
      /^region +cylinder at \(0, 0, 3\.5\) along \(0, 0, -1\), radius 1, height 3, in the wall "cup": 4 grains$/m,
    );
    expect(told).not.toMatch(/is round/);
  }
});

test('in a periodic box it is as high as the period', async () => {
  const periodic = { axes: 'z', min: [-9, -9, 0], max: [9, 9, 4] };
  const { region } = JSON.parse(await analysed({ walls: [CUP], periodic }, { json: true }));
  expect(region).toEqual({ kind: 'cylinder', point: [0, 0, 4], axis: [0, 0, -1], radius: 1, height: 4 });
});

test.each<[string, object, string[]?]>([
  ['moves', spun({ velocity: [0.1, 0, 0] })],
  ['turns about another axis', spun({ angularVelocity: [0, 0, 1], point: [1, 0, 0] })],
  ['shakes', spun({ oscillation: { amplitude: [0.1, 0, 0], frequency: 1 } })],
  ['is taken away', { walls: [...FALL.walls, CUP], events: [{ when: { step: 5 }, removeWalls: ['cup'] }] }],
  ['has another in it', { walls: [CUP, { ...CUP, name: 'pin', cylinder: { ...CUP.cylinder, radius: 0.1, side: 'outside' } }] }],
  ['has grains beside it', { walls: [...FALL.walls, CUP] }, [...ROWS, '3 0 0.5 0.4']],
])('a round wall that %s is told, and the region is the box', async (_, scene, rows) => {
  const told = await analysed(scene, {}, rows);
  expect(told).toMatch(
    /^region +box .*\nhint +the box is not the container, as the wall "cup" is round: choose the region by --cylinder$/m,
  );
  expect(await analysed(scene, { box: '-1,-1,0,1,1,4' }, rows)).not.toMatch(/is round/);
});
