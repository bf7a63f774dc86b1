import { expect, test } from 'vitest';
import { formatNumber } from '../../src/page/formatNumber';
import { runDemo } from '../support/demos';

/** What Beverloo's law gives, as a reading says beside the measured rate. */
const lawOf = (readings: { label: string; expected?: string }[]) =>
  Number.parseFloat(readings.find(({ label }) => label === 'Rate of flow')!.expected!);

test('pour: the scales show the weight once all lies', async () => {
  const { reading } = await runDemo('pour', 40, 900, { duration: 0.6, restitution: 0 }, 100);
  expect(reading('Marbles')).toBe(40);
  expect(reading('On the scales') / reading('Weight poured')).toBeCloseTo(1, 2);
});

test('pile: stands with rolling friction, spreads without', async () => {
  const stands = await runDemo('pile', 50, 800, { duration: 1, rolling: 0.4 }, 100);
  const spreads = await runDemo('pile', 50, 800, { duration: 1, rolling: 0 }, 100);
  expect(stands.reading('Slope')).toBeGreaterThan(15);
  expect(spreads.reading('Slope')).toBeLessThan(5);
  // What still falls is no heap.
  const slopes = stands.data[1][1].filter((slope) => slope !== null);
  expect(slopes.length).toBeGreaterThan(3);
  expect(Math.max(...slopes)).toBeLessThan(45);
  expect(spreads.reading('Off the table')).toBeGreaterThan(10 * stands.reading('Off the table'));
});

test('drum: the surface takes a slope, and the colours mix', async () => {
  const { reading, data } = await runDemo('drum', 80, 280, { speed: 50 }, 20);
  expect(reading('Slope')).toBeGreaterThan(15);
  expect(reading('Slope')).toBeLessThan(50);
  const [, mixed] = data[1];
  expect(reading('Mixed')).toBeGreaterThan(2 * mixed[1]!);
});

test("hopper: flows as Beverloo's law says, and jams where the opening is small", async () => {
  const flows = await runDemo('hopper', 100, 600);
  expect(flows.reading('Rate of flow') / lawOf(flows.readings)).toBeGreaterThan(0.7);
  expect(flows.reading('Rate of flow') / lawOf(flows.readings)).toBeLessThan(1.4);
  const jams = await runDemo('hopper', 40, 500, { opening: 15 }, 25);
  expect(jams.reading('Rate of flow')).toBeLessThan(0.02 * flows.reading('Rate of flow'));
});

test('silo: the rate of flow is near that of Beverloo while the hole is covered', async () => {
  const { data, readings } = await runDemo('silo', 200, 400);
  const [, measured] = data[0];
  const fastest = Math.max(...measured.map((rate) => rate ?? 0));
  expect(fastest / lawOf(readings)).toBeGreaterThan(0.45);
  expect(fastest / lawOf(readings)).toBeLessThan(1.4);
});

test('chains: strong contacts turn with the load', async () => {
  const { data } = await runDemo('chains', 100, 240, { hold: 120, difference: 0.3 });
  const [, lie] = data[1];
  expect(lie[11]).toBeGreaterThan(0.15);
  expect(lie.at(-1)).toBeLessThan(-0.15);
});

test('couette: the speed falls off steeply from the wheel', async () => {
  const { data, reading } = await runDemo('couette', 150, 350, {});
  const [, speeds] = data[0];
  expect(speeds[0]).toBeGreaterThan(0.3);
  expect(speeds[3]! / speeds[0]!).toBeLessThan(0.3);
  expect(reading('Width of the band')).toBeLessThan(3);
});

test('powder: torques at the contacts keep it open', async () => {
  const dense = await runDemo('powder', 40, 260, {}, 130);
  const open = await runDemo('powder', 40, 260, { rolling: 1, torsion: 1 }, 130);
  expect(dense.reading('Porosity')).toBeLessThan(0.63);
  expect(open.reading('Porosity')).toBeGreaterThan(0.8);
});

test('piston: a single file rings as theory says, a packing faster by the root of the sweeps', async () => {
  const file = await runDemo('piston', 16, 500, { arrangement: 'single file' }, 100);
  const theory = file.readings.find(({ label }) => label === 'Frequency')!.expected!;
  expect(file.reading('Frequency') / Number.parseFloat(theory)).toBeCloseTo(1, 1);
  const [few, more] = [
    await runDemo('piston', 60, 500, { sweeps: 6 }, 100),
    await runDemo('piston', 60, 500, { sweeps: 12 }, 100),
  ];
  expect(more.reading('Frequency') / few.reading('Frequency')).toBeGreaterThan(1.25);
  expect(more.reading('Frequency') / few.reading('Frequency')).toBeLessThan(1.6);
});

test('array: the three modes of 30 disks are as long as they should be', async () => {
  const { reading } = await runDemo('array', 30, 250);
  expect([reading('Roll'), reading('Slide'), reading('Turn')]).toEqual([9, 2, 19]);
  expect(reading('Friction of the whole')).toBeCloseTo(0.086818, 5);
});

test('million: the tray bears the weight', async () => {
  const { reading, readings } = await runDemo('million', 200, 150, {}, 50);
  const weight = Number.parseFloat(readings.find(({ label }) => label === 'On the tray')!.expected!);
  expect(reading('On the tray') / weight).toBeCloseTo(1, 1);
});

test('numbers are shown with three digits', () => {
  const shown = [null, 0, 3, 0.08682, 12.345, 1234.5, 1e6, 3.3e-11, -2.5e9, Number.NaN].map(formatNumber);
  expect(shown).toEqual(['–', '0', '3', '0.0868', '12.3', '1,235', '1,000,000', '3.3 × 10⁻¹¹', '-2.5 × 10⁹', '–']);
});

test('piston: what was measured with other numbers of sweeps stays in the plot', async () => {
  const counts = [9, 14];
  const runs = [];
  for (const sweeps of counts) runs.push(await runDemo('piston', 12, 300, { sweeps, arrangement: 'single file' }, 100));
  const [places, theory, before, now] = runs[1].data[1];
  const at = (curve: (number | null)[]) => counts.map((count) => curve[places.indexOf(count)]);
  expect(at(before)).toEqual([runs[0].reading('Frequency'), null]);
  expect(at(now)).toEqual([null, runs[1].reading('Frequency')]);
  expect(at(theory).every((frequency) => frequency! > 0)).toBe(true);
});
