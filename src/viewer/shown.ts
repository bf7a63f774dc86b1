import { Box3, Vector3 } from 'three/webgpu';
import type { State } from '../report';
import type { Problem, Vector } from '../scene/problem';
import type { Units } from '../scene/system';
import { forceUnit } from '../scene/units';
import { presentBox, sceneBox } from './bounds';
import { Legends } from './legend';
import { GRAIN_COLUMNS } from './rows';
import type { GrainFigures, ViewSource } from './types';

/** How far infinite walls go beyond what is in view, as shares of its size: across gravity, and along it. */
const BEYOND = { across: 0.3, along: 0.02 };
/** Of grains that walls are drawn for, from what was in view at the start, in sizes of that. */
const FARTHEST = 2;

/** What is known of a source, and of the state of it that was drawn last. */
export class Shown {
  readonly legends: Legends;
  /** What is in view at the start, in internal units. */
  readonly box: Box3;
  /** Against gravity. */
  readonly up: Vector3;
  /** The number of the grain at each place; null: its place. */
  order: Uint32Array | null = null;
  /** Where the grains are, in internal units. */
  grains = new Box3();
  /** Of the walls, W x 7 in units of the scene. */
  poses: Float64Array = new Float64Array(0);
  /** Grains once all have come; 0 where that is not known. */
  private readonly all: number;
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
    this.all = source.steps > 0 ? 0 : countAll(problem);
  }

  /** What there is now. */
  get present(): Box3 {
    const { source, units, poses } = this;
    const { problem } = source;
    if (source.steps === 0 || poses.length < 7 * problem.walls.length) return this.box;
    const box = presentBox(this.grains, problem, poses, units, problem.grains.count < this.all);
    return box.isEmpty() ? this.box : box;
  }

  /** Into internal units. */
  inward(place: Vector): Vector3 {
    return new Vector3(...place).sub(new Vector3(...this.units.origin)).divideScalar(this.units.length);
  }

  /** Into units of the scene. */
  outward(place: Vector3): Vector {
    return place
      .clone()
      .multiplyScalar(this.units.length)
      .add(new Vector3(...this.units.origin))
      .toArray();
  }

  /**
   * Where infinite walls end: beyond what was in view at the start and the grains, but those that have flown far away; where space repeats
   * itself, at the ends of its cell.
   */
  get wallBox(): Box3 {
    const start = this.box.getSize(new Vector3()).length();
    const view = this.grains
      .clone()
      .intersect(this.box.clone().expandByScalar(FARTHEST * start))
      .union(this.box);
    const size = view.getSize(new Vector3());
    const planar = this.source.problem.dimension === 2;
    const margin = size.toArray().map((_, axis) => {
      const along = planar || Math.abs(this.up.getComponent(axis)) > 0.5;
      return (along ? BEYOND.along : BEYOND.across) * size.length();
    });
    return this.withinCell(view.expandByVector(new Vector3(...margin)));
  }

  private withinCell(view: Box3): Box3 {
    const { min, lengths } = this.source.problem.periodic ?? { min: [0, 0, 0], lengths: [0, 0, 0] };
    const [low, high] = [this.inward(min as Vector), this.inward(min.map((x, axis) => x + lengths[axis]) as Vector)];
    lengths.forEach((length, axis) => {
      if (length === 0) return;
      view.min.setComponent(axis, low.getComponent(axis));
      view.max.setComponent(axis, high.getComponent(axis));
    });
    return view;
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
    return [...n.toArray(), -n.dot(this.inward(point))];
  }
}

const countAll = ({ grains, events = [] }: Problem) =>
  events.reduce((sum, { insert, pour }) => sum + (insert?.count ?? 0) + (pour?.grains.count ?? 0), grains.count);

function upwards({ gravity, dimension }: Problem): Vector3 {
  if (dimension === 2) return new Vector3(0, 1, 0);
  const up = new Vector3(...gravity).negate();
  return up.lengthSq() > 0 ? up.normalize() : new Vector3(0, 0, 1);
}
