/** Every tuning constant: what it is, in which unit, and what changes when it is changed. Internal units: see scene/units.ts. */

/** Added to every grain's reach, in mean diameters. Larger: more candidates per grain (4.4 at 0.1 against 2.9 at 0.01). Smaller: more steps done twice. */
export const BASE_REACH = 0.01;

/**
 * Grains are slow up to what loads give in a step and so much more, mean diameters per step, and reckon with those of other sizes where these are
 * faster by more than so much. Larger: fewer looks into cells for speeds, and up to so much more reach for slow grains, with the candidates that it makes.
 */
export const SLOW = BASE_REACH / 8;

/**
 * Skin of the pairs that the CPU keeps from step to step, as a share of each grain's radius. Larger: searched for less often, more
 * pairs to measure in each step.
 */
export const KEPT_SKIN = 0.2;

/** Smaller grains have the skin of this radius, mean diameters: they move no less in a step. Larger: more pairs to measure where sizes differ. */
export const LEAST_SKIN_RADIUS = 0.25;

/** Where pairs with a skin serve fewer steps than the first, so many searches do without. More: later use of them when a flow comes to rest. */
export const LEAST_KEPT_STEPS = 2;
export const SEARCHES_WITHOUT_SKIN = 8;

/** A grain that outran its reach gets this multiple of its displacement when the step is done again. Must exceed 1. */
export const REACH_GROWTH = 1.5;

/** Initial bound of the reach that the linked cells allow for, in mean diameters; grows by doubling. Larger: larger cells, more distance tests per grain. */
export const INITIAL_REACH_LIMIT = 0.1;

/** Linked cells along an axis at least (below three, a cell's neighbours would repeat), and in all per grain at most. */
export const MIN_CELLS_PER_AXIS = 3;
export const MAX_CELLS_PER_GRAIN = 2;

/** Grains in one linked cell on the GPU above which a run ends rather than keep the device busy for too long: some 10^9 distance tests at this number. */
export const MOST_GRAINS_IN_CELL = 16_384;

/** Levels of linked cells by the size of grains, at most: one for each doubling of the radius suffices. */
export const MAX_SIZE_LEVELS = 12;

/** Sizes are told apart, where levels are chosen, by so many bins for each doubling of the radius. More: better levels, which take longer to choose. */
export const SIZE_BINS_PER_DOUBLING = 3;

/** What it takes to look at a stretch of neighbouring cells, in distance tests. Larger: fewer levels. */
export const STRETCH_COST = 4;

/** Rows of cells of finer levels for each invocation that looks for a large grain's partners there. Fewer: more invocations, each of which begins anew. */
export const ROWS_PER_LOOKER = 8;

/** Sweeps between two tests of convergence. Larger: less time on tests, up to that many sweeps too many. */
export const CONVERGENCE_INTERVAL = 5;

/** Momentum is taken back where a test finds no smaller residual than so many tests before. More: slower to take it back. Fewer: also where the residual only wavers. */
export const STALL_TESTS = 2;

/** Pairs with a gap below this (mean diameters) count as touching in the penetration figures. */
export const TOUCHING_GAP = 1e-3;

/** Displacement per step, in the grain's own diameters, above which a step is reported as too long. */
export const LONG_STEP_DISPLACEMENT = 0.5;

/**
 * Displacement per step, in the grain's own diameters, above which a run ends: of such a motion single precision tells no gap of
 * touching grains any more, and what sweeps leave of it (about 10^-4) is as much as a grain. Larger: grains pass through others unnoticed.
 */
export const RUNAWAY_DISPLACEMENT = 1e4;

/**
 * What a step may at most bring a grain closer to a grain or a wall than to touch, in mean diameters, where its own radius is less: above, it passes
 * through and the run ends. Smaller: dust between large grains ends runs by the overlaps that sweeps leave of the large ones.
 */
export const LEAST_PASSAGE = 0.5;

/** Distance from the middle along an axis, in mean diameters, beyond which no grain may come on the GPU: its lattice has 32 bits. The CPU goes as far as scenes may. */
export const FARTHEST_ON_GPU = 8e6;

/** Overlap in mean grain diameters above which a run is warned of it, or the smallest radius where that is less: ten times what a step of a usual length leaves. */
export const DEEP_OVERLAP = 0.1;

/** Attempts at one step, each with grown capacities or reach, before the run is given up. */
export const MAX_ATTEMPTS = 40;

/** Inverse moment of inertia times m r^2: for solid spheres I = (2/5) m r^2, for disks m r^2/2. */
export const SPHERE_INERTIA_FACTOR = 2.5;
export const DISK_INERTIA_FACTOR = 2;

/** Cohesive bodies with a gap up to this (mean diameters) are bonded as if they had pressed on each other. Smaller: bodies placed in touch may miss it by rounding. */
export const BOND_GAP = 1e-6;

/**
 * Sweeps of a step after which a contact that slides is held to dynamic friction for the rest of the step. Without this, contacts
 * near the static limit start and stop for ever: 800 instead of 40 sweeps a step in a settling packing with mu_s = 0.4, mu_d = 0.3.
 * Smaller: contacts may slide that only the first sweeps made slip.
 */
export const SLIDERS_STAY_AFTER = 10;

/**
 * Share of what friction could bear above which a contact of the last step counts as one that slides, where those that do stand together: the
 * normal has turned since. Changes no impulse. Smaller: more that stick among them; too near to 1: the other way round.
 */
export const SLIDING_SHARE = 0.99;

/** Sweeps before the last that a step may have from which on friction turns no slip round in a step that is far from settled: it could gain energy. */
export const AIMLESS_SWEEPS = 10;

/** Residual above which it is; below, what lacks may be rounding alone. */
export const FAR_FROM_SETTLED = 0.05;

/** A contact that keeps more than this share of its friction does not slide for that: some is cut by rounding alone. */
export const UNCUT = 1 - 1e-5;

/** A contact counts as sliding where |P_t| comes this close to mu P_n, relatively: room for the rounding of single precision. */
export const SLIDING_TOLERANCE = 1e-5;

/**
 * Candidates per grain, on the mean, above which a step is given up: grains that cross many diameters in a step would make
 * candidates of all pairs. Also the least number of candidates that is always allowed.
 */
export const MAX_CANDIDATES_PER_GRAIN = 250;
export const ALLOWED_CANDIDATES = 100_000;

/** Candidates that are allowed beside these for walls: as many as there are pairs of a grain and a wall, at most so many. Larger: more memory taken before a step is given up. */
export const ALLOWED_WALL_CANDIDATES = 5_000_000;

/** Milliseconds of work on the CPU after which the event loop gets a turn, so that a page repaints and signals arrive. */
export const YIELD_INTERVAL_MS = 50;

/** Candidates per grain that GPU buffers hold at first, and what a buffer that overflowed gets for what it needs. */
export const INITIAL_CANDIDATES_PER_GRAIN = 3.6;
export const CANDIDATE_HEADROOM = 1.3;

/** Rounds of proposals in the colouring: in the first step, when every contact is new, and in later ones. Fewer: more contacts without a colour, which are updated one by one. */
export const FIRST_COLOURING_ROUNDS = 48;
export const COLOURING_ROUNDS = 12;

/** What a colour's dispatch covers, over the contacts that it had in a step before. Nearer to 1: more steps in which some invocations do two contacts one after the other. */
export const COLOUR_HEADROOM = 1.05;

/**
 * Grains from which on the GPU puts them in an order along a curve through space, and steps after which it does. Fewer
 * grains lie in its caches as they are. A new order goes over the host: some ten seconds for a million grains.
 */
export const REORDER_LEAST_GRAINS = 20_000;
export const REORDER_INTERVAL = 20_000;

/** Colours that the GPU has room for at first, over 32; doubles where they do not suffice. */
export const INITIAL_COLOUR_WORDS = 2;

/** Colours there can be at most, over 32. */
export const MAX_COLOUR_WORDS = 32;

/** Steps submitted to the GPU before the first of them has reported. 1: the GPU waits for the host between steps. */
export const STEPS_IN_FLIGHT = 2;

/**
 * Steps between two tries to put in grains that are poured or wait for room. Larger: fewer stops of the solver (each costs
 * about as much as a few steps), and grains come in larger batches.
 */
export const INSERT_INTERVAL = 10;

/** Random places tried for a poured grain before it waits for the next try. */
export const POUR_TRIES = 100;

/** Grains that are put in may overlap by this share of the sum of the radii: rounding. */
export const INSERT_TOLERANCE = 1e-9;

/** Steps in a row for which the grains must be at rest. */
export const REST_STEPS = 20;

/** Share of what gravity adds to the momentum in a step, above which grains fall and are not at rest, however slow. */
export const REST_FALL = 0.5;

/** Milliseconds of sweeps in one submission, by the time that sweeps have taken so far. Above about 500 systems take the device away. */
export const SUBMISSION_MS = 150;

/**
 * Candidates of a grain above which its contacts leave the colouring (a hub), as many as spheres touch that are three times as
 * large as their neighbours. Smaller: fewer colours, but more contacts that are updated hub by hub.
 */
export const HUB_DEGREE = 24;

/** Colours of hubs: bits of a word. Hubs that find none are updated one after the other. */
export const HUB_COLOURS = 32;

/** Rounds of proposals in which hubs get their colours on the GPU, in each step anew. Fewer: more hubs without one. */
export const HUB_COLOURING_ROUNDS = 16;

/**
 * Contacts of a hub with grains up to so many times smaller stay in the colouring: spheres up to three times as large as their
 * neighbours touch 20 to 24. Larger: more colours. Smaller: more sweeps, as more contacts are updated that do not see each other.
 */
export const HUB_SIZE_RATIO = 3;

/**
 * Contacts of a hub grain that are updated at once, each with its share of the grain's mass: as many as that mass is mean grain
 * masses, within these bounds. Larger: more sweeps where the grain is light. Smaller: longer sweeps on the GPU.
 */
export const LEAST_HUB_ROUND = 8;
export const HUB_ROUND = 64;

/** Newton steps for a piston's velocity at most. They end by themselves after one to four; what is missing the next sweep finds. */
export const PISTON_ITERATIONS = 32;

/** Edge of the coarse level's cells, mean diameters, at least; how many cells it has about, and nodes at most. Larger cells: fewer unknowns, errors of shorter range are left to the sweeps. */
export const COARSE_SPACING = 5;
export const COARSE_CELLS = 400;
export const MAX_COARSE_NODES = 512;

/** Share of the coarse matrix's diagonal that is added to it: where no force is, the matrix is singular. */
export const COARSE_REGULARISATION = 1e-2;

/** Shares of itself that an impulse loses or gains in one coarse step at most. Larger gains: where few contacts bear, the field runs away. */
export const LARGEST_COARSE_LOSS = 0.8;
export const LARGEST_COARSE_GAIN = 4;

/** Extent of a packing, mean diameters, from which the coarse level is on by default. Below, sweeps reach everywhere soon enough. */
export const COARSE_EXTENT = 20;

/**
 * Share of the impulses that a coarse step must change at least, where the balance that is asked for can do without smaller ones. Smaller: coarse
 * steps that do less than the sweeps that they cost.
 */
export const LEAST_COARSE_CHANGE = 1e-2;

/** Share below which a coarse step may change more than the one before. Larger: steps that work against the sweeps. Smaller: a balance that waits for the sweeps. */
export const SMALL_COARSE_CHANGE = 3e-2;

/** Residual over the one before a coarse step, or over the tolerance where that is larger, above which the coarse level pauses. Larger: packings that it throws about. Smaller: pauses where it is needed. */
export const WORSE_AFTER_COARSE = 1.5;

/** Sweeps that it pauses for then. More: later where sweeps alone do not converge. Fewer: the next coarse step comes before they have. */
export const COARSE_PAUSE = 100;

/** Sweeps before the first coarse step. */
export const FIRST_COARSE_SWEEP = 10;

/** When a step is far from balance; the shares are those of the impulses that a coarse step would change. */
export const FAR = {
  /** At the first turn, above which the step begins far: with no impulses, for instance. Sudden loads on a packing at rest: 0.03 to 0.06. */
  beginning: 0.15,
  /** How high the packing is along its load then, over the extent from which on the coarse level is on by default. In lower ones sweeps reach the top soon. */
  height: 0.7,
  /** Momenta of the coarse cells over what loads give in a step, above which the step is not far: 1 at rest, ten and more where grains fall. */
  moving: 5,
  /** From so many sweeps on far ends where coarse steps ask for this multiple of what the one before did, or hardly less once they ask for little. */
  patience: 40,
  growth: 1.1,
  stall: 0.97,
  little: 0.1,
  /** That far may last beyond its patience, for each mean diameter that the packing is long. */
  sweepsPerDiameter: 2,
  /** Balance over the share, in place of BALANCE_OF_CHANGE. */
  balanceOfChange: 2.5,
};

/** How the step begins in which a load comes on a long packing at rest without impulses: its grains swell, so that they press on each other everywhere at once. */
export const SWELLING = {
  /** Sweeps for which they are swollen. Fewer: impulses that the sweeps take out again, more: later. */
  sweeps: 10,
  /** What a contact closes by, over what gravity adds to a velocity in a step, for each mean diameter that the packing is long. Impulses grow with it. */
  share: 1e-3,
  /** Candidates over grains, at least: fewer are no packing. */
  candidates: 1.5,
  /** How high the packing is along its load, over the extent from which on the coarse level is on by default. Below, impulses soon climb that high by themselves. */
  height: 0.85,
  /** Share of the grains that something holds up, at least. Less: impulses among those that fall, which fade slowly. */
  held: 0.8,
  /**
   * COARSE_REGULARISATION while such a step is far from balance: the smoothest fields have small shares themselves. In other steps it lets
   * impulses run away: tall packings that a floor hits got up to a hundred times their energy in half of the runs.
   */
  regularisation: 1e-3,
};

/** Sweeps between coarse steps grow by this factor each, from CONVERGENCE_INTERVAL on. Not while the step is far from balance. */
export const COARSE_GAP_GROWTH = 1.1;

/** Sweeps that follow the last coarse step at least, where their number is fixed. */
export const SWEEPS_AFTER_COARSE = 8;

/** Sweeps over which the balance looks for changes of momentum; a multiple of CONVERGENCE_INTERVAL. */
export const BALANCE_SWEEPS = 25;

/** What is to come of changes that do not decay, over the change in so many sweeps. Larger: slow creep of a packing counts as lack of balance. */
export const BALANCE_TAIL = 20;

/** Balance over the share S of the impulses that a coarse step would change. */
export const BALANCE_OF_CHANGE = 5;

/** Share of the time that a player spends at most on keeping states, from which it goes on where the device is lost. Smaller: more steps are done again. */
export const KEEP_SHARE = 0.05;

/** Grains up to which a page without WebGPU runs a scene on the CPU by itself. More: fewer steps than one a second, which looks broken. */
export const PAGE_CPU_GRAINS = 5_000;
