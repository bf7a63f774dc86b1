import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';

/**
 * What the search for candidates keeps in a buffer that is idle meanwhile. First of each grain by cell its point of the lattice and how
 * far from its centre it reaches, so that most distance tests read 16 bytes, one behind the other. Then of each grain by id the second
 * bodies of its candidates as they are found, while there is room: they need not be looked for again.
 */
export const notes = (binding: number) => wgsl`
@group(0) @binding(${binding}) var<storage, read_write> noted: array<vec4u>;

fn note(grain: u32, number: u32, second: u32) {
  if (number < params.notes) { noted[params.grains + (grain * params.notes + number) / 4u][number % 4u] = second; }
}

fn readNote(grain: u32, number: u32) -> u32 { return noted[params.grains + (grain * params.notes + number) / 4u][number % 4u]; }
`;
