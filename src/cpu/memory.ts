/** What a contact of more than plain laws remembers from step to step: so many doubles, and where the parts begin. */
export const MEMORY_STRIDE = 8;
/** Where it stands in a collision, OPEN to STOPPED. */
export const PHASE = 0;
/** Speed of approach at which the collision began, 0 without one. */
export const APPROACH = 1;
/** Twice the work that it took to stop the approach so far. */
export const WORK = 2;
/** Velocity across the normal when the collision began (three). */
export const SLIP = 3;
/** Twice the work that friction has taken since then. */
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
 * What a contact aims at in the step at hand: normal velocity to leave with, twice the work that it may do for that, velocity
 * across the normal at which friction aims (three), pull that it bears, speed at which the surfaces part already, velocity across
 * the normal at the start of the step (three), twice the work that friction may do for its aim; and how much WORK grows for each
 * unit of normal impulse, which the contact law does not need.
 */
export const TARGET_STRIDE = 12;
export const PULL_TARGET = 5;
export const PARTING_TARGET = 6;
export const SLIP_START = 7;
export const SLIP_WORK = 10;
export const WORK_SHARE = 11;

/** Share of the speed of approach up to which a slip is rounding, and none to turn round. */
export const LEAST_SLIP = 1e-5;

/** Share of the speed of approach up to which bodies that others push together did not move apart. */
export const LEAST_PARTING = 1e-4;

/** Gap (mean diameters) up to which a feature of a mesh takes over what the contact at another remembers. */
export const TAKING_OVER_GAP = 0.1;
/** Cosine of the largest angle between the impulse there and the normal here. */
export const TAKING_OVER_COSINE = 0.5;
