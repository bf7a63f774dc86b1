import { expect, test } from 'vitest';
import { demos } from '../../demo/demos/index';
import { fromHash, startOf, toHash } from '../../demo/shell/link';
import type { Vector } from '../../src/index';
import { demoOf } from '../support/demos';

const COLOURS = ['plain', 'speed', 'force'];
const read = (hash: string) => fromHash(hash, demos, COLOURS);

test('a link holds what differs from how a demo begins, and gives it back', () => {
  const pile = demoOf('pile');
  expect(toHash(startOf(pile), pile)).toBe('#pile');
  const state = {
    ...startOf(pile),
    values: { ...startOf(pile).values, rolling: 0, duration: 2 },
    grains: 77,
    backend: 'cpu' as const,
    colourBy: 'force',
    forceChains: true,
    walls: false,
    paused: true,
    clip: { point: [0, 0.25, -1e-3] as Vector, normal: [0, 1, 0] as Vector },
    camera: { position: [0.1, -0.5, 0.30001] as Vector, target: [0, 0, 0.05] as Vector, zoom: 1 },
  };
  const { state: back, demo, ignored } = read(toHash(state, pile));
  expect(back).toEqual(state);
  expect(demo).toBe(pile);
  expect(ignored).toEqual([]);
});

test('words with blanks come back', () => {
  const piston = demoOf('piston');
  const state = { ...startOf(piston), values: { ...startOf(piston).values, arrangement: 'single file' } };
  expect(read(toHash(state, piston)).state).toEqual(state);
});

test('what a link cannot mean is told and passed over', () => {
  const { state, ignored } = read(
    '#pile?rolling=9&friction=x&duration=&grains=-3&colour=pink&constructor=1&chains=2&backend=tpu&camera=0,0,0,0,0,0,1&clip=1,2,3&paused=yes',
  );
  expect(state).toEqual(startOf(demoOf('pile')));
  expect(ignored).toHaveLength(11);
  expect(read('#volcano').demo).toBe(demos[0]);
  expect(read('#volcano').ignored).toEqual(['there is no demo "volcano"']);
  expect(read('').ignored).toEqual([]);
});
