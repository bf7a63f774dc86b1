import {
  attribute,
  cameraFar,
  cameraNear,
  cameraProjectionMatrix,
  cameraViewMatrix,
  cameraWorldMatrix,
  cross,
  Discard,
  dot,
  Fn,
  float,
  fwidth,
  If,
  instanceIndex,
  int,
  mix,
  positionGeometry,
  select,
  texture,
  uniform,
  varying,
  vec2,
  vec3,
  vec4,
  viewZToOrthographicDepth,
  viewZToPerspectiveDepth,
} from 'three/tsl';
import { DataTexture, DoubleSide, LinearFilter, NodeMaterial, RGBAFormat, Vector2, Vector3, Vector4 } from 'three/webgpu';
import { type Colour, PALETTE_SIZE } from './colours';

/** What the materials of grains, walls and chains share. Lengths in mean diameters. */
export class ViewUniforms {
  /** Length of a pixel at a distance of one; in two dimensions everywhere. */
  readonly pixel = uniform(0.01);
  /** Which figure the colour tells: an index into FIGURES. */
  readonly figure = uniform(0, 'int');
  /** A figure times the first plus the second is its place among the colours, from 0 to 1. */
  readonly scale = uniform(new Vector2(0, 0));
  /** Normal and distance of the clip plane: shown is where n . x + d >= 0. */
  readonly clip = uniform(new Vector4(0, 0, 0, 1));
  /** Upwards, against gravity. */
  readonly up = uniform(new Vector3(0, 0, 1));
  /** How dark the marks are that turn with grains. */
  readonly marks = uniform(0);
  /** Shares of the background in the colours of disks beneath chains. */
  readonly faded = uniform(0);
  readonly background = uniform(new Vector3(1, 1, 1));
  readonly palette: DataTexture;

  constructor() {
    this.palette = new DataTexture(new Uint8Array(4 * PALETTE_SIZE), PALETTE_SIZE, 1, RGBAFormat);
    this.palette.minFilter = LinearFilter;
    this.palette.magFilter = LinearFilter;
  }

  /** Colours evenly spaced; one for each category where there are fewer than the palette holds. */
  setPalette(colours: readonly Colour[]): void {
    const { data } = this.palette.image as unknown as { data: Uint8Array };
    for (let k = 0; k < data.length; k++) {
      const colour = colours[Math.min(Math.floor(k / 4), colours.length - 1)];
      const value = k % 4 === 3 ? 255 : Math.round(255 * colour[k % 4]);
      if (data[k] !== value) this.palette.needsUpdate = true;
      data[k] = value;
    }
  }

  dispose(): void {
    this.palette.dispose();
  }
}

/** Figures that a colour can tell, in the order of ViewUniforms.figure. */
export const FIGURES = [
  'plain',
  'speed',
  'rotation',
  'force',
  'coordination',
  'size',
  'material',
  'group',
  'contactState',
] as const;

/** Where the figure of a grain lies among the colours. */
function colourPlace({ figure, scale }: ViewUniforms) {
  const place = attribute<'vec4'>('place', 'vec4');
  const figures = attribute<'vec4'>('figures', 'vec4');
  const kind = attribute<'vec4'>('kind', 'vec4');
  const value = Fn(() => {
    const chosen = float(0).toVar();
    const ofFigure = [null, figures.x, figures.y, figures.z, figures.w, place.w, kind.x, kind.y, kind.z];
    for (const [index, node] of ofFigure.entries()) {
      if (!node) continue;
      If(figure.equal(int(index)), () => {
        chosen.assign(node);
      });
    }
    return chosen.mul(scale.x).add(scale.y).clamp(0, 1);
  })();
  // From the middle of the first colour to that of the last.
  return varying(value.mul((PALETTE_SIZE - 1) / PALETTE_SIZE).add(0.5 / PALETTE_SIZE), 'vColourPlace');
}

/**
 * A ball as a square that faces the camera: in the fragment the ray meets the ball, which has its true depth.
 * All in the camera's frame; `hit` is from the centre of the ball.
 */
function ball(uniforms: ViewUniforms, planar: boolean) {
  const place = attribute<'vec4'>('place', 'vec4');
  const corner = positionGeometry.xy;
  const centreNow = cameraViewMatrix.mul(vec4(place.xyz, 1)).xyz;
  const radiusNow = place.w;
  const offsetNow = Fn(() => {
    if (planar) return vec3(corner.mul(radiusNow.add(uniforms.pixel)), 0);
    const square = dot(centreNow, centreNow);
    const towards = centreNow.normalize();
    const across = cross(towards, vec3(0, 1, 0)).normalize();
    const upwards = cross(across, towards);
    // The cone that touches the ball, and a pixel for the smooth edge.
    const cone = radiusNow.mul(square.div(square.sub(radiusNow.mul(radiusNow)).max(radiusNow.mul(radiusNow).mul(0.01))).sqrt());
    const size = cone.add(uniforms.pixel.mul(centreNow.z.negate().max(0)).mul(1.5));
    return across.mul(corner.x).add(upwards.mul(corner.y)).mul(size);
  })();
  const offset = varying(offsetNow, 'vOffset');
  const centre = varying(centreNow, 'vCentre');
  const radius = varying(radiusNow, 'vRadius');
  const fromPlane = varying(dot(place.xyz, uniforms.clip.xyz).add(uniforms.clip.w), 'vFromPlane');
  const direction = planar ? vec3(0, 0, -1) : centre.add(offset).normalize();
  const along = dot(offset, direction);
  const square = dot(offset, offset).sub(along.mul(along)).max(0);
  const distance = square.sqrt();
  /** Share of the pixel that the ball covers. */
  const coverage = radius.sub(distance).div(fwidth(distance).max(1e-7)).add(0.5).clamp(0, 1);
  const entry = offset.sub(direction.mul(along.add(radius.mul(radius).sub(square).max(0).sqrt())));
  const planeNormal = cameraViewMatrix.mul(vec4(uniforms.clip.xyz, 0)).xyz;
  const cutAway = fromPlane.add(dot(planeNormal, entry)).lessThan(0);
  const facing = dot(planeNormal, direction);
  const toCut = fromPlane
    .add(dot(planeNormal, offset))
    .negate()
    .div(select(facing.abs().lessThan(1e-6), float(1e-6), facing));
  const cut = offset.add(direction.mul(toCut));
  const hit = select(cutAway, cut, entry);
  /** What is cut open shows a flat face, where the plane is within the ball. */
  const missing = coverage
    .lessThanEqual(0)
    .or(cutAway.and(facing.lessThanEqual(0).or(dot(cut, cut).greaterThan(radius.mul(radius)))));
  const normal = select(cutAway, planeNormal.negate(), entry.div(radius));
  const toDepth = planar ? viewZToOrthographicDepth : viewZToPerspectiveDepth;
  return {
    vertex: cameraProjectionMatrix.mul(vec4(centreNow.add(offsetNow), 1)),
    depth: toDepth(centre.z.add(hit.z), cameraNear, cameraFar),
    ...{ hit, normal, missing, coverage, radius, distance },
    /** From the nearest of what is in view to the farthest. */
    depthShare: centre.z.negate().sub(cameraNear).div(cameraFar.sub(cameraNear)).clamp(0, 1),
    normalWorld: cameraWorldMatrix.mul(vec4(normal, 0)).xyz,
  };
}

type Ball = ReturnType<typeof ball>;

/** The surface as it is seen in the grain's own frame, turned back by its orientation. */
function ownDirection(direction: Ball['normal']) {
  const turn = varying(attribute<'vec4'>('turn', 'vec4'), 'vTurn');
  const back = turn.xyz.negate();
  const twice = cross(back, direction).mul(2);
  return direction.add(twice.mul(turn.w)).add(cross(back, twice));
}

/** sRGB to linear light and back, near enough for shading: the same curve either way. */
const GAMMA = 2.2;

function ballColour(uniforms: ViewUniforms, b: Ball) {
  const shade = varying(attribute<'vec4'>('shade', 'vec4'), 'vShade');
  const base = texture(uniforms.palette, vec2(colourPlace(uniforms), 0.5)).rgb;
  return Fn(() => {
    const own = ownDirection(b.normalWorld);
    const field = own.x.mul(own.y).mul(own.z);
    const marked = field.div(fwidth(field).max(1e-4)).clamp(-0.5, 0.5).add(0.5);
    const linear = base.pow(vec3(GAMMA)).mul(marked.mul(uniforms.marks).oneMinus());
    // Half of a neighbour's weight all round, half on its side: the first two terms of a clamped cosine.
    const hidden = shade.w.mul(0.25).add(dot(b.normalWorld, shade.xyz).mul(0.5)).mul(0.42).clamp(0, 0.86);
    const sky = dot(b.normalWorld, uniforms.up).mul(0.5).add(0.5);
    const ambient = mix(float(0.3), float(0.62), sky).mul(hidden.oneMinus());
    const key = dot(b.normal, KEY_LIGHT).mul(0.75).add(0.25).max(0).mul(hidden.mul(0.75).oneMinus()).mul(0.62);
    const rim = b.normal.z.max(0).oneMinus().pow(3).mul(0.45).oneMinus();
    const half = dot(b.normal, HALF_WAY).max(0).pow(48).mul(0.16).mul(hidden.oneMinus());
    const lit = linear.mul(ambient.add(key)).mul(rim).add(half);
    const colour = lit.clamp(0, 1).pow(vec3(1 / GAMMA));
    return mix(colour, uniforms.background, b.depthShare.mul(b.depthShare).mul(HAZE));
  })();
}

/** Share of the background in the colour of the farthest. */
const HAZE = 0.4;

/** Towards the light, from over the viewer's left shoulder; and half-way between it and the viewer. */
const light = new Vector3(-0.42, 0.68, 0.6).normalize();
export const KEY_LIGHT = vec3(light.x, light.y, light.z);
const between = light
  .clone()
  .add(new Vector3(0, 0, 1))
  .normalize();
const HALF_WAY = vec3(between.x, between.y, between.z);

function diskColour(uniforms: ViewUniforms, b: Ball) {
  const base = texture(uniforms.palette, vec2(colourPlace(uniforms), 0.5)).rgb;
  return Fn(() => {
    const own = ownDirection(b.hit).xy.div(b.radius);
    const from = b.distance.div(b.radius);
    const width = fwidth(from).max(1e-5);
    const rim = from.sub(0.86).div(width).clamp(0, 1).mul(0.35);
    // A line from the middle outwards.
    const line = float(0.09).sub(own.y.abs()).div(width).clamp(0, 1).mul(own.x.sub(0.12).div(width).clamp(0, 1));
    const colour = base.mul(rim.max(line.mul(uniforms.marks)).oneMinus());
    return mix(colour, uniforms.background, uniforms.faded);
  })();
}

/** Balls in three dimensions, flat disks with a line that turns with them in two. */
export function grainMaterial(uniforms: ViewUniforms, planar: boolean, smooth: boolean): NodeMaterial {
  const b = ball(uniforms, planar);
  const colour = planar ? diskColour(uniforms, b) : ballColour(uniforms, b);
  const material = new NodeMaterial();
  material.side = DoubleSide;
  material.vertexNode = b.vertex;
  material.depthNode = b.depth;
  material.alphaToCoverage = smooth;
  material.fragmentNode = Fn(() => {
    Discard(smooth ? b.missing : b.missing.or(b.coverage.lessThan(0.5)));
    return vec4(colour, smooth ? b.coverage : float(1));
  })();
  return material;
}

/** Grains as glass, through which chains of force are seen. */
export function glassMaterial(uniforms: ViewUniforms): NodeMaterial {
  const b = ball(uniforms, false);
  const base = texture(uniforms.palette, vec2(colourPlace(uniforms), 0.5)).rgb;
  const material = new NodeMaterial();
  material.side = DoubleSide;
  material.transparent = true;
  material.depthWrite = false;
  material.vertexNode = b.vertex;
  material.depthNode = b.depth;
  material.fragmentNode = Fn(() => {
    Discard(b.missing);
    const rim = b.normal.z.max(0).oneMinus();
    return vec4(base, rim.pow(3).mul(0.3).add(0.035).mul(b.coverage));
  })();
  return material;
}

/** Draws the number of the row, one byte to a colour, and 1 in alpha. */
export function numberMaterial(uniforms: ViewUniforms, planar: boolean): NodeMaterial {
  const b = ball(uniforms, planar);
  const first = uniform(0, 'uint').onObjectUpdate(({ object }) => object?.userData.first ?? 0);
  const row = instanceIndex.add(first);
  const bytes = [0, 8, 16].map((shift) => row.shiftRight(shift).bitAnd(255).toFloat().div(255));
  const number = varying(vec3(bytes[0], bytes[1], bytes[2]), 'vNumber');
  const material = new NodeMaterial();
  material.side = DoubleSide;
  material.vertexNode = b.vertex;
  material.depthNode = b.depth;
  material.fragmentNode = Fn(() => {
    Discard(b.missing.or(b.coverage.lessThan(0.5)));
    return vec4(number, 1);
  })();
  return material;
}
