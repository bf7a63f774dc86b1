import { z } from 'zod';
import { SceneError } from '../errors';
import { CHECKPOINT_NAME, particleFormat } from '../io/particleFile';
import { dimensionFaults } from './dimension';
import { describeIssue, issueFaults } from './faults';
import {
  choice,
  comparing,
  comparingVectors,
  direction,
  exactlyOne,
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
import { nestingFaults } from './nesting';
import { referenceFaults } from './references';
import {
  BOX_FACES,
  EVENT_TIMES,
  FILL_REGIONS,
  GRAIN_SOURCES,
  PERIODIC_AXES,
  RADIUS_DISTRIBUTIONS,
  WALL_SHAPES,
} from './vocabulary';

const ordered = ([least, most]: number[]) => least <= most;
/** Along z too in three dimensions: see dimension.ts, which knows the dimension. */
const largerMax = ({ min, max }: { min: number[]; max: number[] }) => max[0] > min[0] && max[1] > min[1] && max[2] >= min[2];
const LARGER_MAX = comparingVectors(['min', 'max'], 'must exceed "min" along every axis');

const periodic = strict({ axes: choice(PERIODIC_AXES), min: vector, max: vector }).refine(
  ({ axes, min, max }) => max.every((value, axis) => value > min[axis] || !String(axes).includes('xyz'[axis])),
  comparingVectors(['min', 'max'], 'must exceed "min" along every periodic axis'),
);

const material = strict({ density: positive.optional() });

const coefficient = z.number().gte(0).lte(MAX_FRICTION);
const share = z.number().gte(0).lte(1);

const contact = strict({
  between: z.tuple([name, name]),
  friction: z
    .union(
      [
        coefficient,
        strict({ static: coefficient, dynamic: coefficient }).refine(
          ({ static: atRest, dynamic }) => dynamic <= atRest,
          comparing(['static', 'dynamic'], 'must not exceed "static"'),
        ),
      ],
      { error: 'expected a number from 0 or { "static": mu_s, "dynamic": mu_d }' },
    )
    .default(0),
  restitution: z
    .union([share, strict({ normal: share, tangential: share.default(0) })], {
      error: 'expected a number from 0 to 1 or { "normal": e_n, "tangential": e_t }',
    })
    .default(0),
  rollingFriction: coefficient.default(0),
  torsionFriction: coefficient.default(0),
  cohesion: strict({ force: notNegative, range: positive }).optional(),
});

const radius = z.union(
  [
    positive,
    strict({
      uniform: z.tuple([positive, positive]).refine(ordered, 'expected [smallest, largest]').optional(),
      normal: strict({ mean: positive, deviation: positive, min: positive, max: positive })
        .refine(
          ({ mean, min, max }) => min <= mean && mean <= max,
          comparing(['min', 'max', 'mean'], 'must lie between "min" and "max"'),
        )
        .optional(),
      list: z
        .array(z.tuple([positive, positive]))
        .min(1)
        .optional(),
    }).meta(exactlyOne(RADIUS_DISTRIBUTIONS)),
  ],
  { error: 'expected a number above 0, { "uniform": [a, b] }, { "normal": { ... } } or { "list": [[radius, share], ...] }' },
);

const file = name.check(({ value, issues }) => {
  if (particleFormat(value) || CHECKPOINT_NAME.test(value)) return;
  const message = 'expected a file whose name ends in .particles, .dump, .csv, .xyz, .vtp, .pvd (each also with .gz) or .h5';
  issues.push({ code: 'custom', message, input: value });
});

const listed = strict({
  position: vector,
  radius: positive,
  velocity: vector.optional(),
  angularVelocity: vector.default(zero),
  force: vector.optional(),
  torque: vector.default(zero),
  fixed: z.boolean().default(false),
});

const lattice = strict({
  count: z.tuple([whole(1, MAX_GRAINS), whole(1, MAX_GRAINS), whole(1, MAX_GRAINS)]),
  spacing: z.union([positive, z.tuple([positive, positive, positive])], {
    error: 'expected a number above 0 or a list of three, one for each axis',
  }),
  origin: vector.default(zero),
  radius,
  jitter: notNegative.default(0),
  seed: seed.default(1),
});

const fillBox = strict({ min: vector, max: vector }).refine(largerMax, LARGER_MAX);
const fillCylinder = strict({ point: vector, axis: direction, radius: positive, height: positive });

const random = strict({
  count: whole(1, MAX_GRAINS),
  radius,
  box: fillBox.optional(),
  cylinder: fillCylinder.optional(),
  seed: seed.default(1),
}).meta(exactlyOne(FILL_REGIONS));

const ballistic = strict({
  count: whole(1, MAX_GRAINS),
  radius,
  captureRadius: positive,
  box: strict({ min: vector, max: vector }).refine(largerMax, LARGER_MAX),
  seed: seed.default(1),
});

const group = strict({
  material: name,
  file: file.optional(),
  list: z.array(listed).min(1).optional(),
  lattice: lattice.optional(),
  random: random.optional(),
  ballistic: ballistic.optional(),
  velocity: vector.optional(),
  force: vector.default(zero),
}).meta(exactlyOne(GRAIN_SOURCES));

const piston = strict({ mass: positive, force: finite });
const side = choice(['inside', 'outside']);

const plane = strict({
  point: vector,
  normal: direction,
  disk: positive.optional(),
  ring: z
    .tuple([positive, positive])
    .refine(([inner, outer]) => inner < outer, 'expected [inner, outer], the inner radius first')
    .optional(),
});

const motion = strict({
  velocity: vector.default(zero),
  angularVelocity: vector.default(zero),
  point: vector.optional(),
  oscillation: strict({ amplitude: vector, frequency: notNegative, phase: finite.default(0) }).optional(),
});

const wall = strict({
  name,
  material: name,
  piston: piston.optional(),
  plane: plane.optional(),
  cylinder: strict({ point: vector, axis: direction, radius: positive, side }).optional(),
  sphere: strict({ centre: vector, radius: positive, side }).optional(),
  box: strict({
    min: vector,
    max: vector,
    open: z
      .array(z.enum(BOX_FACES))
      .max(BOX_FACES.length - 1)
      .default(() => []),
  })
    .refine(largerMax, LARGER_MAX)
    .optional(),
  mesh: strict({
    file: name.refine((file) => /\.(stl|obj)$/i.test(file), 'expected a file whose name ends in .stl or .obj'),
    scale: positive.default(1),
  }).optional(),
  motion: motion.optional(),
}).meta(exactlyOne(WALL_SHAPES));

const pour = strict({
  material: name,
  count: whole(1, MAX_GRAINS),
  radius,
  velocity: vector.default(zero),
  force: vector.default(zero),
  region: strict({ box: fillBox.optional(), cylinder: fillCylinder.optional() }).meta(exactlyOne(FILL_REGIONS)),
  rate: positive,
  seed: seed.default(1),
});

const event = strict({
  when: strict({
    time: notNegative.optional(),
    step: whole(0, MAX_STEPS).optional(),
    rest: positive.optional(),
  }).meta(exactlyOne(EVENT_TIMES)),
  removeWalls: z.array(name).min(1).optional(),
  addWalls: z.array(wall).min(1).optional(),
  setPiston: z.record(name, strict({ mass: positive.optional(), force: finite.optional() })).optional(),
  setMotion: z.record(name, motion.nullable()).optional(),
  setGravity: vector.optional(),
  insert: z.array(group).min(1).optional(),
  pour: pour.optional(),
  checkpoint: z.literal(true).optional(),
  stop: z.literal(true).optional(),
});

const maxIterations = whole(1, MAX_ITERATIONS).default(1000);
const convergence = z.discriminatedUnion(
  'criterion',
  [
    strict({ criterion: z.literal('fixed'), iterations: whole(1, MAX_ITERATIONS) }),
    strict({ criterion: z.literal('local'), epsilon: notNegative, delta: notNegative, maxIterations }),
    strict({ criterion: z.literal('global'), epsilon: notNegative, maxIterations }),
    strict({
      criterion: z.literal('residual').default('residual'),
      tolerance: positive.default(1e-3),
      balance: positive.nullable().default(5e-2),
      maxIterations,
    }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'expected "fixed", "local", "global" or "residual"' : undefined) },
);

const solver = strict({
  sweep: choice(['coloured', 'random']).default('coloured'),
  order: choice(['fixed', 'random']).default('fixed'),
  momentum: finite.min(0).max(0.95).default(0.9),
  coarse: choice(['auto', 'on', 'off']).default('auto'),
  convergence: convergence.prefault({}),
  warmStart: z.boolean().default(true),
  seed: seed.default(1),
});

const output = strict({
  every: whole(0, MAX_STEPS).default(0),
  frames: choice(['vtp', 'xyz', 'dump', 'none']).default('vtp'),
  contacts: z.boolean().default(false),
});

/** The scene file, format contact-dynamics/1: the one definition that validates, fills defaults and makes the JSON Schema. */
export const sceneSchema = strict({
  format: z.literal('contact-dynamics/1'),
  title: z.string().default(''),
  dimension: z.literal([2, 3]).default(3),
  gravity: vector.default(zero),
  timeStep: positive,
  steps: whole(1, MAX_STEPS),
  periodic: periodic.optional(),
  materials: z.record(name, material),
  contacts: z.array(contact).default(() => []),
  grains: z.array(group),
  walls: z.array(wall).default(() => []),
  events: z.array(event).default(() => []),
  solver: solver.prefault({}),
  output: output.prefault({}),
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
  const nesting = nestingFaults(json);
  if (nesting.length > 0) throw new SceneError(nesting);
  const result = sceneSchema.safeParse(json, { error: describeIssue, reportInput: true });
  const faults = [
    ...(result.success ? [] : issueFaults(result.error.issues)),
    ...referenceFaults(json),
    ...dimensionFaults(json),
  ];
  if (!result.success || faults.length > 0) throw new SceneError(faults);
  return result.data;
}

/** The JSON Schema of the scene file, for editors and other programs. */
export function sceneJsonSchema(): object {
  return z.toJSONSchema(sceneSchema, { io: 'input', target: 'draft-2020-12' });
}
