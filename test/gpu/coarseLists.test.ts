import { expect, test } from 'vitest';
import { coarseCounts } from '../../shaders/coarseGrid';
import { CONTROL_CANDIDATES } from '../../shaders/control';
import { NO_COLOUR } from '../../src/cpu/colouring';
import { CpuSolver } from '../../src/cpu/solver';
import { toSystem } from '../../src/scene/units';
import { sharedDevice } from '../support/device';
import { giantsAmongSmall } from '../support/packings';
import { gpuStep, ID } from './support';

const device = sharedDevice();

test('contacts of a grain come by colour, then those that a large grain has as a hub, then those without a colour, in their order', async () => {
  const convergence = { criterion: 'residual', tolerance: 1e-2, balance: 0.05, maxIterations: 30 } as const;
  const solver = { momentum: 0.9, coarse: 'on', convergence } as const;
  const system = toSystem(giantsAmongSmall({ giants: 2, ratio: 5, piston: { mass: 3, force: 300 }, solver }));
  const cpu = new CpuSolver(system);
  await cpu.step(25);
  const from = await cpu.capture();
  from.contacts.colours.fill(NO_COLOUR);
  const step = await gpuStep(device(), system, 8, 2, Infinity, from);
  // Rounds so few that some contacts find no colour.
  step.submit((encoder) => step.pipeline.encodeContacts(encoder, from.step % 2, 2, { largeColours: 0, contactsAtOnce: [64] }));
  const [pairs, lists, schedule] = [
    await step.words('contactPairs'),
    await step.words('coarseLists'),
    await step.words('schedule'),
  ];
  const candidates = (await step.words('control'))[CONTROL_CANDIDATES];
  const colours = 32 * step.sizes.colourWords;
  const [coloured, uncoloured, ofHubs] = [schedule[1], schedule[1 + colours], schedule[2 + colours]];
  for (const length of [coloured, uncoloured - coloured, ofHubs - uncoloured, candidates - ofHubs])
    expect(length).toBeGreaterThan(10);

  const moves = (body: number) => body < system.grains && system.inverseMasses[body] > 0;
  const expected = Array.from({ length: system.grains }, (): number[][] => [[], [], []]);
  for (let k = 0; k < candidates; k++) {
    [0, 1].forEach((side) => {
      const [body, other] = [pairs[2 * k + side] & ID, pairs[2 * k + 1 - side] & ID];
      if (!moves(body)) return;
      const isHub = k >= ofHubs && system.radii[body] > system.radii[other];
      expected[body][k >= coloured && k < uncoloured ? 0 : isHub ? 1 : 2].push(2 * k + side);
    });
  }
  const sums = coarseCounts(system.grains, false);
  const sides = sums + 1 + system.grains;
  for (let grain = 0; grain < system.grains; grain++) {
    const listed = lists.subarray(sides + lists[sums + grain], sides + lists[sums + grain + 1]);
    expect([...listed]).toEqual(expected[grain].flat());
  }
});
