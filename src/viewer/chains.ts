import {
  attribute,
  cameraProjectionMatrix,
  cameraViewMatrix,
  cross,
  Discard,
  dot,
  Fn,
  float,
  mix,
  positionGeometry,
  uniform,
  varying,
  vec3,
  vec4,
} from 'three/tsl';
import { DoubleSide, NodeMaterial, Vector3 } from 'three/webgpu';
import type { ViewUniforms } from './grains';

/** Half the width of the widest ribbons, in mean diameters; none is wider than a share of the smaller grain. */
const WIDEST = 0.22;
const OF_RADIUS = 0.6;
/** Share of the largest force below which a ribbon is thinner than is worth drawing. */
const LEAST = 0.01;

export class ChainUniforms {
  /** One over the normal force of the widest ribbons. */
  readonly scale = uniform(1);
  readonly weak = uniform(new Vector3());
  readonly strong = uniform(new Vector3());
}

/** Ribbons between the centres of grains, which face the camera; their width goes with the normal force. */
export function chainMaterial(view: ViewUniforms, chains: ChainUniforms, planar: boolean): NodeMaterial {
  const [from, to] = [attribute<'vec4'>('chainStart', 'vec4'), attribute<'vec4'>('chainEnd', 'vec4')];
  const force = from.w.mul(chains.scale).clamp(0, 1);
  const corner = positionGeometry.xy;
  const [start, end] = [from, to].map((point) => cameraViewMatrix.mul(vec4(point.xyz, 1)).xyz);
  const place = mix(start, end, corner.y.mul(0.5).add(0.5));
  const towards = planar ? vec3(0, 0, -1) : place.normalize();
  const side = cross(end.sub(start).normalize(), towards).normalize();
  const half = force
    .mul(WIDEST)
    .min(to.w.mul(OF_RADIUS))
    .max(view.pixel.mul(planar ? 0.6 : place.z.negate().mul(0.6)));
  const at = varying(corner.x, 'vAcross');
  const strength = varying(force, 'vForce');
  const world = varying(mix(from.xyz, to.xyz, corner.y.mul(0.5).add(0.5)), 'vWorld');
  const material = new NodeMaterial();
  material.side = DoubleSide;
  material.vertexNode = cameraProjectionMatrix.mul(vec4(place.add(side.mul(corner.x.mul(half))), 1));
  if (planar) material.depthTest = false;
  material.fragmentNode = Fn(() => {
    Discard(strength.lessThan(LEAST).or(dot(world, view.clip.xyz).add(view.clip.w).lessThan(0)));
    const colour = mix(chains.weak, chains.strong, strength.sqrt());
    // As if it were a rod.
    const round = planar ? float(1) : at.mul(at).oneMinus().max(0).sqrt().mul(0.5).add(0.5);
    return vec4(colour.mul(round), 1);
  })();
  return material;
}
