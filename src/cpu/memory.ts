/** What a contact of more than plain laws remembers from step to step: so many doubles, and where the parts begin. */
export const MEMORY_STRIDE = 8;
/** Where it stands in a collision, OPEN to STOPPED. */
export const PHASE = 0;
/** Speed of approach at which the collision began, 0 without one. */
export const APPROACH = 1;
/** Normal impulse that has stopped the approach so far, as far as it took energy from it: twice the work over APPROACH. */
export const COMPRESSION = 2;
/** Velocity across the normal when the collision began (three). */
export const SLIP = 3;
/** What friction has taken since then: twice its work over the reduced mass across the normal, a velocity squared. */
export const SLIP_LOSS = 6;
/** NONE, HOLDING or FORMED. */
export const BOND = 7;

export const OPEN = 0;
/** It pressed in the last step, and no collision is under way. */
export const RESTING = 1;
/** The gap closed in the last step. */
export const CLOSED = 2;
/** The approach was stopped in the last step. */
export const STOPPED = 3;

export const NONE = 0;
/** A bond held the two bodies in the last step. */
export const HOLDING = 1;
/** The bodies touched in the last step; their bond holds from the next one on. */
export const FORMED = 2;

/**
 * What a contact aims at in the step at hand: normal velocity to leave with, the impulse up to which it sees to that, velocity
 * across the normal at which friction aims (three), pull that it bears; and how much COMPRESSION grows for each unit of normal
 * impulse, which the contact law does not need.
 */
export const TARGET_STRIDE = 7;
export const PULL_TARGET = 5;
export const COMPRESSION_SHARE = 6;
