/**
 * What sweeps on the GPU take per contact update, and the rest of a step: `npx tsx bench/gpuSweeps.ts [grains ...]`.
 * The packing: equal spheres on a jittered lattice in touch, under gravity, numbered in the order of the lattice or, with
 * --shuffled, in a random one. --sweeps at once, --rounds of them, of which the fastest counts; --momentum.
 * On a software adapter times are those of the CPU, which other work on the machine disturbs less than the clock.
 */
import { parseArgs } from 'node:util';
import { isSoftwareAdapter, requestLargeDevice } from '../src/gpu/adapter';
import { Pipeline } from '../src/gpu/pipeline';
import { download } from '../src/gpu/readback';
import { chooseSizes } from '../src/gpu/sizes';
import { nodeGpu } from '../src/node/gpu';
import { randomNumbers } from '../src/scene/generators/randomNumbers';
import type { System } from '../src/scene/system';
import { toSystem } from '../src/scene/units';
import { COLOURING_ROUNDS, FIRST_COLOURING_ROUNDS, INITIAL_CANDIDATES_PER_GRAIN } from '../src/settings';
import { startOf } from '../src/snapshot';
import { makeProblem, plane } from '../test/support/problems';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sweeps: { type: 'string', default: '10' },
    momentum: { type: 'string', default: '0.9' },
    rounds: { type: 'string', default: '5' },
    shuffled: { type: 'boolean', default: false },
  },
});
const JITTER = 0.004;

function packing(count: number): System {
  const random = randomNumbers(1);
  const side = Math.ceil(Math.cbrt(count));
  const ids = Array.from({ length: count }, (_, k) => k);
  if (values.shuffled) ids.sort((a, b) => hash(a) - hash(b));
  const grains = ids.map((k) => {
    const cell = [k % side, Math.floor(k / side) % side, Math.floor(k / side ** 2)];
    const [x, y, z] = cell.map((c) => 0.5 + c + JITTER * random());
    return { position: [x, y, z] as [number, number, number], radius: 0.5 };
  });
  // More than are done: without a test of convergence.
  const iterations = Number(values.sweeps) * (Number(values.rounds) + 1);
  const solver = { momentum: Number(values.momentum), convergence: { criterion: 'fixed', iterations } };
  const floors = [
    plane([0, 0, 0], [0, 0, 1]),
    plane([0, 0, 0], [1, 0, 0]),
    plane([0, 0, 0], [0, 1, 0]),
    plane([side, 0, 0], [-1, 0, 0]),
    plane([0, side, 0], [0, -1, 0]),
  ];
  return toSystem(
    makeProblem({ grains, walls: floors, gravity: [0, 0, -1], timeStep: 0.01, friction: 0.3, solver: solver as never }),
  );
}

function hash(k: number): number {
  const h = Math.imul(k + 1, 0x9e3779b1);
  return Math.imul(h ^ (h >>> 15), 0x85ebca6b) >>> 0;
}

const adapter = await (await nodeGpu('webgpu'))?.requestAdapter();
if (!adapter) throw new Error('No WebGPU adapter');
const device = await requestLargeDevice(adapter);
const software = isSoftwareAdapter(adapter.info);

/** Milliseconds that what is encoded takes, of the CPU or of the clock. */
async function time(encode: (encoder: GPUCommandEncoder) => void): Promise<number> {
  const encoder = device.createCommandEncoder();
  encode(encoder);
  const [clock, cpu] = [performance.now(), process.cpuUsage()];
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  const { user, system } = process.cpuUsage(cpu);
  return software ? (user + system) / 1000 : performance.now() - clock;
}

async function words(buffer: GPUBuffer): Promise<Uint32Array> {
  return new Uint32Array((await download(device, [{ buffer, bytes: buffer.size }]))[0]);
}

async function measure(count: number) {
  const system = packing(count);
  const from = startOf(system);
  const candidates = Math.ceil(INITIAL_CANDIDATES_PER_GRAIN * count) + 256;
  const pipeline = await Pipeline.create(device, system, chooseSizes(system, { ...from, candidates }), from, false);
  let plan = { largeColours: 0, contactsAtOnce: [count] };
  await time((encoder) => pipeline.encodeContacts(encoder, 0, FIRST_COLOURING_ROUNDS, plan));
  const [control, schedule] = [await words(pipeline.buffers.get('control')), await words(pipeline.buffers.get('schedule'))];
  plan = {
    largeColours: control[7],
    contactsAtOnce: Array.from({ length: control[6] }, (_, colour) => schedule[colour + 1] - schedule[colour]),
  };
  const sweeps = Number(values.sweeps);
  const times: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    times.push(await time((encoder) => pipeline.encodeSweeps(encoder, 0, round * sweeps, sweeps, plan)));
  }
  // A second step over the same candidates: colours are carried over.
  const contacts = await time((encoder) => pipeline.encodeContacts(encoder, 1, COLOURING_ROUNDS, plan));
  const figures = {
    ...{ grains: count, candidates: control[5], colours: control[6], contactsStages: Math.round(contacts) },
    sweep: Math.round((100 * Math.min(...times)) / sweeps) / 100,
    nsPerUpdate: Math.round((1e7 * Math.min(...times)) / sweeps / control[5]) / 10,
    bytesPerGrain: Math.round(pipeline.bytes / count),
  };
  pipeline.dispose();
  return figures;
}

for (const count of positionals.length > 0 ? positionals.map(Number) : [1000, 10_000, 100_000]) {
  console.log(JSON.stringify(await measure(count)));
}
process.exit(0);
