import type { CameraPlace, ViewOptions } from '../../src/viewer/index';
import { type AnyDemo, type Control, defaults, type Settings } from '../demo';

/** All that a link holds. */
export interface LinkState {
  demo: string;
  values: Settings;
  /** Absent: as many as suit where it runs. */
  grains?: number;
  /** Absent: WebGPU where there is a graphics card. */
  backend?: 'cpu' | 'webgpu';
  colourBy: string;
  forceChains: boolean;
  walls: boolean;
  /** It was paused, so that whoever opens the link presses Play. */
  paused: boolean;
  clip: ViewOptions['clip'];
  /** Absent: everything is framed. */
  camera?: CameraPlace;
}

/** What a demo begins with. */
export function startOf(demo: AnyDemo): LinkState {
  const { colourBy, forceChains = false } = demo.view;
  return { demo: demo.id, values: defaults(demo.controls), colourBy, forceChains, walls: true, paused: false, clip: null };
}

/** The part of an address after #; what is as the demo begins is left out. */
export function toHash(state: LinkState, demo: AnyDemo): string {
  const start = startOf(demo);
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(state.values)) if (value !== start.values[key]) query.set(key, String(value));
  if (state.grains !== undefined) query.set('grains', String(state.grains));
  if (state.backend) query.set('backend', state.backend);
  if (state.colourBy !== start.colourBy) query.set('colour', state.colourBy);
  if (state.forceChains !== start.forceChains) query.set('chains', state.forceChains ? '1' : '0');
  if (!state.walls) query.set('walls', '0');
  if (state.paused) query.set('paused', '1');
  if (state.clip) query.set('clip', numbers([...state.clip.point, ...state.clip.normal]));
  if (state.camera) query.set('camera', numbers([...state.camera.position, ...state.camera.target, state.camera.zoom]));
  // Commas are allowed there, and read better as they are.
  const text = query.toString().replaceAll('%2C', ',');
  return `#${state.demo}${text ? `?${text}` : ''}`;
}

/** Reads an address. @returns also what in it could not be used, in words */
export function fromHash(
  hash: string,
  demos: readonly AnyDemo[],
  colourings: readonly string[],
): { state: LinkState; demo: AnyDemo; ignored: string[] } {
  const [id, query = ''] = hash.replace(/^#/, '').split('?', 2);
  const demo = demos.find((one) => one.id === id) ?? demos[0];
  const state = startOf(demo);
  const ignored = id && demo.id !== id ? [`there is no demo "${id}"`] : [];
  for (const [key, text] of new URLSearchParams(query)) {
    if (!take(state, demo, colourings, key, text)) ignored.push(`${key}=${text}`);
  }
  return { state, demo, ignored };
}

/** @returns whether the entry means something */
function take(state: LinkState, demo: AnyDemo, colourings: readonly string[], key: string, text: string): boolean {
  const control = Object.hasOwn(demo.controls, key) ? demo.controls[key] : undefined;
  if (control) {
    const value = valueIn(control, text);
    if (value !== undefined) state.values[key] = value;
    return value !== undefined;
  }
  const row = text.split(',').map((one) => (one.trim() === '' ? Number.NaN : Number(one)));
  const flag = text === '1' ? true : text === '0' ? false : undefined;
  if (key === 'grains' && inRange(Number(text), demo.sizes.least, demo.sizes.most)) state.grains = Math.round(Number(text));
  else if (key === 'backend' && (text === 'cpu' || text === 'webgpu')) state.backend = text;
  else if (key === 'colour' && colourings.includes(text)) state.colourBy = text;
  else if (key === 'chains' && flag !== undefined) state.forceChains = flag;
  else if (key === 'walls' && flag !== undefined) state.walls = flag;
  else if (key === 'paused' && flag !== undefined) state.paused = flag;
  else if (key === 'clip' && isRow(row, 6) && row.slice(3).some((x) => x !== 0)) {
    state.clip = { point: vector(row), normal: vector(row.slice(3)) };
  } else if (key === 'camera' && isRow(row, 7) && row[6] > 0 && row.slice(0, 3).some((x, k) => x !== row[3 + k])) {
    state.camera = { position: vector(row), target: vector(row.slice(3)), zoom: row[6] };
  } else return false;
  return true;
}

/** As many digits as a picture shows. */
const numbers = (values: readonly number[]) => values.map((value) => Number(value.toPrecision(5))).join(',');
const isRow = (row: readonly number[], count: number) => row.length === count && row.every(Number.isFinite);
const vector = ([x, y, z]: readonly number[]): [number, number, number] => [x, y, z];

const inRange = (value: number, min: number, max: number) => value >= min && value <= max;

function valueIn(control: Control, text: string): number | string | undefined {
  if (control.kind === 'choice') return control.options.includes(text) ? text : undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return inRange(value, control.min, control.max) ? value : undefined;
}
