import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SceneInput } from '../../src/index';

/** Of the grains that move, evenly between the two. Units: about one diameter, gravity and density are 1. */
const RADII: [number, number] = [0.4, 0.5];
/** Of those that the rough floor is made of, which end where the floor's plane would be. */
const FLOOR_RADIUS = 0.45;
const FLOOR_SPACING = 0.95;
/** How far the floor's grains are out of their lattice: grains must find no rails. */
const FLOOR_JITTER = 0.1;
/** Radius and height of the tube in its file. */
const TUBE = { radius: 3, height: 16 };

/** A column of grains that stands in what holds it and then falls. */
export interface Column {
  dimension: 2 | 3;
  grains: number;
  /** Width of the column (two dimensions), or its radius. */
  length: number;
  friction: number;
  /** Without a value 0. */
  rolling?: number;
  /** Made of fixed grains, or a plane. */
  rough: boolean;
  /** How far from the column's foot the floor is rough, in lengths. */
  reach: number;
  timeStep: number;
  /** When all stands at rest before it falls, and when it is taken to have come to rest, at the latest. */
  standing: number;
  fallen: number;
  seed?: number;
}

export const fileOf = (name: string) => readFile(resolve('bench', 'scenes', name));

/** The scene of a column. What grains stand on is the material "floor", what holds them "wall". */
export function columnScene(column: Column): SceneInput {
  const { dimension, grains, friction, rolling = 0, rough, timeStep, standing, fallen } = column;
  const law = { friction, rollingFriction: rolling };
  return {
    format: 'contact-dynamics/1',
    title: `A column of ${grains} grains that falls`,
    dimension,
    gravity: dimension === 2 ? [0, -1, 0] : [0, 0, -1],
    timeStep,
    steps: Math.ceil(fallen / timeStep) + 1,
    materials: { grain: { density: 1 }, floor: { density: 1 }, wall: {} },
    contacts: [
      { between: ['grain', 'grain'], ...law },
      { between: ['grain', 'floor'], ...law },
      { between: ['grain', 'wall'], friction: dimension === 2 ? friction : 0 },
    ],
    grains: [...(rough ? [roughFloor(column)] : []), fill(column)],
    walls: [floorPlane(column), ...(dimension === 2 ? gate(column) : tube(column))],
    events: [...release(column, Math.round(standing / timeStep)), { when: { step: Math.ceil(fallen / timeStep) }, stop: true }],
    solver: {
      momentum: 0.8,
      coarse: 'off',
      convergence: { criterion: 'residual', tolerance: 1e-2, balance: null, maxIterations: 100 },
    },
  };
}

type Grains = SceneInput['grains'][number];
type Walls = NonNullable<SceneInput['walls']>;

/** Loose, and so high that it fits: it falls together while it stands in its walls. */
function fill({ dimension, grains, length, seed = 1 }: Column): Grains {
  const height = fillHeight(dimension, grains, length);
  const radius = { uniform: RADII };
  return dimension === 2
    ? { material: 'grain', random: { count: grains, radius, box: { min: [0, 0, 0], max: [length, height, 0] }, seed } }
    : {
        material: 'grain',
        random: { count: grains, radius, cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: length, height }, seed },
      };
}

/** Room for a fill of 42 % of the area, or of 24 % of the volume. */
function fillHeight(dimension: 2 | 3, grains: number, length: number): number {
  const radius = (RADII[0] + RADII[1]) / 2;
  return dimension === 2
    ? (grains * radius ** 2 * Math.PI) / (0.42 * length)
    : (grains * (4 / 3) * radius ** 3) / (0.24 * length ** 2);
}

function roughFloor({ dimension, length, reach }: Column): Grains {
  const places: [number, number, number][] = [];
  const end = length * reach;
  // Well spread numbers in place of random ones: the multiples of the golden ratio.
  const odd = (k: number, by: number) => FLOOR_JITTER * (2 * ((k * 0.6180339887 + by) % 1) - 1);
  if (dimension === 2) {
    for (let x = 0; x < end; x += FLOOR_SPACING) {
      places.push([x + odd(places.length, 0), -FLOOR_RADIUS + odd(7 * places.length, 0.5) - FLOOR_JITTER, 0]);
    }
  } else {
    for (let row = -Math.ceil(end); row * FLOOR_SPACING < end; row++) {
      const [y, half] = [row * FLOOR_SPACING * Math.sqrt(0.75), (row & 1) * (FLOOR_SPACING / 2)];
      for (let x = half - Math.ceil(end / FLOOR_SPACING) * FLOOR_SPACING; x < end; x += FLOOR_SPACING) {
        const k = places.length;
        if (Math.hypot(x, y) < end) {
          places.push([x + odd(k, 0), y + odd(3 * k, 0.3), -FLOOR_RADIUS + odd(7 * k, 0.5) - FLOOR_JITTER]);
        }
      }
    }
  }
  return {
    material: 'floor',
    list: places.map((position) => ({ position, radius: FLOOR_RADIUS, fixed: true })),
  };
}

/** Below the rough floor it catches what leaves that. */
function floorPlane({ dimension, rough }: Column): Walls[number] {
  const level = rough ? -2 * (FLOOR_RADIUS + FLOOR_JITTER) : 0;
  const [point, normal]: [number, number, number][] =
    dimension === 2
      ? [
          [0, level, 0],
          [0, 1, 0],
        ]
      : [
          [0, 0, level],
          [0, 0, 1],
        ];
  return { name: 'floor', material: 'floor', plane: { point, normal } };
}

const gate = ({ length }: Column): Walls => [
  { name: 'side', material: 'wall', plane: { point: [0, 0, 0], normal: [1, 0, 0] } },
  { name: 'gate', material: 'wall', plane: { point: [length, 0, 0], normal: [-1, 0, 0] } },
];

/** As high as its fill needs. */
const tube = ({ length }: Column): Walls => [
  { name: 'tube', material: 'wall', mesh: { file: 'tube.obj', scale: length / TUBE.radius } },
];

/** The gate is gone at once; the tube is lifted faster than grains fall from its height. */
function release({ dimension, length, timeStep }: Column, step: number): NonNullable<SceneInput['events']> {
  if (dimension === 2) return [{ when: { step }, removeWalls: ['gate'] }];
  const height = (TUBE.height * length) / TUBE.radius;
  const speed = Math.min(2 * Math.sqrt(2 * height), (0.9 * RADII[0]) / timeStep);
  return [
    { when: { step }, setMotion: { tube: { velocity: [0, 0, speed] } } },
    { when: { step: step + Math.ceil(height / speed / timeStep) }, removeWalls: ['tube'] },
  ];
}
