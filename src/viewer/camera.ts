import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type Box3, OrthographicCamera, PerspectiveCamera, Sphere, Vector3 } from 'three/webgpu';

/** Half the height that a perspective camera sees at a distance of one when it frames: an angle of 32 degrees. */
const HALF_HEIGHT = Math.tan((16 * Math.PI) / 180);
/** Room around what is framed. */
const MARGIN = 1.06;
/** Of the turntable. */
const TURNS_PER_MINUTE = 1.5;

/** A camera that turns about the packing; in two dimensions it looks at the plane from the front. Lengths in mean diameters. */
export class Rig {
  readonly camera: PerspectiveCamera | OrthographicCamera;
  private readonly controls: OrbitControls;
  private readonly around = new Sphere();
  /** Whether the reader has moved it since it framed something. */
  byReader = false;
  /** It moves by itself. */
  private busy = false;
  /** Of the picture, in pixels. */
  private height = 1;
  private aspect = 1;
  /** Half the width and height that what was framed needs; of a perspective camera at a distance of one. */
  private framed = { width: HALF_HEIGHT, height: HALF_HEIGHT };

  /**
   * @param up against gravity
   * @param onMove the reader has moved it
   */
  constructor(
    canvas: HTMLCanvasElement,
    readonly planar: boolean,
    up: Vector3,
    private readonly onMove: () => void,
  ) {
    this.camera = planar ? new OrthographicCamera(-1, 1, 1, -1, 0.1, 100) : new PerspectiveCamera(1, 1, 0.1, 100);
    this.camera.up.copy(planar ? new Vector3(0, 1, 0) : up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableRotate = !planar;
    this.controls.autoRotateSpeed = TURNS_PER_MINUTE;
    this.controls.listenToKeyEvents(canvas);
    this.controls.addEventListener('change', this.moved);
  }

  private readonly moved = () => {
    this.byReader ||= !this.busy;
    this.keepDepth();
    this.onMove();
  };

  /** What was framed stays in view, whatever the shape of the picture. @param height in pixels */
  resize(width: number, height: number): void {
    this.height = height;
    this.aspect = width / height;
    this.fit();
  }

  /** Half the height that is seen: at a distance of one, or by an orthographic camera at zoom 1. */
  private get halfHeight(): number {
    return Math.max(this.framed.height, this.framed.width / this.aspect);
  }

  private fit(): void {
    const { camera, aspect, halfHeight } = this;
    if (camera instanceof PerspectiveCamera) {
      Object.assign(camera, { aspect, fov: (360 / Math.PI) * Math.atan(halfHeight) });
    } else {
      const halfWidth = halfHeight * aspect;
      Object.assign(camera, { left: -halfWidth, right: halfWidth, top: halfHeight, bottom: -halfHeight });
    }
    camera.updateProjectionMatrix();
  }

  /** Length of a pixel at a distance of one; of an orthographic camera anywhere. */
  get pixel(): number {
    return (2 * this.halfHeight) / this.height / this.camera.zoom;
  }

  /** Looks at a box from its front, a little from above, so that it is in view. */
  frame(box: Box3): void {
    if (box.isEmpty()) return;
    const { camera, aspect } = this;
    const centre = box.getCenter(new Vector3());
    box.getBoundingSphere(this.around);
    if (camera instanceof OrthographicCamera) {
      const size = box.getSize(new Vector3());
      this.framed = { width: (MARGIN * size.x) / 2, height: (MARGIN * size.y) / 2 };
      camera.zoom = 1;
      camera.position.set(centre.x, centre.y, centre.z + 2 * this.around.radius);
    } else {
      const direction = viewDirection(camera.up);
      const sight = sightOf(box, direction, camera.up);
      const distance = sight.distance(HALF_HEIGHT * aspect, HALF_HEIGHT);
      this.framed = sight.needs(distance);
      camera.position.copy(centre).addScaledVector(direction, distance);
    }
    this.fit();
    this.settle(centre);
    this.byReader = false;
  }

  get target(): Vector3 {
    return this.controls.target;
  }

  /** Stands where it is told, as if the reader had moved it there. @param zoom of an orthographic camera */
  place(position: Vector3, target: Vector3, zoom: number): void {
    this.camera.position.copy(position);
    if (this.camera instanceof OrthographicCamera) this.camera.zoom = zoom;
    this.settle(target);
    this.byReader = true;
  }

  private settle(target: Vector3): void {
    this.busy = true;
    this.controls.target.copy(target);
    this.controls.update();
    this.busy = false;
    this.keepDepth();
  }

  /** What is to be seen has changed: the range of depths follows, the camera stays. */
  contain(box: Box3): void {
    box.getBoundingSphere(this.around);
    this.keepDepth();
  }

  /** Turns a little about the vertical. @param seconds since the last turn */
  turn(seconds: number): void {
    this.busy = true;
    this.controls.autoRotate = true;
    this.controls.update(seconds);
    this.controls.autoRotate = false;
    this.busy = false;
  }

  /** As narrow a range of depths as holds everything. */
  private keepDepth(): void {
    const { camera, around } = this;
    const distance = camera.position.distanceTo(around.center);
    const radius = 1.05 * around.radius + 1;
    camera.near = Math.max(distance - radius, 1e-3 * radius);
    camera.far = distance + radius;
    camera.updateProjectionMatrix();
  }

  dispose(): void {
    this.controls.removeEventListener('change', this.moved);
    this.controls.dispose();
  }
}

/** From what is looked at to the camera. */
function viewDirection(up: Vector3): Vector3 {
  const front = Math.abs(up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
  front.addScaledVector(up, -front.dot(up)).normalize();
  const side = new Vector3().crossVectors(front, up);
  return front.addScaledVector(side, -0.55).addScaledVector(up, 0.5).normalize();
}

/** The corners of a box as they are seen from a direction, with a little room. */
function sightOf(box: Box3, direction: Vector3, up: Vector3) {
  const centre = box.getCenter(new Vector3());
  const side = new Vector3().crossVectors(up, direction).normalize();
  const upwards = new Vector3().crossVectors(direction, side);
  const corners = Array.from({ length: 8 }, (_, corner) => {
    const ends = [box.min, box.max];
    const way = new Vector3(ends[corner & 1].x, ends[(corner >> 1) & 1].y, ends[corner >> 2].z)
      .sub(centre)
      .multiplyScalar(MARGIN);
    return { near: way.dot(direction), width: Math.abs(way.dot(side)), height: Math.abs(way.dot(upwards)) };
  });
  return {
    /** From which a camera that sees half as much at a distance of one has all of them in view. */
    distance: (halfWidth: number, halfHeight: number) =>
      Math.max(...corners.map(({ near, width, height }) => near + Math.max(width / halfWidth, height / halfHeight))),
    /** What a camera has to see at a distance of one, from there. */
    needs: (distance: number) => ({
      width: Math.max(...corners.map(({ near, width }) => width / (distance - near))),
      height: Math.max(...corners.map(({ near, height }) => height / (distance - near))),
    }),
  };
}
