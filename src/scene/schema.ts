import * as z from 'zod/mini';
import { type Fault, SceneError } from '../errors';
import { CHECKPOINT_NAME, particleFormat, READABLE } from '../io/fileNames';
import { dimensionFaults } from './dimension';
import { describeIssue, issueFaults } from './faults';
import {
  aboveMin,
  choice,
  comparing,
  comparingVectors,
  direction,
  exactlyOne,
  filled,
  finite,
  name,
  notNegative,
  positive,
  seed,
  strict,
  vector,
  whole,
  zero,
} from './fields';
import { MAX_FRICTION, MAX_GRAINS, MAX_ITERATIONS, MAX_STEPS } from './limits';
import { parseBounded } from './manyFaults';
import { nestingFaults } from './nesting';
import { referenceFaults } from './references';
import { EVENT_TIMES, FILL_REGIONS, GRAIN_SOURCES, PERIODIC_AXES, RADIUS_DISTRIBUTIONS } from './vocabulary';
import { motion, wall } from './wallSchema';

const ordered = ([least, most]: number[]) => least <= most;
const periodic = strict({ axes: choice(PERIODIC_AXES), min: vector, max: vector }).check(
  z.refine(
    ({ axes, min, max }) => max.every((value, axis) => value > min[axis] || !String(axes).includes('xyz'[axis])),
    comparingVectors(['min', 'max'], 'must exceed "min" along every periodic axis'),
  ),
);

const material = strict({ density: z.optional(positive) });

const coefficient = z.number().check(z.gte(0), z.lte(MAX_FRICTION));
const share = z.number().check(z.gte(0), z.lte(1));

const contact = strict({
  between: z.tuple([name, name]),
  friction: z._default(
    z.union(
      [
        coefficient,
        strict({ static: coefficient, dynamic: coefficient }).check(
          z.refine(
            ({ static: atRest, dynamic }) => dynamic <= atRest,
            comparing(['static', 'dynamic'], 'must not exceed "static"'),
          ),
        ),
      ],
      { error: 'expected a number from 0 or { "static": mu_s, "dynamic": mu_d }' },
    ),
    0,
  ),
  restitution: z._default(
    z.union([share, strict({ normal: share, tangential: z._default(share, 0) })], {
      error: 'expected a number from 0 to 1 or { "normal": e_n, "tangential": e_t }',
    }),
    0,
  ),
  rollingFriction: z._default(coefficient, 0),
  torsionFriction: z._default(coefficient, 0),
  cohesion: z.optional(strict({ force: notNegative, range: positive })),
});

const radius = z.union(
  [
    positive,
    strict({
      uniform: z.optional(z.tuple([positive, positive]).check(z.refine(ordered, 'expected [smallest, largest]'))),
      normal: z.optional(
        strict({ mean: positive, deviation: positive, min: positive, max: positive }).check(
          z.refine(
            ({ mean, min, max }) => min <= mean && mean <= max,
            comparing(['min', 'max', 'mean'], 'must lie between "min" and "max"'),
          ),
        ),
      ),
      list: z.optional(z.array(z.tuple([positive, positive])).check(z.minLength(1))),
    }).check(exactlyOne(RADIUS_DISTRIBUTIONS)),
  ],
  { error: 'expected a number above 0, { "uniform": [a, b] }, { "normal": { ... } } or { "list": [[radius, share], ...] }' },
);

const file = name.check(({ value, issues }) => {
  if (particleFormat(value) || CHECKPOINT_NAME.test(value)) return;
  const message = `expected a file whose name ends in ${READABLE}`;
  issues.push({ code: 'custom', message, input: value });
});

const listed = strict({
  position: vector,
  radius: positive,
  velocity: z.optional(vector),
  angularVelocity: z._default(vector, zero),
  force: z.optional(vector),
  torque: z._default(vector, zero),
  fixed: z._default(z.boolean(), false),
});

const lattice = strict({
  count: z.tuple([whole(1, MAX_GRAINS), whole(1, MAX_GRAINS), whole(1, MAX_GRAINS)]),
  spacing: z.union([positive, z.tuple([positive, positive, positive])], {
    error: 'expected a number above 0 or a list of three, one for each axis',
  }),
  origin: z._default(vector, zero),
  radius,
  jitter: z._default(notNegative, 0),
  seed: z._default(seed, 1),
});

const fillBox = strict({ min: vector, max: vector }).check(aboveMin);
const fillCylinder = strict({ point: vector, axis: direction, radius: positive, height: positive });

const random = strict({
  count: whole(1, MAX_GRAINS),
  radius,
  box: z.optional(fillBox),
  cylinder: z.optional(fillCylinder),
  seed: z._default(seed, 1),
}).check(exactlyOne(FILL_REGIONS));

const ballistic = strict({
  count: whole(1, MAX_GRAINS),
  radius,
  captureRadius: positive,
  box: fillBox,
  seed: z._default(seed, 1),
});

const group = strict({
  material: name,
  file: z.optional(file),
  list: z.optional(z.array(listed).check(z.minLength(1))),
  lattice: z.optional(lattice),
  random: z.optional(random),
  ballistic: z.optional(ballistic),
  velocity: z.optional(vector),
  force: z._default(vector, zero),
}).check(exactlyOne(GRAIN_SOURCES));

const pour = strict({
  material: name,
  count: whole(1, MAX_GRAINS),
  radius,
  velocity: z._default(vector, zero),
  force: z._default(vector, zero),
  region: strict({ box: z.optional(fillBox), cylinder: z.optional(fillCylinder) }).check(exactlyOne(FILL_REGIONS)),
  rate: positive,
  seed: z._default(seed, 1),
});

const event = strict({
  when: strict({
    time: z.optional(notNegative),
    step: z.optional(whole(0, MAX_STEPS)),
    rest: z.optional(positive),
  }).check(exactlyOne(EVENT_TIMES)),
  removeWalls: z.optional(z.array(name).check(z.minLength(1))),
  addWalls: z.optional(z.array(wall).check(z.minLength(1))),
  setPiston: z.optional(
    z.record(name, strict({ mass: z.optional(positive), force: z.optional(finite) }).check(filled)).check(filled),
  ),
  setMotion: z.optional(z.record(name, z.nullable(motion)).check(filled)),
  setGravity: z.optional(vector),
  insert: z.optional(z.array(group).check(z.minLength(1))),
  pour: z.optional(pour),
  checkpoint: z.optional(z.literal(true)),
  stop: z.optional(z.literal(true)),
});

const maxIterations = z._default(whole(1, MAX_ITERATIONS), 1000);
const convergence = z.discriminatedUnion(
  'criterion',
  [
    strict({ criterion: z.literal('fixed'), iterations: whole(1, MAX_ITERATIONS) }),
    strict({ criterion: z.literal('local'), epsilon: notNegative, delta: notNegative, maxIterations }),
    strict({ criterion: z.literal('global'), epsilon: notNegative, maxIterations }),
    strict({
      criterion: z._default(z.literal('residual'), 'residual'),
      tolerance: z._default(positive, 1e-3),
      balance: z._default(z.nullable(positive), 5e-2),
      maxIterations,
    }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'expected "fixed", "local", "global" or "residual"' : undefined) },
);

const solver = strict({
  sweep: z._default(choice(['coloured', 'random']), 'coloured'),
  order: z._default(choice(['fixed', 'random']), 'fixed'),
  momentum: z._default(finite.check(z.gte(0), z.lte(0.95)), 0.9),
  coarse: z._default(choice(['auto', 'on', 'off']), 'auto'),
  convergence: z.prefault(convergence, {}),
  warmStart: z._default(z.boolean(), true),
  seed: z._default(seed, 1),
});

const output = strict({
  every: z._default(whole(0, MAX_STEPS), 0),
  frames: z._default(choice(['vtp', 'xyz', 'dump', 'none']), 'vtp'),
  contacts: z._default(z.boolean(), false),
});

/** The scene file, format contact-dynamics/1: the one definition that validates, fills defaults and makes the JSON Schema. */
export const sceneSchema = strict({
  format: z.literal('contact-dynamics/1'),
  title: z._default(z.string(), ''),
  dimension: z._default(z.literal([2, 3]), 3),
  gravity: z._default(vector, zero),
  timeStep: positive,
  steps: whole(1, MAX_STEPS),
  periodic: z.optional(periodic),
  materials: z.record(name, material),
  contacts: z._default(z.array(contact), () => []),
  grains: z.array(group),
  walls: z._default(z.array(wall), () => []),
  events: z._default(z.array(event), () => []),
  solver: z.prefault(solver, {}),
  output: z.prefault(output, {}),
  /** By which an editor finds the JSON Schema; it counts for nothing else. */
  $schema: z.optional(z.string()),
});

/** A validated scene with the defaults filled in; units as the user chose them. */
export type Scene = z.output<typeof sceneSchema>;
/** What a user writes. */
export type SceneInput = z.input<typeof sceneSchema>;
export type SceneContact = Scene['contacts'][number];
export type SceneGroup = Scene['grains'][number];
export type SceneWall = Scene['walls'][number];
export type SceneEvent = Scene['events'][number];
export type Radius = z.output<typeof radius>;

/**
 * Validates what was read from a scene file and fills in the defaults.
 * @throws SceneError that lists every fault with its JSON path
 */
export function parseScene(json: unknown): Scene {
  const { data, faults } = checkScene(json);
  if (!data || faults.length > 0) throw new SceneError(faults);
  return data;
}

/** What parseScene gives, with every single fault. */
export function checkScene(json: unknown): { data?: Scene; faults: Fault[] } {
  const faults = nestingFaults(json);
  if (faults.length > 0) return { faults };
  const parse = (scene: unknown) => sceneSchema.safeParse(scene, { error: describeIssue, reportInput: true });
  const {
    parsed: { data, error },
    cut,
  } = parseBounded(parse, json);
  const found = error ? issueFaults(error.issues) : [];
  return { ...(cut.length === 0 && { data }), faults: [...found, ...cut, ...referenceFaults(json), ...dimensionFaults(json)] };
}

/** The JSON Schema of the scene file, for editors and other programs. */
export function sceneJsonSchema(): object {
  return z.toJSONSchema(sceneSchema, { io: 'input', target: 'draft-2020-12' });
}
