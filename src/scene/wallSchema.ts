import * as z from 'zod/mini';
import { aboveMin, choice, direction, exactlyOne, finite, name, notNegative, positive, strict, vector, zero } from './fields';
import { BOX_FACES, WALL_SHAPES } from './vocabulary';

const piston = strict({ mass: positive, force: finite });
const side = choice(['inside', 'outside']);

const plane = strict({
  point: vector,
  normal: direction,
  disk: z.optional(positive),
  ring: z.optional(
    z
      .tuple([positive, positive])
      .check(z.refine(([inner, outer]) => inner < outer, 'expected [inner, outer], the inner radius first')),
  ),
});

/** Larger ones leave no digits to the oscillation. */
const phase = finite.check(z.gte(-1e6), z.lte(1e6));

export const motion = strict({
  velocity: z._default(vector, zero),
  angularVelocity: z._default(vector, zero),
  point: z.optional(vector),
  oscillation: z.optional(strict({ amplitude: vector, frequency: notNegative, phase: z._default(phase, 0) })),
});

export const wall = strict({
  name,
  material: name,
  piston: z.optional(piston),
  plane: z.optional(plane),
  cylinder: z.optional(strict({ point: vector, axis: direction, radius: positive, side })),
  sphere: z.optional(strict({ centre: vector, radius: positive, side })),
  box: z.optional(
    strict({
      min: vector,
      max: vector,
      open: z._default(z.array(z.enum(BOX_FACES)).check(z.maxLength(BOX_FACES.length - 1)), () => []),
    }).check(aboveMin),
  ),
  mesh: z.optional(
    strict({
      file: name.check(z.refine((file) => /\.(stl|obj)$/i.test(file), 'expected a file whose name ends in .stl or .obj')),
      scale: z._default(positive, 1),
    }),
  ),
  motion: z.optional(motion),
}).check(exactlyOne(WALL_SHAPES));
