import { type Box3, Vector3 } from 'three/webgpu';
import type { State } from '../report';
import type { Problem, Vector } from '../scene/problem';
import type { Units } from '../scene/system';
import { forceUnit } from '../scene/units';
import { sceneBox } from './bounds';
import { Legends } from './legend';
import { GRAIN_COLUMNS } from './rows';
import type { GrainFigures, ViewSource } from './types';

/** How far infinite walls go beyond what is in view, as shares of its size: across gravity, and along it. */
const BEYOND = { across: 0.3, along: 0.02 };

/** What is known of a source, and of the state of it that was drawn last. */
export class Shown {
  readonly legends: Legends;
  /** What is in view at the start, in internal units. */
  readonly box: Box3;
  /** Against gravity. */
  readonly up: Vector3;
  /** The number of the grain at each place; null: its place. */
  order: Uint32Array | null = null;
  /** Absent where it lies on the GPU. */
  state?: State;
  /** Whether figures were counted yet, so that there are colours to draw with. */
  measured = false;

  constructor(
    readonly source: ViewSource,
    readonly units: Units,
  ) {
    const { problem } = source;
    this.legends = new Legends(() => source.problem, units);
    this.box = sceneBox(problem, units);
    this.up = upwards(problem);
  }

  /** Where infinite walls end. */
  get wallBox(): Box3 {
    const size = this.box.getSize(new Vector3());
    const planar = this.source.problem.dimension === 2;
    const margin = size.toArray().map((_, axis) => {
      const along = planar || Math.abs(this.up.getComponent(axis)) > 0.5;
      return (along ? BEYOND.along : BEYOND.across) * size.length();
    });
    return this.box.clone().expandByVector(new Vector3(...margin));
  }

  /** Figures of the grain at a place, from its row. */
  figures(place: number, row: Float32Array): GrainFigures {
    const { length, time, origin } = this.units;
    const { materials } = this.source.problem;
    const [speed, rotation, force, contacts] = row.subarray(GRAIN_COLUMNS.figures);
    const [material, group] = row.subarray(GRAIN_COLUMNS.kind);
    return {
      id: this.order ? this.order[place] : place,
      position: origin.map((x, axis) => x + row[axis] * length) as Vector,
      radius: row[3] * length,
      speed: (speed * length) / time,
      angularSpeed: rotation / time,
      force: force * forceUnit(this.units),
      contacts,
      material: materials[material].name,
      group,
    };
  }

  /** A plane of the scene as n . x + d in internal units. */
  plane({ point, normal }: { point: Vector; normal: Vector }): [...Vector, number] {
    const n = new Vector3(...normal).normalize();
    const { origin, length } = this.units;
    const place = new Vector3(...point).sub(new Vector3(...origin)).divideScalar(length);
    return [...n.toArray(), -n.dot(place)];
  }
}

function upwards({ gravity, dimension }: Problem): Vector3 {
  if (dimension === 2) return new Vector3(0, 1, 0);
  const up = new Vector3(...gravity).negate();
  return up.lengthSq() > 0 ? up.normalize() : new Vector3(0, 0, 1);
}
