import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type Box3, OrthographicCamera, PerspectiveCamera, Sphere, Vector3 } from 'three/webgpu';

/** Vertical angle of view in degrees. */
const ANGLE = 32;
/** Room around what is framed. */
const MARGIN = 1.06;
/** Of the turntable. */
const TURNS_PER_MINUTE = 1.5;

/** A camera that turns about the packing; in two dimensions it looks at the plane from the front. Lengths in mean diameters. */
export class Rig {
  readonly camera: PerspectiveCamera | OrthographicCamera;
  private readonly controls: OrbitControls;
  private readonly around = new Sphere();
  private height = 1;
  /** Half the height of what an orthographic camera sees at zoom 1. */
  private halfHeight = 1;

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
    this.camera = planar ? new OrthographicCamera(-1, 1, 1, -1, 0.1, 100) : new PerspectiveCamera(ANGLE, 1, 0.1, 100);
    this.camera.up.copy(planar ? new Vector3(0, 1, 0) : up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableRotate = !planar;
    this.controls.autoRotateSpeed = TURNS_PER_MINUTE;
    this.controls.listenToKeyEvents(canvas);
    this.controls.addEventListener('change', this.moved);
  }

  private readonly moved = () => {
    this.keepDepth();
    this.onMove();
  };

  /** @param height in pixels */
  resize(width: number, height: number): void {
    this.height = height;
    const aspect = width / height;
    if (this.camera instanceof PerspectiveCamera) this.camera.aspect = aspect;
    else Object.assign(this.camera, frustum(this.halfHeight, aspect));
    this.camera.updateProjectionMatrix();
  }

  /** Length of a pixel at a distance of one; of an orthographic camera anywhere. */
  get pixel(): number {
    if (this.camera instanceof PerspectiveCamera) return (2 * Math.tan((ANGLE * Math.PI) / 360)) / this.height;
    return (2 * this.halfHeight) / this.height / this.camera.zoom;
  }

  /** Looks at a box from its front, a little from above, so that it is in view. */
  frame(box: Box3): void {
    const { camera, controls } = this;
    const centre = box.getCenter(new Vector3());
    box.getBoundingSphere(this.around);
    if (camera instanceof OrthographicCamera) {
      const size = box.getSize(new Vector3());
      const aspect = camera.right / camera.top;
      this.halfHeight = (MARGIN * Math.max(size.y, size.x / aspect)) / 2;
      camera.zoom = 1;
      Object.assign(camera, frustum(this.halfHeight, aspect));
      camera.position.set(centre.x, centre.y, centre.z + 2 * this.around.radius);
    } else {
      const direction = viewDirection(camera.up);
      camera.position.copy(centre).addScaledVector(direction, fittingDistance(camera, box, centre, direction));
    }
    controls.target.copy(centre);
    camera.updateProjectionMatrix();
    controls.update();
    this.keepDepth();
  }

  /** What is to be seen has changed: the range of depths follows, the camera stays. */
  contain(box: Box3): void {
    box.getBoundingSphere(this.around);
    this.keepDepth();
  }

  /** Turns a little about the vertical. @param seconds since the last turn */
  turn(seconds: number): void {
    this.controls.autoRotate = true;
    this.controls.update(seconds);
    this.controls.autoRotate = false;
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

const frustum = (halfHeight: number, aspect: number) => ({
  left: -halfHeight * aspect,
  right: halfHeight * aspect,
  top: halfHeight,
  bottom: -halfHeight,
});

/** From what is looked at to the camera. */
function viewDirection(up: Vector3): Vector3 {
  const front = Math.abs(up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
  front.addScaledVector(up, -front.dot(up)).normalize();
  const side = new Vector3().crossVectors(front, up);
  return front.addScaledVector(side, -0.55).addScaledVector(up, 0.5).normalize();
}

/** How far away all corners of a box are in view. */
function fittingDistance(camera: PerspectiveCamera, box: Box3, centre: Vector3, direction: Vector3): number {
  const side = new Vector3().crossVectors(camera.up, direction).normalize();
  const upwards = new Vector3().crossVectors(direction, side);
  const vertical = Math.tan((ANGLE * Math.PI) / 360);
  const horizontal = vertical * camera.aspect;
  let distance = 0;
  for (let corner = 0; corner < 8; corner++) {
    const ends = [box.min, box.max];
    const way = new Vector3(ends[corner & 1].x, ends[(corner >> 1) & 1].y, ends[corner >> 2].z)
      .sub(centre)
      .multiplyScalar(MARGIN);
    const needed = Math.max(Math.abs(way.dot(side)) / horizontal, Math.abs(way.dot(upwards)) / vertical);
    distance = Math.max(distance, way.dot(direction) + needed);
  }
  return distance;
}
