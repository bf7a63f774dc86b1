import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  EdgesGeometry,
  Group,
  LineSegments,
  Matrix4,
  Mesh,
  type Object3D,
  PlaneGeometry,
  Quaternion,
  RingGeometry,
  SphereGeometry,
  Vector3,
} from 'three/webgpu';
import type { Problem, Wall, WallShape } from '../scene/problem';
import type { Units } from '../scene/system';
import { roundUp } from './scale';
import type { WallMaterials } from './wallMaterials';
import { cylinderExtent, lineExtent, planePolygon, tangents, type WallPlace, wallPlaces } from './wallPlaces';

/** Lines about a cylinder or a sphere. */
const SECTORS = 24;
/** Thickness of what stands in two dimensions for planes, behind them, and for plates, in mean diameters. */
const BAND = 0.6;
const PLATE = 0.25;
/** Angle in degrees from which on two triangles of a mesh have an edge between them. */
const EDGE_ANGLE = 20;
/** Lines across the view. */
const LINES = 12;

/** What walls are drawn by: where infinite ones end, distance of lines, length of an internal unit. Lengths but the last are internal. */
interface Layout {
  all: readonly WallPlace[];
  view: Box3;
  spacing: number;
  length: number;
}

/** The walls of a scene, where they are at each update. Infinite ones end where the view, or another wall, does. */
export class Walls {
  readonly group = new Group();
  private poses: Float64Array = new Float64Array(0);
  private view = new Box3();
  private readonly objects = new Map<Wall, Object3D>();

  constructor(
    private readonly materials: WallMaterials,
    private readonly planar: boolean,
  ) {}

  /** @param poses W x 7 in units of the scene, as State.walls */
  update({ walls }: Problem, poses: Float64Array, units: Units, view: Box3): void {
    if (walls.every((wall) => this.objects.has(wall)) && same(poses, this.poses) && this.view.containsBox(view)) return;
    this.poses = poses;
    this.view = view;
    const all = wallPlaces(walls, poses, units);
    const spacing = roundUp(view.getSize(new Vector3()).length() / LINES);
    const layout = { all, view, spacing, length: units.length };
    for (const wall of [...this.objects.keys()]) if (!walls.includes(wall) || isEndless(wall)) this.remove(wall);
    for (const place of all) {
      const { wall } = place;
      const object = this.objects.get(wall) ?? (this.planar ? this.flatWall(place, layout) : this.solidWall(place, layout));
      if (!isEndless(wall)) put(object, place);
      this.objects.set(wall, object);
      this.group.add(object);
    }
  }

  private solidWall(place: WallPlace, { all, view, spacing, length }: Layout): Object3D {
    const { shape } = place.wall;
    if (shape.kind === 'plane' && !shape.region) {
      const polygon = planePolygon(place, all, view);
      return polygon.length > 2 ? this.sided(polygonGeometry(polygon, place, spacing), outlineOf(polygon)) : new Group();
    }
    if (shape.kind === 'plane') return this.plate(shape, length);
    if (shape.kind === 'sphere') return this.ball(shape, length);
    if (shape.kind === 'mesh') return this.edged(meshGeometry(shape, length));
    const extent = cylinderExtent(place, all, view);
    return this.edged(cylinderGeometry(shape.radius / length, extent, spacing, shape.side === 'inside'));
  }

  private flatWall(place: WallPlace, { all, view, spacing, length }: Layout): Object3D {
    const { shape } = place.wall;
    const group = new Group();
    if (shape.kind === 'plane' && !shape.region) {
      const extent = lineExtent(place, all, view);
      if (extent) group.add(new Mesh(bandGeometry(place, extent, spacing), this.materials.flat));
    } else if (shape.kind === 'plane') {
      const [inner, outer] = [shape.region!.inner / length, shape.region!.outer / length];
      for (const middle of [-(inner + outer) / 2, (inner + outer) / 2]) {
        group.add(
          new Mesh(new PlaneGeometry(outer - inner, PLATE).rotateX(Math.PI / 2).translate(middle, 0, 0), this.materials.flat),
        );
      }
    } else if (shape.kind !== 'mesh') {
      const radius = shape.radius / length;
      const ring = shape.side === 'inside' ? new RingGeometry(radius, radius + BAND, 128) : new RingGeometry(0, radius, 128);
      setSectors(ring);
      group.add(new Mesh(ring, this.materials.flat));
    }
    return group;
  }

  private edged(geometry: BufferGeometry): Group {
    return this.sided(geometry, new EdgesGeometry(geometry, EDGE_ANGLE));
  }

  /** Solid from the side to which its triangles turn, as glass from the other. */
  private sided(geometry: BufferGeometry, edges: BufferGeometry): Group {
    const { solid, glass, edge } = this.materials;
    const group = new Group();
    const near = new Mesh(geometry, glass);
    near.renderOrder = 20;
    group.add(new Mesh(geometry, solid), near, new LineSegments(edges, edge));
    return group;
  }

  private plate({ region }: WallShape & { kind: 'plane' }, length: number): Group {
    const ring = new RingGeometry(region!.inner / length, region!.outer / length, 96);
    setSectors(ring);
    const { plate, edge } = this.materials;
    return new Group().add(new Mesh(ring, plate), new LineSegments(new EdgesGeometry(ring, EDGE_ANGLE), edge));
  }

  private ball({ radius, side }: WallShape & { kind: 'sphere' }, length: number): Group {
    const geometry = new SphereGeometry(radius / length, 96, 48);
    const uv = geometry.getAttribute('uv') as BufferAttribute;
    for (let k = 0; k < uv.count; k++) uv.setXY(k, uv.getX(k) * SECTORS, (uv.getY(k) * SECTORS) / 2);
    if (side === 'inside') turnInsideOut(geometry);
    return this.sided(geometry, new BufferGeometry());
  }

  private remove(wall: Wall): void {
    const object = this.objects.get(wall)!;
    object.traverse((part) => {
      if (part instanceof Mesh || part instanceof LineSegments) part.geometry.dispose();
    });
    object.removeFromParent();
    this.objects.delete(wall);
  }

  dispose(): void {
    for (const wall of [...this.objects.keys()]) this.remove(wall);
  }
}

/** What is drawn of it depends on where it and others are; other walls are carried as they are. */
const isEndless = ({ shape }: Wall) => shape.kind === 'plane' && !shape.region;

const same = (a: Float64Array, b: Float64Array) => a.length === b.length && a.every((x, k) => x === b[k]);

/** Puts an object, made about its own z axis or as the mesh was read, where the wall is. */
function put(object: Object3D, { point, turn, wall: { shape } }: WallPlace): void {
  object.position.copy(point);
  object.quaternion.copy(turn);
  if (shape.kind === 'sphere' || shape.kind === 'mesh') return;
  const direction = new Vector3().fromArray(shape.kind === 'plane' ? shape.normal : shape.axis);
  const [side, upwards] = tangents(direction);
  const upright = new Matrix4().makeBasis(side, upwards, direction);
  object.quaternion.multiply(new Quaternion().setFromRotationMatrix(upright));
}

function polygonGeometry(polygon: readonly Vector3[], { point, direction, turn }: WallPlace, spacing: number): BufferGeometry {
  const [side, upwards] = tangents(direction.clone().applyQuaternion(turn.clone().invert())).map((axis) =>
    axis.applyQuaternion(turn),
  );
  const uv = polygon.flatMap((corner) => {
    const way = corner.clone().sub(point);
    return [way.dot(side) / spacing, way.dot(upwards) / spacing];
  });
  const geometry = geometryOf(
    polygon.flatMap((corner) => corner.toArray()),
    uv,
  );
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(polygon.flatMap(() => direction.toArray())), 3));
  geometry.setIndex(polygon.slice(2).flatMap((_, k) => [0, k + 1, k + 2]));
  return geometry;
}

function geometryOf(positions: readonly number[], uv: readonly number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('uv', new BufferAttribute(new Float32Array(uv), 2));
  return geometry;
}

function outlineOf(polygon: readonly Vector3[]): BufferGeometry {
  const ends = polygon.flatMap((corner, k) => [...corner.toArray(), ...polygon[(k + 1) % polygon.length].toArray()]);
  return new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(ends), 3));
}

/** A band behind a line, away from the grains. */
function bandGeometry({ point, direction }: WallPlace, [low, high]: number[], spacing: number): BufferGeometry {
  const tangent = new Vector3(-direction.y, direction.x, 0);
  const corners = [
    [low, 0],
    [high, 0],
    [high, -BAND],
    [low, -BAND],
  ];
  const positions = corners.flatMap(([along, height]) =>
    point.clone().addScaledVector(tangent, along).addScaledVector(direction, height).toArray(),
  );
  const geometry = geometryOf(
    positions,
    corners.flatMap(([along]) => [(4 * along) / spacing, 0.5]),
  );
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

function cylinderGeometry(radius: number, [low, high]: [number, number], spacing: number, inside: boolean): BufferGeometry {
  const geometry = new CylinderGeometry(radius, radius, high - low, 96, 1, true).rotateX(Math.PI / 2);
  geometry.translate(0, 0, (low + high) / 2);
  const uv = geometry.getAttribute('uv') as BufferAttribute;
  for (let k = 0; k < uv.count; k++) uv.setXY(k, uv.getX(k) * SECTORS, (uv.getY(k) * (high - low)) / spacing + 0.5);
  if (inside) turnInsideOut(geometry);
  return geometry;
}

/** Lines from the middle outwards. */
function setSectors(ring: RingGeometry): void {
  const [place, uv] = [ring.getAttribute('position'), ring.getAttribute('uv') as BufferAttribute];
  const rays = ring.parameters.thetaSegments + 1;
  for (let k = 0; k < uv.count; k++) uv.setXY(k, ((k % rays) / (rays - 1)) * SECTORS, place.getZ(k) + 0.5);
}

/** Other winding and normals. */
function turnInsideOut(geometry: BufferGeometry): void {
  const index = geometry.getIndex()!;
  for (let k = 0; k < index.count; k += 3) {
    const first = index.getX(k);
    index.setX(k, index.getX(k + 2));
    index.setX(k + 2, first);
  }
  const normal = geometry.getAttribute('normal');
  for (let k = 0; k < normal.count; k++) normal.setXYZ(k, -normal.getX(k), -normal.getY(k), -normal.getZ(k));
}

/** Triangles about the mesh's own point, each turned to the middle of the mesh: vessels are seen into. */
function meshGeometry({ mesh, home }: WallShape & { kind: 'mesh' }, length: number): BufferGeometry {
  const { vertices, triangles } = mesh;
  const about = new Vector3(...home);
  const corner = (v: number) =>
    new Vector3()
      .fromArray(vertices, 3 * v)
      .sub(about)
      .divideScalar(length);
  const middle = new Vector3();
  for (let v = 0; v < vertices.length / 3; v++) middle.addScaledVector(corner(v), 3 / vertices.length);
  const [positions, normals]: number[][] = [[], []];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [0, 1, 2].map((k) => corner(triangles[t + k]));
    const normal = new Vector3().crossVectors(corners[1].clone().sub(corners[0]), corners[2].clone().sub(corners[0])).normalize();
    if (middle.clone().sub(corners[0]).dot(normal) < 0) {
      corners.reverse();
      normal.negate();
    }
    for (const place of corners) {
      positions.push(...place.toArray());
      normals.push(...normal.toArray());
    }
  }
  const geometry = geometryOf(positions, new Array((positions.length / 3) * 2).fill(0.5));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  return geometry;
}
