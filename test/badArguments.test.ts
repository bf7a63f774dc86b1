import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createCpuSimulation, createWorkerSimulation } from '../src/cpu';
import * as analysis from '../src/index';
import { createSimulation, loadProblem, parseScene } from '../src/index';
import { createNodeSimulation, loadSceneFile, nodeGpu, readCheckpoint, resumeFrom, writeCheckpoint } from '../src/node';
import { createPlayer, createViewer, showScene } from '../src/viewer';
import { checkPlace } from '../src/viewer/settings';
import { load, sceneWith } from './support/scenes';

const NOTHING = {};
const FUNCTION = () => 0;
/** What a program without types may pass for anything. */
const BAD: readonly unknown[] = [null, undefined, 5, Number.NaN, '', 'text', NOTHING, [], FUNCTION, Symbol('s'), 5n];
/** What an engine says where nothing was checked. */
const RAW =
  /cannot (read prop|destructure|convert|mix)|is not (a function|iterable|defined|a constructor)|invalid array|"path" argument/i;

/** An argument: what the message must say where it is wrong, a right one, and those of the bad ones that are none. */
type Argument = readonly [told: RegExp, right: unknown, allowed?: readonly unknown[]];

const problem = await load(sceneWith());
const simulation = await createSimulation(problem, { backend: 'cpu' });
const source = { problem, backend: 'cpu', snapshot: await simulation.capture() };
const scene: Argument = [/object|is missing/, sceneWith()];
const noOptions: Argument = [/options must be an object/, {}, [undefined, NOTHING]];
const onCpu: Argument = [noOptions[0], { backend: 'cpu' }, noOptions[2]];
const canvas: Argument = [/canvas must be a <canvas>/, { getContext: FUNCTION }];
const path: Argument = [/path must be a text|does not exist|no such file/, 'none.h5'];
const CALLS: Record<string, readonly [call: unknown, ...Argument[]]> = {
  parseScene: [parseScene, scene],
  loadProblem: [
    loadProblem,
    [/scene must be what parseScene gave/, parseScene(sceneWith())],
    [/readText/, FUNCTION, [FUNCTION]],
    noOptions,
  ],
  createSimulation: [createSimulation, scene, onCpu],
  createCpuSimulation: [createCpuSimulation, scene, noOptions],
  createNodeSimulation: [createNodeSimulation, scene, onCpu],
  createWorkerSimulation: [createWorkerSimulation, [/no workers here/, sceneWith()], noOptions],
  loadSceneFile: [loadSceneFile, path, noOptions],
  nodeGpu: [nodeGpu, [/There is no backend/, 'auto', [undefined]]],
  readCheckpoint: [readCheckpoint, path],
  resumeFrom: [resumeFrom, path, [/problem must be a problem/, problem]],
  writeCheckpoint: [writeCheckpoint, [/path must be/, 'none.h5', ['text']], [/source must be|problem must be/, source]],
  createViewer: [createViewer, canvas, [/source must be a simulation/, simulation], noOptions],
  createPlayer: [
    createPlayer,
    [/source must be a simulation/, simulation],
    [/viewer must be what createViewer gave/, { render: FUNCTION }],
    noOptions,
  ],
  showScene: [showScene, canvas, scene, onCpu],
  setCamera: [checkPlace, [/place must be|position must be three numbers/, { position: [0, 0, 1], target: [0, 0, 0], zoom: 1 }]],
};

/** What a call is refused with; fails where it is not, or where the engine refuses it. */
async function refusal(call: () => unknown): Promise<string> {
  const error = await (async () => call())().then(
    () => expect.fail('was not refused'),
    (reason: Error) => reason,
  );
  expect(error.message).not.toMatch(RAW);
  return error.message;
}

const state = await simulation.read();
const { contacts } = state;
const box = { kind: 'box', min: [0, 0, 0], max: [1, 1, 3] };
const packing = { ...{ positions: state.positions, radii: problem.grains.radii, contacts }, dimension: 3, hasForces: true };
const aProblem: Argument = [/problem must be|grains must be/, problem];
const aState: Argument = [/state must be|positions must be/, state];
const someContacts: Argument = [/contacts(.count)? must be/, contacts];
const somePositions: Argument = [/positions must be/, state.positions];
const aRegion: Argument = [/region(.kind)? must be/, box];
const aPacking: Argument = [/packing must be|radii must be/, packing];
const aCount = (name: string, allowed: readonly unknown[] = [5]): Argument => [new RegExp(`${name} must be`), 1, allowed];
const ABSENT = [undefined, 5];
const ANALYSES: Record<string, readonly [call: unknown, ...Argument[]]> = {
  coordination: [analysis.coordination, someContacts, somePositions, [/options must be/, {}, [undefined, NOTHING]]],
  diffusionLength: [analysis.diffusionLength, aProblem, aCount('iterations')],
  effectiveStiffness: [analysis.effectiveStiffness, aProblem, aCount('iterations')],
  systemLength: [analysis.systemLength, aProblem, aState],
  fabric: [analysis.fabric, someContacts, aCount('grains'), [/dimension/, 3, [undefined]], aCount('threshold', ABSENT)],
  forceChains: [analysis.forceChains, someContacts, aCount('grains'), aCount('times', ABSENT)],
  normalForces: [analysis.normalForces, someContacts],
  forceDistribution: [analysis.forceDistribution, someContacts, aCount('bins', ABSENT), aCount('largest', ABSENT)],
  mobilisation: [analysis.mobilisation, someContacts, [/friction/, FUNCTION, [FUNCTION]], aCount('threshold', ABSENT)],
  indeterminacy: [analysis.indeterminacy, aProblem, aState, [/options must be/, {}, [undefined, NOTHING]]],
  layersOf: [analysis.layersOf, aRegion, aCount('count'), [/dimension/, 3]],
  layerFigures: [analysis.layerFigures, aPacking, aRegion, aCount('count')],
  packingFigures: [analysis.packingFigures, aPacking, aRegion],
  radialDistribution: [
    analysis.radialDistribution,
    [/the problem must be|dimension must be/, problem],
    somePositions,
    aRegion,
    aCount('largest'),
    aCount('bins', ABSENT),
  ],
  regionVolume: [analysis.regionVolume, aRegion, [/dimension/, 3, [undefined]]],
  stress: [analysis.stress, aProblem, aState, aRegion],
  touchingContacts: [
    analysis.touchingContacts,
    somePositions,
    [/radii must be/, problem.grains.radii],
    aCount('tolerance', ABSENT),
    [/periodic(.min)? must be/, undefined, [undefined]],
  ],
  volumeFraction: [analysis.volumeFraction, aProblem, somePositions, aRegion],
};

test.each(Object.entries({ ...CALLS, ...ANALYSES }))(
  '%s says which argument is not what it must be',
  async (_, [call, ...args]) => {
    const right = args.map(([, value]) => value);
    for (const [k, [told, , allowed = []]] of args.entries()) {
      for (const bad of BAD.filter((value) => !allowed.includes(value))) {
        const message = await refusal(() => (call as (...all: unknown[]) => unknown)(...right.with(k, bad)));
        expect(message, `argument ${k}: ${String(bad)}`).toMatch(told);
      }
    }
  },
);

test('a path with a NUL character is refused, and nothing is written', async () => {
  await expect(writeCheckpoint('none.h5\0.h5', source as never)).rejects.toThrow(
    /writeCheckpoint: path must be a path: .* without NUL characters, got "none\.h5\\u0000\.h5"/,
  );
  expect(existsSync('none.h5')).toBe(false);
});

test.each([null, undefined, 5, 'text'])('readers of grain files that give %s are told so', async (given) => {
  const grains = (file: string) => parseScene(sceneWith({ grains: [{ material: 'glass', file }] }));
  const give = async () => given as never;
  const place = { path: 'grains[0].file' };
  await expect(loadProblem(grains('a.csv'), give, { readTable: give })).rejects.toMatchObject({
    faults: [{ ...place, message: expect.stringMatching(/readTable gave .*; it must give the grains of the file/) }],
  });
  await expect(loadProblem(grains('a.vtp'), give, { readBytes: give })).rejects.toMatchObject({
    faults: [{ ...place, message: expect.stringMatching(/readBytes gave .*; it must give the bytes of the file/) }],
  });
});

/** Calls with options, and which of the bad values each option may have; null is none. */
const OPTIONS: readonly (readonly [name: string, call: (options: never) => unknown, Record<string, readonly unknown[]>])[] = [
  [
    'createSimulation',
    (given) => createSimulation(problem, given),
    {
      ...{ backend: [], from: [], signal: [null], onCheckpoint: [null, FUNCTION], readText: [null, FUNCTION] },
      ...{ readBytes: [null, FUNCTION], device: [null], gpu: [null], profile: [null] },
    },
  ],
  [
    'createCpuSimulation',
    (given) => createCpuSimulation(problem, given),
    { from: [], signal: [null], readText: [null, FUNCTION] },
  ],
  [
    'createNodeSimulation',
    (given) => createNodeSimulation(problem, given),
    { from: [], signal: [null], backend: [], profile: [null] },
  ],
  [
    'createWorkerSimulation',
    (given) => createWorkerSimulation(problem, given),
    { signal: [null], onCheckpoint: [null, FUNCTION] },
  ],
  [
    'loadSceneFile',
    (given) => loadSceneFile('none.json', given),
    { set: [null, [], NOTHING], allowOutside: [null], onRead: [null, FUNCTION] },
  ],
  [
    'loadProblem',
    (given) => loadProblem(parseScene(sceneWith()), async () => '', given),
    { memory: [null, 5], readBytes: [null, FUNCTION], readTable: [null, FUNCTION] },
  ],
  [
    'createPlayer',
    (given) => createPlayer(simulation, { render: FUNCTION } as never, given),
    { stepsPerFrame: [null, 5], end: [null, 5], open: [null, FUNCTION], onReport: [null, FUNCTION], onError: [null, FUNCTION] },
  ],
  [
    'showScene',
    (given) => showScene({ getContext: FUNCTION } as never, problem, given),
    { backend: [], view: [null, NOTHING], cpuGrains: [null, 5], end: [null, 5], signal: [null], readText: [null, FUNCTION] },
  ],
];
test.each(OPTIONS)('%s says which option is not what it must be', async (_, call, known) => {
  for (const [name, allowed] of Object.entries(known)) {
    const isAllowed = (bad: unknown) =>
      bad === undefined || allowed.some((value) => Object.is(value, bad) || (Array.isArray(value) && Array.isArray(bad)));
    for (const bad of BAD.filter((value) => !isAllowed(value))) {
      const message = await refusal(() => call({ [name]: bad } as never));
      expect(message, `${name}: ${String(bad)}`).toMatch(name === 'backend' ? /no backend/ : new RegExp(`\\b${name}\\b`));
    }
  }
  expect(await refusal(() => call({ colour: 5 } as never))).toMatch(/option colour is not a known key/);
});

test('errors say which argument is not what it must be', async () => {
  for (const bad of BAD.filter((value) => !Array.isArray(value))) {
    expect(await refusal(() => new analysis.SceneError(bad as never))).toMatch(/^SceneError: faults must be a list of/);
    expect(await refusal(() => new analysis.SceneError([bad as never]))).toMatch(/^SceneError: faults must be a list of/);
    if (typeof bad === 'string') continue;
    expect(await refusal(() => new analysis.CheckpointError(bad as never, 'x'))).toMatch(/path must be a text/);
    expect(await refusal(() => new analysis.CheckpointError('x', bad as never))).toMatch(/reason must be a text/);
    expect(await refusal(() => new analysis.ShaderError('x', 1, '', bad as never))).toMatch(/source must be a text/);
  }
});

test('a problem that lacks a part is told from a whole one', async () => {
  const lacking = ['laws', 'walls', 'gravity', 'solver', 'timeStep', 'warnings', 'grains'].map((name) => ({ [name]: null }));
  for (const change of [...lacking, { events: 5 }, { walls: [null] }, { laws: [] }, { solver: {} }]) {
    const broken = { ...problem, ...change } as never;
    expect(await refusal(() => createSimulation(broken, { backend: 'cpu' }))).toMatch(/must be a problem, whole as/);
    expect(await refusal(() => analysis.diffusionLength(broken, 3))).toMatch(/must be a problem, whole as/);
  }
});

test('numbers of bins and layers that no memory holds are refused', () => {
  const many = /must be a whole number from 1 to 1000000, got 1000000000000/;
  const region = box as analysis.Region;
  expect(() => analysis.forceDistribution(contacts, 1e12)).toThrow(many);
  expect(() => analysis.radialDistribution(problem, state.positions, region, 1, 1e12)).toThrow(many);
  expect(() => analysis.layersOf(region, 1e12, 3)).toThrow(many);
  expect(() => analysis.layerFigures(packing as never, region, 1e12)).toThrow(many);
});

test('a viewer says that its device is none', async () => {
  for (const device of [5, '', {}, FUNCTION]) {
    const given = { device } as never;
    expect(await refusal(() => createViewer({ getContext: FUNCTION } as never, simulation, given))).toMatch(
      /option device must be/,
    );
  }
});

test('every function that the package exports for packings is among them', () => {
  const functions = Object.entries(analysis).filter(([, value]) => typeof value === 'function' && !/^class/.test(String(value)));
  const others = ['sceneJsonSchema'];
  const names = functions.map(([name]) => name).filter((name) => !others.includes(name));
  expect(names.filter((name) => !(name in CALLS || name in ANALYSES))).toEqual([]);
});

describe('listeners of steps', () => {
  test('what is none is refused before a step is done', async () => {
    const own = await createSimulation(problem, { backend: 'cpu' });
    for (const bad of BAD.filter((value) => value !== undefined && value !== null && value !== FUNCTION)) {
      expect(await refusal(() => own.step(1, bad as never))).toMatch(/onReport must be a function/);
    }
    expect(own.steps).toBe(0);
  });

  test('a promise that rejects rejects the step, which does no more of them', async () => {
    const own = await createSimulation(problem, { backend: 'cpu' });
    const disk = new Error('the disk is full');
    const told: number[] = [];
    const fails = async ({ step }: { step: number }) => {
      told.push(step);
      if (step === 2) throw disk;
    };
    await expect(own.step(2, fails)).rejects.toBe(disk);
    await expect(own.step(1, async () => Promise.reject(disk))).rejects.toBe(disk);
    expect([told, own.steps]).toEqual([[1, 2], 3]);
    await own.step(1, async () => undefined);
    expect(own.steps).toBe(4);
  });

  test('a step ends after the promises that listeners gave', async () => {
    const own = await createSimulation(problem, { backend: 'cpu' });
    let written = 0;
    await own.step(3, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      written++;
    });
    expect(written).toBe(3);
  });
});
