import type { PairLaw } from './problem';
import type { SceneContact } from './schema';

/** The law that an entry of "contacts" gives. */
export function toPairLaw({ friction, restitution, rollingFriction, torsionFriction, cohesion }: SceneContact): PairLaw {
  const { static: staticFriction, dynamic: dynamicFriction } =
    typeof friction === 'number' ? { static: friction, dynamic: friction } : friction;
  const { normal: normalRestitution, tangential: tangentialRestitution } =
    typeof restitution === 'number' ? { normal: restitution, tangential: 0 } : restitution;
  return {
    ...coulomb(dynamicFriction),
    staticFriction,
    normalRestitution,
    tangentialRestitution,
    rollingFriction,
    torsionFriction,
    cohesionForce: cohesion?.force ?? 0,
    cohesionRange: cohesion?.range ?? 0,
  };
}

/** Whether Signorini's law and one coefficient of friction are all there is: what the plain sweep computes. */
export function isPlain(law: PairLaw): boolean {
  return law.staticFriction === law.dynamicFriction && !hasTorques(law) && !hasRestitution(law) && law.cohesionForce === 0;
}

/** Whether contacts remember something from step to step: a collision, or a bond. */
export function hasMemory(law: PairLaw): boolean {
  return hasRestitution(law) || law.cohesionForce > 0;
}

function hasRestitution({ normalRestitution, tangentialRestitution }: PairLaw): boolean {
  return normalRestitution > 0 || tangentialRestitution > 0;
}

/** Whether contacts have a torque beside their force. */
export function hasTorques({ rollingFriction, torsionFriction }: PairLaw): boolean {
  return rollingFriction > 0 || torsionFriction > 0;
}

/** Coulomb's law with one coefficient and nothing else. */
export function coulomb(friction: number): PairLaw {
  return {
    staticFriction: friction,
    dynamicFriction: friction,
    normalRestitution: 0,
    tangentialRestitution: 0,
    rollingFriction: 0,
    torsionFriction: 0,
    cohesionForce: 0,
    cohesionRange: 0,
  };
}
