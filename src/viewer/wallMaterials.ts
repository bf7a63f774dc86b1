import {
  cameraViewMatrix,
  Discard,
  dot,
  Fn,
  float,
  fwidth,
  mix,
  modelWorldMatrix,
  normalGeometry,
  positionGeometry,
  positionWorld,
  uniform,
  uv,
  varying,
  vec3,
  vec4,
} from 'three/tsl';
import { BackSide, DoubleSide, FrontSide, LineBasicNodeMaterial, NodeMaterial, type Side, Vector3 } from 'three/webgpu';
import type { Theme } from './colours';
import { KEY_LIGHT, type ViewUniforms } from './grains';

/** Opacity of a wall that stands between the camera and the grains. */
const GLASS = 0.1;

/** Of walls: solid where the side is seen that grains touch, else as glass. */
export class WallMaterials {
  private readonly wall = uniform(new Vector3());
  private readonly line = uniform(new Vector3());
  readonly solid: NodeMaterial;
  readonly glass: NodeMaterial;
  /** Of walls that grains touch on both sides. */
  readonly plate: NodeMaterial;
  /** Of flat shapes in two dimensions. */
  readonly flat: NodeMaterial;
  readonly edge = new LineBasicNodeMaterial();

  constructor(view: ViewUniforms) {
    this.solid = this.surface(view, FrontSide, 1, true);
    this.glass = this.surface(view, BackSide, GLASS, true);
    this.plate = this.surface(view, DoubleSide, 0.85, true);
    this.flat = this.surface(view, DoubleSide, 1, false);
    this.edge.maskNode = dot(positionWorld, view.clip.xyz).add(view.clip.w).greaterThanEqual(0);
    this.edge.transparent = true;
    this.edge.opacity = 0.75;
  }

  setTheme({ wall, wallLine }: Theme): void {
    this.wall.value.set(...wall);
    this.line.value.set(...wallLine);
    this.edge.color.setRGB(...wallLine);
  }

  /** Lines are at whole numbers of the geometry's uv. */
  private surface(view: ViewUniforms, side: Side, opacity: number, lit: boolean): NodeMaterial {
    const world = varying(modelWorldMatrix.mul(vec4(positionGeometry, 1)).xyz, 'vWallPlace');
    const normal = varying(modelWorldMatrix.mul(vec4(normalGeometry, 0)).xyz, 'vWallNormal');
    const material = new NodeMaterial();
    material.side = side;
    material.transparent = opacity < 1;
    material.depthWrite = opacity > 0.5;
    material.fragmentNode = Fn(() => {
      Discard(dot(world, view.clip.xyz).add(view.clip.w).lessThan(0));
      const width = fwidth(uv()).max(1e-6);
      const near = uv().fract().sub(0.5).abs().sub(0.5).abs().div(width);
      // Lines that would lie closer than a few pixels fade.
      const ofAxis = vec3(near, 0).xy.oneMinus().clamp(0, 1).mul(width.mul(4).oneMinus().clamp(0, 1));
      const colour = mix(this.wall, this.line, ofAxis.x.max(ofAxis.y).mul(0.55));
      const n = normal.normalize();
      const inView = cameraViewMatrix.mul(vec4(n, 0)).xyz;
      const facing = side === DoubleSide ? inView.mul(inView.z.sign()) : inView;
      const light = lit ? dot(facing, KEY_LIGHT).max(0).mul(0.1).add(dot(n, view.up).mul(0.05)).add(0.93) : float(1);
      return vec4(colour.mul(light), opacity);
    })();
    return material;
  }

  dispose(): void {
    for (const material of [this.solid, this.glass, this.plate, this.flat, this.edge]) material.dispose();
  }
}
