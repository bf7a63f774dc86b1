import { expect, test } from 'vitest';
import { oklch, THEMES } from '../../src/viewer/colours';
import { BIN_SHIFT, BINS, HISTOGRAMS } from '../../src/viewer/rows';
import { highFigure, roundUp, Scale } from '../../src/viewer/scale';
import { changed, DEFAULTS } from '../../src/viewer/settings';

test('options that are none, and values that they cannot have, are named', () => {
  expect(changed(DEFAULTS, { colourBy: 'size', clip: undefined })).toEqual({ ...DEFAULTS, colourBy: 'size' });
  const set = (options: object) => () => changed(DEFAULTS, options);
  expect(set({ colorBy: 'speed' })).toThrow(/no option "colorBy": it has colourBy/);
  expect(set({ constructor: 1 })).toThrow(/no option "constructor"/);
  expect(set({ colourBy: 'heat' })).toThrow(/colourBy cannot be "heat": give one of plain, speed/);
  expect(set({ walls: 1 })).toThrow(/walls cannot be 1: give true or false/);
  expect(set({ clip: { point: [0, 0, 0], normal: [0, 0, 0] } })).toThrow(/the normal not zero/);
  expect(set({ clip: { point: [0, 0, NaN], normal: [0, 0, 1] } })).toThrow(/three numbers each/);
});

test('colours of OKLab are those of its author, within what a screen shows', () => {
  // White, and the red of sRGB: L 0.62796, C 0.25768, h 29.234 degrees.
  expect(oklch(1, 0, 0).every((x) => x > 0.999)).toBe(true);
  const [r, g, b] = oklch(0.62796, 0.25768, 29.234);
  expect([r, g, b].map((x) => Math.round(255 * x))).toEqual([255, 0, 0]);
  expect(oklch(0.8, 0.5, 150).every((x) => x >= 0 && x <= 1)).toBe(true);
});

test('ramps become lighter all along', () => {
  const luminance = ([r, g, b]: readonly number[]) => 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2;
  for (const { ramp } of Object.values(THEMES)) {
    const steps = ramp.filter((_, k) => k % 15 === 0).map(luminance);
    for (let k = 1; k < steps.length; k++) expect(steps[k]).toBeGreaterThan(steps[k - 1]);
  }
});

test('a scale ends in a round number above most figures, and does not go to and fro', () => {
  expect([0.011, 0.1, 1.2, 63, 700].map(roundUp)).toEqual([0.015, 0.1, 1.5, 70, 700].map((x) => expect.closeTo(x, 9)));
  const scale = new Scale(0.1);
  expect([scale.follow(4.2), scale.max]).toEqual([true, 5]);
  expect([scale.follow(2), scale.max]).toEqual([false, 5]);
  expect([scale.follow(1.2), scale.max]).toEqual([true, 1.5]);
  expect([scale.follow(0), scale.max]).toEqual([true, 0.1]);
});

test('the high figure leaves out the few that are beyond', () => {
  const histograms = new Uint32Array(BINS * HISTOGRAMS.length);
  const bin = (x: number) => new Uint32Array(Float32Array.of(x).buffer)[0] >>> BIN_SHIFT;
  const start = BINS * HISTOGRAMS.indexOf('force');
  histograms[start + bin(3)] = 99;
  histograms[start + bin(1000)] = 1;
  expect(highFigure(histograms, 'force')).toBe(3.25);
  expect(highFigure(histograms, 'speed')).toBe(0);
});
