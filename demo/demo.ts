import type { Problem, SceneInput, State, StepReport } from '../src/index';
import type { Colouring } from '../src/viewer/index';
import type { GrainUnits } from './shell/units';

/** A slider. */
export interface NumberControl {
  kind: 'number';
  label: string;
  /** Of the value, such as "mm"; absent: a pure number. */
  unit?: string;
  value: number;
  min: number;
  max: number;
  step: number;
}

/** One of some words. */
export interface ChoiceControl {
  kind: 'choice';
  label: string;
  value: string;
  options: readonly string[];
}

export type Control = NumberControl | ChoiceControl;
export type Controls = Record<string, Control>;

/** What the controls are set to. */
export type Values<C extends Controls> = { readonly [K in keyof C]: C[K] extends NumberControl ? number : string };

export const slider = (
  label: string,
  value: number,
  [min, max, step]: readonly [number, number, number],
  unit?: string,
): NumberControl => ({
  kind: 'number',
  label,
  value,
  min,
  max,
  step,
  ...(unit ? { unit } : {}),
});

export const choice = <const Options extends readonly string[]>(label: string, options: Options): ChoiceControl => ({
  kind: 'choice',
  label,
  value: options[0],
  options,
});

/** A number that is shown. */
export interface Reading {
  label: string;
  /** null: not known yet. */
  value: number | null;
  unit?: string;
  /** What theory or experiment gives, beside what was measured. */
  expected?: string;
}

export interface PlotAxes {
  title: string;
  x: string;
  y: string;
  logY?: boolean;
  /** From when on there is something to draw, such as "once a bed lies", where that takes a while; shown until then. */
  until?: string;
  /** Curves in their order. */
  curves: readonly { label: string; kind: 'line' | 'dashed' | 'points' | 'bars' }[];
}

/** Looks at a run and tells its figures. */
export interface Probe {
  /** Every step. */
  onReport(report: StepReport, problem: Problem): void;
  /** Some times a second, while the run goes on; all of it is in the units of the scene. */
  onState?(state: State, problem: Problem): void;
  readings(): Reading[];
  /** One for each entry of the demo's `plots`: x, then each curve. */
  data(): Columns[];
}

/** What a plot draws: x ascending, then the curves, all of one length. */
export type Columns = [x: number[], ...curves: (number | null)[][]];

/** Numbers of grains. */
export interface Sizes {
  /** With which a laptop's processor is lively, and a graphics card. */
  cpu: number;
  gpu: number;
  /** With fewer it shows nothing, with more it is out of hand. */
  least: number;
  most: number;
}

export interface Demo<C extends Controls = Controls> {
  /** In links. */
  id: string;
  title: string;
  /** One line for the list. */
  teaser: string;
  /** What to look at: paragraphs. */
  look: readonly string[];
  /** Where laws and figures come from. */
  sources: readonly string[];
  controls: C;
  sizes: Sizes;
  /** Why it runs on the CPU alone; absent: it does not. */
  cpuOnly?: string;
  /** The camera keeps to what moves away. */
  follow?: boolean;
  /** Steps to take per picture, so that it is lively. */
  stepsPerFrame: number;
  view: { colourBy: Colouring; forceChains?: boolean };
  /** Absent: metres, kilograms and seconds. */
  units?: GrainUnits;
  plots: readonly PlotAxes[];
  /** The scene file of these settings, with about so many grains. */
  scene(values: Values<C>, grains: number): SceneInput;
  probe(values: Values<C>, problem: Problem): Probe;
}

/** What controls are set to, by their names. */
export type Settings = Record<string, number | string>;

/** A demo whose controls' names are no longer known to the compiler: what the shell works with. */
export type AnyDemo = Omit<Demo, 'scene' | 'probe'> & {
  scene(values: Settings, grains: number): SceneInput;
  probe(values: Settings, problem: Problem): Probe;
};

/** Keeps the types of the controls while the demo is written, and gives it as the shell takes it. */
export const demo = <C extends Controls>(made: Demo<C>): AnyDemo => made as unknown as AnyDemo;

export function defaults(controls: Controls): Settings {
  return Object.fromEntries(Object.entries(controls).map(([key, { value }]) => [key, value]));
}
