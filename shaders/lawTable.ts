import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';

/** Materials that the table of pairs holds; four pairs to a row. */
export const MAX_MATERIALS = 64;
export const LAW_TABLE_ROWS = MAX_MATERIALS ** 2 / 4;
/** Laws that differ: 16 KiB of constants, as every adapter allows. */
export const MAX_LAWS = 512;

/** Floats of a law, as declared below. */
export const LAW_FLOATS = 8;

/** The contact law of a pair of materials, as PairLaw of src/scene/problem.ts in internal units. */
export const lawTable = wgsl`
struct Law {
  staticFriction: f32, dynamicFriction: f32, normalRestitution: f32, tangentialRestitution: f32,
  rollingFriction: f32, torsionFriction: f32, cohesionForce: f32, cohesionRange: f32,
}
`;
