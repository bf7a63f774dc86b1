import RAPIER from '@dimforge/rapier3d-simd-compat';
import type { Problem, WallShape } from '../../src/scene/problem';

/** Rapier is shipped as WebAssembly, which must be ready before the first world. */
export const loadRapier = () => RAPIER.init();

export async function rapierVersion(): Promise<string> {
  await loadRapier();
  return RAPIER.version();
}

/** Halves, in mean diameters: the planes are along the axes. */
const WALL_THICKNESS = 5;
const WALL_LENGTH = 500;

/** The spheres of a problem, in a box, in Rapier with one coefficient of friction and no restitution. */
export class RapierWorld {
  private readonly world: RAPIER.World;
  private readonly bodies: RAPIER.RigidBody[] = [];

  /** @param iterations of Rapier's solver in each step; 4 is its default */
  constructor({ gravity: [x, y, z], timeStep, grains, walls, laws }: Problem, iterations: number) {
    const friction = laws[0].dynamicFriction;
    this.world = new RAPIER.World({ x, y, z });
    this.world.timestep = timeStep;
    this.world.numSolverIterations = iterations;
    for (let i = 0; i < grains.count; i++) {
      const [px, py, pz] = grains.positions.subarray(3 * i, 3 * i + 3);
      const body = this.world.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setTranslation(px, py, pz));
      const ball = RAPIER.ColliderDesc.ball(grains.radii[i]).setMass(grains.masses[i]);
      this.world.createCollider(ball.setFriction(friction).setRestitution(0), body);
      this.bodies.push(body);
    }
    for (const { shape } of walls) this.addWall(shape, friction);
  }

  /** A block behind the plane, as Rapier has no half spaces here. */
  private addWall(shape: WallShape, friction: number): void {
    if (shape.kind !== 'plane') throw new RangeError(`The walls beside Rapier are planes, not ${shape.kind}`);
    const [x, y, z] = shape.point.map((at, axis) => at - WALL_THICKNESS * shape.normal[axis]);
    const [hx, hy, hz] = shape.normal.map((component) => (component === 0 ? WALL_LENGTH : WALL_THICKNESS * Math.abs(component)));
    const body = this.world.createRigidBody(RAPIER.RigidBodyDesc.fixed().setTranslation(x, y, z));
    this.world.createCollider(RAPIER.ColliderDesc.cuboid(hx, hy, hz).setFriction(friction).setRestitution(0), body);
  }

  step(): void {
    this.world.step();
  }

  /** N x 3 */
  positions(): Float64Array {
    const positions = new Float64Array(3 * this.bodies.length);
    this.bodies.forEach((body, i) => {
      const { x, y, z } = body.translation();
      positions.set([x, y, z], 3 * i);
    });
    return positions;
  }

  free(): void {
    this.world.free();
  }
}
