import type { Problem, State, Vector } from '../../src/index';
import { add, at, cross, dot, length, scale, subtract } from './vectors';

/** How far a state is from the contact laws: the largest violation of each, over all candidates. */
export interface Violations {
  bearing: number;
  sliding: number;
  /** Pull: -P_n */
  pull: number;
  /** Approach beyond closing the gap: -(V_n + g+/dt), as an impulse */
  approach: number;
  /** Force at a distance: V_n + g+/dt where P_n > 0, as an impulse */
  distance: number;
  /** |P_t| beyond mu P_n */
  cone: number;
  /** Slip where |P_t| is less than mu P_n, as an impulse */
  slip: number;
  /** P_t against -mu P_n V_t/|V_t| where surfaces slip */
  direction: number;
  /** Mean |P| to compare with */
  mean: number;
}

/** Tests Signorini's and Coulomb's laws from the state alone, written anew from their definitions. Impulses in scene units. */
export function violations({ grains, walls, laws, lawOf, materials, timeStep, dimension }: Problem, state: State): Violations {
  const { contacts } = state;
  const worst: Violations = {
    bearing: 0,
    sliding: 0,
    pull: 0,
    approach: 0,
    distance: 0,
    cone: 0,
    slip: 0,
    direction: 0,
    mean: 0,
  };
  const material = (body: number) => (body < grains.count ? grains.materials[body] : walls[body - grains.count].material);
  const inverseMass = (body: number) => (body < grains.count && !grains.fixed[body] ? 1 / grains.masses[body] : 0);
  const velocity = (body: number): Vector => (body < grains.count ? at(state.velocities, body) : [0, 0, 0]);
  const spin = (body: number): Vector =>
    body < grains.count ? scale(at(state.angularVelocities, body), grains.radii[body]) : [0, 0, 0];
  for (let c = 0; c < contacts.count; c++) {
    const [i, j] = [contacts.first[c], contacts.second[c]];
    const normal = at(contacts.normals, c);
    const impulse = scale(at(contacts.forces, c), timeStep);
    const mass = 1 / (inverseMass(i) + inverseMass(j));
    const relative = subtract(subtract(velocity(j), velocity(i)), cross(add(spin(i), spin(j)), normal));
    const normalVelocity = dot(relative, normal);
    const tangentialVelocity = subtract(relative, scale(normal, normalVelocity));
    const normalImpulse = dot(impulse, normal);
    const tangentialImpulse = subtract(impulse, scale(normal, normalImpulse));
    const closing = mass * (normalVelocity + Math.max(contacts.gaps[c], 0) / timeStep);
    const limit = laws[lawOf[material(i) * materials.length + material(j)]].dynamicFriction * normalImpulse;
    const slip = (dimension === 2 ? 1 / 3 : 2 / 7) * mass * length(tangentialVelocity);
    const slides = length(tangentialImpulse) >= 0.999999 * limit;
    const raise = (law: keyof Violations, value: number) => {
      worst[law] = Math.max(worst[law], value);
    };
    raise('pull', -normalImpulse);
    raise('approach', -closing);
    raise('cone', length(tangentialImpulse) - limit);
    worst.mean += length(impulse) / contacts.count;
    if (normalImpulse <= 0) continue;
    worst.bearing++;
    raise('distance', closing);
    if (!slides) raise('slip', slip);
    else if (limit > 0) {
      worst.sliding++;
      const against = dot(tangentialImpulse, tangentialVelocity) / (limit * length(tangentialVelocity) || 1);
      // A slip of no account has no direction.
      raise('direction', Math.min((1 + against) * limit, slip));
    }
  }
  return worst;
}
