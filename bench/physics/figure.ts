import type { Plot } from '../../src/cli/plot';
import { createNodeSimulation, type SceneInput, type Simulation, type SimulationOptions } from '../../src/node';

type Verdict = 'pass' | 'FAIL' | 'info';

/** One line of the table. */
export interface Row {
  name: string;
  expected: string;
  got: string;
  /** 'info': no right value is known for it, or a closed form that the scene meets only in part. */
  verdict: Verdict;
}

/** What a figure's run leaves; kept as JSON so that a later call need not run it again. */
export interface Result {
  rows: Row[];
  plots: Plot[];
}

export type Backend = 'cpu' | 'webgpu';

/** What a figure is run with. */
export interface Run {
  backend: Backend;
  /** Of the last simulation; null on the CPU. */
  adapter: string | null;
  simulate(scene: SceneInput, options?: Pick<SimulationOptions, 'from' | 'readBytes'>): Promise<Simulation>;
  progress(message: string): void;
}

/** In double precision on the CPU, in single precision on the GPU or the software driver that stands for one. */
export function runOn(backend: Backend, progress: Run['progress'] = () => {}): Run {
  const run: Run = {
    backend,
    adapter: null,
    progress,
    async simulate(scene, options) {
      const simulation = await createNodeSimulation(scene, { backend, ...options });
      run.adapter = simulation.adapter;
      return simulation;
    },
  };
  return run;
}

/** A published figure, or one part of it that can be run alone. */
export interface Figure {
  /** Of validation's part and what it shows, e.g. "A-random". File names are made of it. */
  id: string;
  title: string;
  /** Part of a run without `--full`. */
  quick: boolean;
  /** The same on the GPU: with or without `--full`, or why not at all. What runs without it suits a software adapter. */
  gpu: 'quick' | 'full' | { not: string };
  run(on: Run): Promise<Result>;
}

/** Why a figure does not run on the GPU. */
export const RANDOM_SWEEPS = { not: 'its sweeps in random order run on the CPU alone' };

/** The first in double precision, on the CPU; the second in single precision. */
export const byPrecision = <T>({ backend }: Run, double: T, single: T): T => (backend === 'cpu' ? double : single);

/** A row that passes where `got` is within `tolerance` of `expected`. */
export function near(name: string, got: number, expected: number, tolerance: number, note = ''): Row {
  return {
    name,
    expected: `${figure(expected)} +- ${figure(tolerance, 2)}${note}`,
    got: figure(got),
    verdict: Math.abs(got - expected) <= tolerance ? 'pass' : 'FAIL',
  };
}

/** A row that passes where `got` lies between the two, ends included. */
export function between(name: string, got: number, low: number, high: number): Row {
  return {
    name,
    expected: `${figure(low)} to ${figure(high)}`,
    got: figure(got),
    verdict: got >= low && got <= high ? 'pass' : 'FAIL',
  };
}

/** A row that tells a figure beside what is known of it, without a verdict. */
export function info(name: string, got: string, expected = ''): Row {
  return { name, expected, got, verdict: 'info' };
}

export function figure(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e6 || size < 1e-3) ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
}

export const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param values an odd number of them */
export const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[(values.length - 1) / 2];
