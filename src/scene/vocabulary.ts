/** Where a group's grains come from; exactly one is given. */
export const GRAIN_SOURCES = ['file', 'list', 'lattice', 'random', 'ballistic'] as const;

/** The axes along which space can be periodic. */
export const PERIODIC_AXES = ['x', 'y', 'z', 'xy', 'xz', 'yz', 'xyz'] as const;

/** What a wall can be; exactly one is given. */
export const WALL_SHAPES = ['plane', 'cylinder', 'sphere', 'box', 'mesh'] as const;

/** The ways to give radii that differ; exactly one is given. */
export const RADIUS_DISTRIBUTIONS = ['uniform', 'normal', 'list'] as const;

/** The regions that a random fill can take; exactly one is given. */
export const FILL_REGIONS = ['box', 'cylinder'] as const;

/** When an event happens; exactly one is given. */
export const EVENT_TIMES = ['time', 'step', 'rest'] as const;

/** What an event does; at least one is given. */
export const EVENT_ACTIONS = [
  'removeWalls',
  'addWalls',
  'setPiston',
  'setMotion',
  'setGravity',
  'insert',
  'pour',
  'checkpoint',
  'stop',
] as const;

/** Faces of a box, named by the direction in which they lie. */
export const BOX_FACES = ['-x', '+x', '-y', '+y', '-z', '+z'] as const;
export type BoxFace = (typeof BOX_FACES)[number];
