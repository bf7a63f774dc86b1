import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CpuSolver } from '../src/cpu/solver';
import { openCpu } from '../src/cpuBackend';
import {
  BackendError,
  CapacityError,
  createSimulation,
  NumericalError,
  type Problem,
  SceneError,
  type SceneInput,
  type StepReport,
} from '../src/index';
import { createNodeSimulation } from '../src/node';
import { toSystem } from '../src/scene/units';
import { pouring } from './support/packings';
import { makeProblem } from './support/problems';
import { sceneWith } from './support/scenes';

const cpu = { backend: 'cpu' } as const;
const fall = (): Problem =>
  pouring({ count: 30, radii: [0.5, 0.5], solver: { convergence: { criterion: 'fixed', iterations: 5 } } });

describe('createSimulation', () => {
  test('takes a scene as it is written', async () => {
    const simulation = await createSimulation(sceneWith({ gravity: [0, 0, -10], timeStep: 0.01 }), cpu);
    expect(simulation).toMatchObject({ backend: 'cpu', adapter: null, softwareAdapter: false, gpuMemoryBytes: 0, steps: 0 });
    const [report] = await simulation.step();
    expect(report.momentum[2]).toBeCloseTo(-2500 * (4 / 3) * Math.PI * 0.1, 6);
    const { positions, velocities } = await simulation.read();
    expect(velocities[2]).toBeCloseTo(-0.1, 12);
    expect(positions[2]).toBeCloseTo(2 - 0.001, 12);
  });

  test('says what the grains take where the main memory does not hold them, at the start and in a step', async () => {
    const told =
      /main memory that is free does not hold 30 grains, which take about 0\.000070 GiB, 2500 bytes each: about 15 grains would fit/;
    const noMemory = () => {
      throw new RangeError('Array buffer allocation failed');
    };
    onTestFinished(() => void vi.restoreAllMocks());
    const simulation = await createSimulation(fall(), cpu);
    const step = vi.spyOn(CpuSolver.prototype, 'step').mockImplementation(async () => noMemory());
    await expect(simulation.step()).rejects.toThrow(told);
    await expect(simulation.step()).rejects.toThrow(CapacityError);
    step.mockImplementation(async () => {
      throw new RangeError('another');
    });
    await expect(simulation.step()).rejects.toThrow(/^another$/);
    step.mockRestore();
    const system = toSystem(fall());
    vi.stubGlobal(
      'Float64Array',
      new Proxy(Float64Array, { construct: (type, args) => (args[0] === 90 ? noMemory() : Reflect.construct(type, args)) }),
    );
    await expect(openCpu(system, cpu).finally(() => vi.unstubAllGlobals())).rejects.toThrow(told);
  });

  test('in a page reads files of grains piece by piece, and no more of one that is wrong', async () => {
    const rows =
      'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\nITEM: ATOMS x y z radius\n0 0 1 0.5\n';
    const scene = (file: string) => sceneWith({ grains: [{ material: 'glass', file }] });
    let [text, pulled, cancelled] = ['', 0, false];
    /** Bytes of a text one by one; without an end they are blank lines. */
    const body = (endless: boolean) =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (pulled < text.length || endless) controller.enqueue(Uint8Array.of(text.charCodeAt(pulled++) || 65));
            else controller.close();
          },
          cancel() {
            cancelled = true;
          },
        },
        { highWaterMark: 0 },
      );
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal('location', {});
    vi.stubGlobal('fetch', async (path: string) =>
      /none/.test(path) ? new Response('', { status: 404 }) : new Response(body(/endless/.test(path))),
    );
    text = rows;
    expect((await createSimulation(scene('grains.dump'), cpu)).problem.grains.positions).toEqual(Float64Array.of(0, 0, 1));
    [text, pulled] = ['no dump\n', 0];
    await expect(createSimulation(scene('endless.dump'), cpu)).rejects.toThrow(/endless\.dump line 1: is not a text dump/);
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThan(100);
    await expect(createSimulation(scene('none.dump'), cpu)).rejects.toThrow(/404/);
    await expect(createSimulation(scene('a.h5'), cpu)).rejects.toThrow(/checkpoints can be read in Node alone/);
  });

  test('a file of several frames is fetched, or asked for, once', async () => {
    const frame = (z: number) =>
      `ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\nITEM: ATOMS x y z radius\n0 0 ${z} 0.5\n`;
    const scene = sceneWith({ grains: [{ material: 'glass', file: 'grains.dump' }] });
    const readText = vi.fn(async () => frame(1) + frame(2) + frame(3));
    const fetchFile = vi.fn(async () => new Response(await readText()));
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal('location', {});
    vi.stubGlobal('fetch', fetchFile);
    for (const options of [cpu, { ...cpu, readText }])
      expect((await createSimulation(scene, options)).problem.grains.positions).toEqual(Float64Array.of(0, 0, 3));
    expect([fetchFile.mock.calls.length, readText.mock.calls.length]).toEqual([1, 2]);
  });

  test('refuses a scene that is not one', async () => {
    await expect(createSimulation(sceneWith({ timeStep: -1 }), cpu)).rejects.toThrow(SceneError);
  });

  test('says what is wrong with what is no scene at all', async () => {
    const cyclic: Record<string, unknown> = { ...sceneWith() };
    cyclic.title = [cyclic];
    let diamonds: unknown = 1;
    for (let k = 0; k < 200; k++) diamonds = [diamonds, diamonds];
    const pairs = [0, 1].map(() => ({ between: [Symbol('a'), Object.create(null)] }));
    const odd = [sceneWith({ steps: 10n }), sceneWith({ title: { x: 10n } }), sceneWith({ title: () => '' })];
    for (const scene of [undefined, null, 7, 'scene', [], cyclic, diamonds, sceneWith({ contacts: pairs }), ...odd]) {
      await expect(createSimulation(scene as SceneInput, cpu)).rejects.toThrow(SceneError);
    }
    await expect(createSimulation(cyclic as SceneInput, cpu)).rejects.toThrow(/contains itself/);
  });

  test.each([createSimulation, createNodeSimulation])('refuses a backend that there is not', async (create) => {
    const choice = { backend: 'foo' as 'cpu' };
    await expect(create(fall(), choice)).rejects.toThrow('There is no backend "foo": choose "auto", "webgpu" or "cpu"');
  });

  test('names the file for which readText gives no text, or throws', async () => {
    const scene = sceneWith({ grains: [{ material: 'glass', file: 'two.csv' }] });
    const readers = [() => undefined, async () => new Uint8Array(3), () => Promise.reject(new Error('gone'))];
    for (const readText of readers) {
      const refused = createSimulation(scene, { ...cpu, readText: readText as unknown as () => Promise<string> });
      await expect(refused).rejects.toThrow(/^grains\[0\]\.file: cannot read "two\.csv": /);
      await expect(refused).rejects.toThrow(SceneError);
    }
  });

  test('reads grain files through readText', async () => {
    const scene = sceneWith({ grains: [{ material: 'glass', file: 'two.csv' }] });
    const readText = async (path: string) => `x,y,z,radius\n0,0,1,1\n0,0,${path === 'two.csv' ? 3 : 9},1\n`;
    const { positions } = await (await createSimulation(scene, { ...cpu, readText })).read();
    expect(positions[5]).toBeCloseTo(3, 12);
  });

  test('without a GPU, auto is the CPU and webgpu an error', async () => {
    const noAdapter = { requestAdapter: async () => null } as unknown as GPU;
    expect((await createSimulation(fall(), { gpu: noAdapter })).backend).toBe('cpu');
    await expect(createSimulation(fall(), { gpu: noAdapter, backend: 'webgpu' })).rejects.toThrow(BackendError);
  });

  test('auto does not take a software adapter', async () => {
    const info = { vendor: 'google', architecture: 'swiftshader', device: '', description: '' };
    const software = { requestAdapter: async () => ({ info }) } as unknown as GPU;
    expect((await createSimulation(fall(), { gpu: software })).backend).toBe('cpu');
  });

  test('the random sweep runs on the CPU only', async () => {
    const problem = fall();
    problem.solver.sweep = 'random';
    await expect(createSimulation(problem, { backend: 'webgpu' })).rejects.toThrow(/"random" runs on the CPU only/);
    const neverAsked = { requestAdapter: () => Promise.reject(new Error('asked')) } as unknown as GPU;
    expect((await createSimulation(problem, { gpu: neverAsked })).backend).toBe('cpu');
  });
});

describe('a simulation', () => {
  test('hands each report to the caller as it comes and gives them all', async () => {
    const simulation = await createSimulation(fall(), cpu);
    const seen: StepReport[] = [];
    const reports = await simulation.step(5, (report) => {
      seen.push(report);
      expect(simulation.steps).toBe(report.step);
    });
    expect(seen).toEqual(reports);
    expect(reports).toHaveLength(5);
  });

  test('stops after the step in progress when the signal aborts', async () => {
    const controller = new AbortController();
    const simulation = await createSimulation(fall(), { ...cpu, signal: controller.signal });
    const reports = await simulation.step(100, ({ step }) => {
      if (step === 3) controller.abort();
    });
    expect(reports).toHaveLength(3);
    expect(await simulation.step(2)).toEqual([]);
    expect((await simulation.read()).step).toBe(3);
  });

  test.each([-1, 1.5, Number.NaN, Infinity, '3', null])('refuses to do %s steps', async (count) => {
    const simulation = await createSimulation(fall(), cpu);
    await expect(simulation.step(count as number)).rejects.toThrow(RangeError);
    expect(await simulation.step(0)).toEqual([]);
    expect((await simulation.read()).step).toBe(0);
  });

  test('counts its steps as its state does, also where a listener throws', async () => {
    const simulation = await createSimulation(fall(), cpu);
    const { solver } = Reflect.get(simulation, 'open') as { solver: CpuSolver };
    // As a GPU does that has begun a step when the listener throws.
    const failing = simulation.step(1, () => {
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    await solver.step(1);
    const state = await simulation.read();
    expect([state.step, simulation.steps]).toEqual([2, 2]);
  });

  test('lets timers run during many steps, so that a signal can come from outside', async () => {
    const controller = new AbortController();
    const simulation = await createSimulation(fall(), { ...cpu, signal: controller.signal });
    setTimeout(() => controller.abort(), 1);
    expect((await simulation.step(1_000_000)).length).toBeLessThan(1_000_000);
  });

  test('does one thing at a time, and nothing once disposed', async () => {
    const simulation = await createSimulation(fall(), cpu);
    const running = simulation.step(3);
    await expect(simulation.read()).rejects.toThrow(/Await/);
    await running;
    simulation.dispose();
    simulation.dispose();
    await expect(simulation.step()).rejects.toThrow(/disposed/);
  });

  test('warns once of steps in which grains move far', async () => {
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], velocity: [0.4, 0, 0] },
        { position: [0, 9, 0], force: [0.1, 0, 0], velocity: [0.3, 0, 0] },
      ],
    });
    problem.warnings.push('from the scene');
    const simulation = await createSimulation(problem, cpu);
    await simulation.step(1);
    expect(simulation.warnings).toEqual(['from the scene']);
    await simulation.step(5);
    expect(simulation.warnings).toHaveLength(2);
    expect(simulation.warnings[1]).toMatch(/^Step 2 is long: grain 1 /);
  });

  test('warns once of grains that are pressed into each other', async () => {
    const problem = makeProblem({ grains: [{ position: [0, 0, 0] }, { position: [0.88, 0, 0] }] });
    const simulation = await createSimulation(problem, cpu);
    await simulation.step(3);
    expect(simulation.warnings).toEqual([expect.stringMatching(/^Step 1 leaves an overlap of 0.12 mean diameters/)]);
  });

  test('warns of an overlap that dust could get through, though it is a small one', async () => {
    const problem = makeProblem({
      grains: [{ position: [0, 0, 0] }, { position: [0.96, 0, 0] }, { position: [3, 0, 0], radius: 0.01 }],
    });
    const simulation = await createSimulation(problem, cpu);
    await simulation.step(1);
    expect(simulation.warnings).toEqual([expect.stringMatching(/^Step 1 leaves .* The smallest grains, of a smaller radius,/)]);
  });

  test('names the grain that moves, not the fixed one that it was pressed into, where a contact has no direction', async () => {
    const problem = makeProblem({ grains: [{ position: [0, 0, 0], fixed: true }, { position: [0, 0, 0] }] });
    const failure = await (await createSimulation(problem, cpu)).step().catch((error: unknown) => error);
    expect(failure).toMatchObject({ grain: 1 });
  });

  test('names the step and the grain whose motion is not finite', async () => {
    const problem = fall();
    const simulation = await createSimulation(problem, cpu);
    await simulation.step(2);
    problem.grains.forces[3 * 7] = Number.NaN;
    const broken = await createSimulation(problem, cpu);
    const failure = await broken.step(2).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NumericalError);
    expect(failure).toMatchObject({ step: 1, grain: 7 });
  });
});

describe('the CPU solver', () => {
  test('steps whether or not somebody listens', async () => {
    const [heard, unheard] = [new CpuSolver(toSystem(fall())), new CpuSolver(toSystem(fall()))];
    await heard.step(10, () => {});
    await unheard.step(10);
    expect(await unheard.read()).toEqual(await heard.read());
    expect((await unheard.read()).step).toBe(10);
  });
});
