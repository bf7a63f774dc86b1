import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { AIM_ROWS, MEMORY_ROWS } from './contactLaw';

/**
 * Arrays with a record for each contact, which lie in two buffers where one would be too large, and the rows of 16 bytes that shaders
 * write such a record as. The second buffer has a 1 behind its name.
 */
const PAGED: Record<string, string> = {
  normals: '1u',
  impulses: 'STRIDE',
  previousImpulses: 'STRIDE',
  lastImpulses: 'STRIDE',
  memories: `${AIM_ROWS}u`,
  lastMemories: `${MEMORY_ROWS}u`,
};

/** Those that have the contacts of the last step, in the order of the candidates. */
const OF_LAST = ['lastImpulses', 'lastMemories'];

export const isPaged = (name: string): boolean => name in PAGED;

/**
 * The contacts at hand: all of them, or those of the one buffer that a kernel has bound. It then is compiled and run for either, see
 * `windowed`. For modules with `control`.
 */
export const pages = wgsl`
const PAGE_FIRST = 0u;
const PAGE_END = NONE;
const LAST_FIRST = 0u;      // the same of those of the last step
const LAST_END = NONE;

/** The first contact at hand for one who begins at a contact and takes every so many. */
fn firstContact(start: u32, stride: u32) -> u32 {
  if (start >= PAGE_FIRST) { return start; }
  return start + (PAGE_FIRST - start + stride - 1u) / stride * stride;
}

fn endOfContacts() -> u32 { return min(PAGE_END, control.candidates); }

/** Where an invocation keeps so many rows of its sums from one buffer to the next, in control.carried. */
fn carriedAt(team: u32, rows: u32, local: u32) -> u32 { return rows * (team * TEAM_SIZE + local); }

fn lastAtHand(k: u32) -> bool { return k >= LAST_FIRST && k < LAST_END; }
`;

/** Which of the two buffers are bound: of the contacts' arrays and of that of the last step. */
export interface Window {
  contacts: number;
  last: number;
}

/** Those in which a kernel that uses such buffers runs; none where it uses none. */
export function windowsOf(names: readonly string[]): Window[] {
  const last = names.some((name) => OF_LAST.includes(name)) ? [0, 1] : [0];
  const contacts = names.some((name) => isPaged(name) && !OF_LAST.includes(name)) ? [0, 1] : [0];
  return contacts.length * last.length === 1 ? [] : contacts.flatMap((page) => last.map((of) => ({ contacts: page, last: of })));
}

/** The name of the buffer that is bound for an array. */
export function inWindow(name: string, { contacts, last }: Window): string {
  const page = OF_LAST.includes(name) ? last : contacts;
  return page > 0 && isPaged(name) ? `${name}1` : name;
}

/**
 * A module that sees one buffer of each array, and the contacts in it. The second holds those from `size` on: whole numbers wrap around,
 * so that adding is subtracting.
 */
export function windowed(code: string, size: number, { contacts, last }: Window): string {
  const ends = (name: string, page: number) => [
    [`${name}_FIRST = 0u`, `${name}_FIRST = ${page * size}u`],
    [`${name}_END = NONE`, page > 0 ? `${name}_END = NONE` : `${name}_END = ${size}u`],
  ];
  const bounded = [...ends('PAGE', contacts), ...ends('LAST', last)].reduce((text, [from, to]) => text.replace(from, to), code);
  return bounded.replace(new RegExp(`\\b(${Object.keys(PAGED).join('|')})\\[`, 'g'), (start, name) =>
    inWindow(name, { contacts, last }) === name ? start : `${start}${2 ** 32 - size}u * ${PAGED[name]} + `,
  );
}
