import { LAW_FLOATS, LAW_TABLE_ROWS, MAX_LAWS, MAX_MATERIALS } from '../../shaders/lawTable';
import { BackendError } from '../errors';
import type { System } from '../scene/system';

/** For each ordered pair of materials its law, padded to what the shader declares. */
export function packLawOf({ lawOf }: System): Uint32Array<ArrayBuffer> {
  const materials = Math.sqrt(lawOf.length);
  if (materials > MAX_MATERIALS) {
    throw new BackendError(`The GPU holds ${MAX_MATERIALS} materials, the scene has ${materials}: use the CPU backend`);
  }
  const packed = new Uint32Array(4 * LAW_TABLE_ROWS);
  packed.set(lawOf);
  return packed;
}

/** The laws in their order, field by field as the shader declares them. */
export function packLaws({ laws }: System): Float32Array<ArrayBuffer> {
  if (laws.length > MAX_LAWS) {
    throw new BackendError(`The GPU holds ${MAX_LAWS} contact laws, the scene has ${laws.length}: use the CPU backend`);
  }
  const packed = new Float32Array(LAW_FLOATS * MAX_LAWS);
  laws.forEach((law, k) => {
    const friction = [law.staticFriction, law.dynamicFriction];
    const restitution = [law.normalRestitution, law.tangentialRestitution];
    const torques = [law.rollingFriction, law.torsionFriction];
    packed.set([...friction, ...restitution, ...torques, law.cohesionForce, law.cohesionRange], LAW_FLOATS * k);
  });
  return packed;
}
