import { Box3, Vector3 } from 'three/webgpu';
import type { State } from '../report';
import type { Problem } from '../scene/problem';
import type { Units } from '../scene/system';
import { forceUnit } from '../scene/units';

/**
 * What is drawn of a grain, five vectors of four numbers, in internal units (mean diameters from `units.origin`, steps):
 * place and radius; orientation; speed, angular speed, sum of normal forces, contacts; what its neighbours hide of the sky
 * (sum of their directions, of their weights); material, group, state of its contacts (0 none, 1 all stick, 2 some slide), 0.
 */
export const GRAIN_ROW = 20;
export const GRAIN_COLUMNS = { place: 0, turn: 4, figures: 8, shade: 12, kind: 16 } as const;

/** What is drawn of a contact: one centre and the normal force; the other centre, or the wall, and the smaller radius. */
export const CHAIN_ROW = 8;
export const CHAIN_COLUMNS = { chainStart: 0, chainEnd: 4 } as const;

/** Counts of figures by the leading bits of their single-precision form: eight bins from each power of two to the next. */
export const BINS = 2048;
export const BIN_SHIFT = 20;
/** Of these figures, one after the other. */
export const HISTOGRAMS = ['speed', 'rotation', 'force', 'chains'] as const;
/** The place of each among the figures of a row. */
const FIGURE_PLACES = { speed: 0, rotation: 1, force: 2 } as const;

/** Gap in mean diameters beyond which a neighbour hides nothing. */
export const SHADE_RANGE = 0.1;

/** What is known of all grains together. */
export interface Survey {
  /** Where they are, in internal units; empty where there are none. */
  box: Box3;
  /** HISTOGRAMS x BINS */
  histograms: Uint32Array;
}

export interface Rows extends Survey {
  grains: Float32Array<ArrayBuffer>;
  /** C rows; none where no chains are asked for. */
  chains: Float32Array<ArrayBuffer>;
}

/** Rows of a state that was read. */
export function rowsOf(problem: Problem, state: State, units: Units, withChains: boolean): Rows {
  const { count } = problem.grains;
  const grains = new Float32Array(GRAIN_ROW * count);
  for (let i = 0; i < count; i++) fillGrain(grains, i, problem, state, units);
  for (let c = 0; c < state.contacts.count; c++) addContact(grains, c, count, state, units);
  const chains = withChains ? chainRows(problem, state, units) : new Float32Array(0);
  return { grains, chains, box: boxOf(grains), histograms: countFigures(grains, chains) };
}

function boxOf(rows: Float32Array): Box3 {
  const box = new Box3();
  const centre = new Vector3();
  for (let row = 0; row < rows.length; row += GRAIN_ROW) {
    const radius = rows[row + 3];
    box.expandByPoint(centre.fromArray(rows, row).addScalar(radius));
    box.expandByPoint(centre.subScalar(2 * radius));
  }
  return box;
}

function fillGrain(rows: Float32Array, i: number, { grains }: Problem, state: State, { origin, length, time }: Units): void {
  const { positions, orientations, velocities, angularVelocities } = state;
  const row = GRAIN_ROW * i;
  for (let axis = 0; axis < 3; axis++) rows[row + axis] = (positions[3 * i + axis] - origin[axis]) / length;
  rows[row + 3] = grains.radii[i] / length;
  for (let k = 0; k < 4; k++) rows[row + GRAIN_COLUMNS.turn + k] = orientations[4 * i + k];
  rows[row + GRAIN_COLUMNS.figures] = sizeOf(velocities, i) * (time / length);
  rows[row + GRAIN_COLUMNS.figures + 1] = sizeOf(angularVelocities, i) * time;
  rows[row + GRAIN_COLUMNS.kind] = grains.materials[i];
  rows[row + GRAIN_COLUMNS.kind + 1] = grains.groups[i];
}

const sizeOf = (rows: Float64Array, i: number) => Math.hypot(rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]);

/** n . F of a contact, as an impulse. */
function normalForce({ contacts: { normals, forces } }: State, c: number, unit: number): number {
  return (
    (normals[3 * c] * forces[3 * c] + normals[3 * c + 1] * forces[3 * c + 1] + normals[3 * c + 2] * forces[3 * c + 2]) / unit
  );
}

function addContact(rows: Float32Array, c: number, grains: number, state: State, units: Units): void {
  const { first, second, gaps, states } = state.contacts;
  const pressing = Math.abs(normalForce(state, c, forceUnit(units)));
  const bearing = pressing > 0 ? (states[c] === 2 ? 2 : 1) : 0;
  const ofGrains = second[c] < grains;
  const weight = ofGrains ? Math.min(1, Math.max(0, 1 - gaps[c] / units.length / SHADE_RANGE)) : 0;
  addTo(rows, GRAIN_ROW * first[c], pressing, bearing);
  addNeighbour(rows, GRAIN_ROW * first[c], weight, state, c);
  if (!ofGrains) return;
  addTo(rows, GRAIN_ROW * second[c], pressing, bearing);
  addNeighbour(rows, GRAIN_ROW * second[c], -weight, state, c);
}

function addTo(rows: Float32Array, row: number, pressing: number, bearing: number): void {
  if (bearing === 0) return;
  rows[row + GRAIN_COLUMNS.figures + 2] += pressing;
  rows[row + GRAIN_COLUMNS.figures + 3] += 1;
  rows[row + GRAIN_COLUMNS.kind + 2] = Math.max(rows[row + GRAIN_COLUMNS.kind + 2], bearing);
}

/** @param weight below 0 for the second grain, from which the normal points away */
function addNeighbour(rows: Float32Array, row: number, weight: number, { contacts: { normals } }: State, c: number): void {
  for (let axis = 0; axis < 3; axis++) rows[row + GRAIN_COLUMNS.shade + axis] += weight * normals[3 * c + axis];
  rows[row + GRAIN_COLUMNS.shade + 3] += Math.abs(weight);
}

/** By normals and gaps, so that a contact across the ends of a periodic box stays short. */
function chainRows({ grains }: Problem, state: State, units: Units): Float32Array<ArrayBuffer> {
  const { positions, contacts } = state;
  const { count, first, second, normals, gaps } = contacts;
  const rows = new Float32Array(CHAIN_ROW * count);
  for (let c = 0; c < count; c++) {
    const [i, j] = [first[c], second[c]];
    const radius = grains.radii[i];
    const other = j < grains.count ? grains.radii[j] : 0;
    const distance = radius + other + gaps[c];
    for (let axis = 0; axis < 3; axis++) {
      const from = positions[3 * i + axis] - units.origin[axis];
      rows[CHAIN_ROW * c + axis] = from / units.length;
      rows[CHAIN_ROW * c + CHAIN_COLUMNS.chainEnd + axis] = (from + normals[3 * c + axis] * distance) / units.length;
    }
    rows[CHAIN_ROW * c + 3] = Math.max(0, normalForce(state, c, forceUnit(units)));
    rows[CHAIN_ROW * c + CHAIN_COLUMNS.chainEnd + 3] = Math.min(radius, other || radius) / units.length;
  }
  return rows;
}

function countFigures(grains: Float32Array<ArrayBuffer>, chains: Float32Array<ArrayBuffer>): Uint32Array {
  const histograms = new Uint32Array(BINS * HISTOGRAMS.length);
  const count = (rows: Float32Array<ArrayBuffer>, place: number, stride: number, histogram: number) => {
    const bits = new Uint32Array(rows.buffer);
    for (let k = place; k < rows.length; k += stride) if (rows[k] > 0) histograms[BINS * histogram + (bits[k] >>> BIN_SHIFT)]++;
  };
  for (const [name, place] of Object.entries(FIGURE_PLACES)) {
    count(grains, GRAIN_COLUMNS.figures + place, GRAIN_ROW, HISTOGRAMS.indexOf(name as keyof typeof FIGURE_PLACES));
  }
  count(chains, 3, CHAIN_ROW, HISTOGRAMS.indexOf('chains'));
  return histograms;
}
