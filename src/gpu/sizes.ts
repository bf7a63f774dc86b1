import { AIM_ROWS, impulseRows } from '../../shaders/contactLaw';
import { keepsPrevious } from '../../shaders/contactUpdate';
import { MAX_TEAMS, SORT_BLOCK } from '../../shaders/control';
import { type HubOptions, hubPlaces, mostHubGrains } from '../../shaders/hubs';
import { asksForBalance, CoarseSchedule } from '../cpu/coarseSchedule';
import { cellCount, type GridLevel, layOutGrid } from '../cpu/grid';
import { mayHaveHubGrains } from '../cpu/hubs';
import { chooseSizeLevels } from '../cpu/sizeLevels';
import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import { lawOptions } from './lawOptions';
import { turningWalls } from './packWalls';

/** Everything that buffers and dispatches are sized by; grows in the course of a run. */
export interface Sizes {
  grains: number;
  bodies: number;
  walls: number;
  pistons: number;
  /** Places for contacts without colours: one for each piston, one for those of all grains that are hubs. */
  hubs: number;
  /** Grains that may be hubs. */
  hubGrains: number;
  /** Bodies beside these: one for each grain and each wall that turns. */
  surfaces: number;
  /** Linked cells, and how many there are in all. */
  levels: readonly GridLevel[];
  cells: number;
  /** Lengths of the box that the cells are laid out for. */
  extent: Vector;
  /** Reach that the cells allow for, in mean diameters. */
  reachLimit: number;
  candidates: number;
  /** Contacts that one buffer of an array may have; where there is room for more they lie in two. Infinity where they must lie in one. */
  page: number;
  /** Partners of each grain that are noted where candidates are counted, a multiple of four: see shaders/notes.ts. */
  notes: number;
  /** Blocks of contacts that are sorted by colour. */
  blocks: number;
  /** Colours there are, over 32. */
  colourWords: number;
  /** Rows of four numbers that the impulses of a contact take: with its torque two. */
  impulseRows: number;
  /** Heavy ball on. */
  momentum: boolean;
  /** Sweeps look back at the impulses of the one before. */
  previous: boolean;
  /** Contacts remember collisions or bonds. */
  memory: boolean;
  /** Tests of convergence may end with a proposal of the coarse level. */
  proposes: boolean;
  /** Workgroups of the first pass of a reduction. It goes by the grains and walls alone, so that sums do not depend on capacities. */
  teams: number;
}

/** Grains for each workgroup of a reduction, until there are as many workgroups as there may be. */
const GRAINS_PER_TEAM = 512;
/** Workgroups that there may be with any number of walls; more while all sums of theirs for the walls are no more than so many. */
const TEAMS_WITH_WALLS = 256;
const WALL_SUMS = 65_536;

/** Workgroups of the first pass of a reduction. */
function teamsFor({ grains, walls }: System): number {
  const most = Math.min(MAX_TEAMS, Math.max(TEAMS_WITH_WALLS, Math.floor(WALL_SUMS / (2 * Math.max(1, walls.length)))));
  return Math.max(1, Math.min(most, Math.ceil(grains / GRAINS_PER_TEAM)));
}

/** Few grains have more partners of which they are the smaller one. */
const MOST_NOTES = 8;

/** What impulses do not need before they are known. */
function roomForNotes(grains: number, rows: number): number {
  return Math.min(MOST_NOTES, 4 * Math.max(0, Math.floor(rows / Math.max(1, grains)) - 1));
}

/** What sizes follow from, beside the system. */
export type Room = Pick<Sizes, 'extent' | 'reachLimit' | 'candidates' | 'colourWords'> & Partial<Pick<Sizes, 'page'>>;

/** Whether the criterion of convergence goes by how impulses changed in the last sweep. */
export function looksAtChanges({ solver: { convergence } }: System): boolean {
  return convergence.criterion === 'local' || convergence.criterion === 'global';
}

/** The hubs that a system may have. */
export function hubOptions(system: System): HubOptions {
  return { pistons: system.pistons.length, hubGrains: mayHaveHubGrains(system) };
}

/** What the coarse level is used for. */
export interface CoarseUse {
  /** It proposes steps, if only to tell how much they would change. */
  proposes: boolean;
  /** It has turns at which it may take them. */
  applies: boolean;
}

/** As large as the packing may become: whether it is large enough is told step by step. */
export function coarseUse({ solver }: Pick<System, 'solver'>): CoarseUse {
  const applies = new CoarseSchedule(solver, Infinity).hasTurns;
  return { applies, proposes: applies || asksForBalance(solver.convergence) };
}

/** Whether contacts lie in two buffers. */
export function isSplit({ candidates, page }: Sizes): boolean {
  return candidates > page;
}

/**
 * Whether contacts may lie in two buffers: not where a memory goes from one feature of a mesh to another, whose contacts lie anywhere,
 * nor where the contacts of pistons, which come first, may be more than the first buffer holds.
 */
function mayBeSplit(system: System, page: number): boolean {
  return !(lawOptions(system).memory && system.meshes.length > 0) && system.pistons.length * system.grains <= page;
}

/** Contacts that a buffer of so many bytes holds of the largest of the arrays that lie in two. */
export function contactsPerPage(system: System, bytes: number): number {
  const law = lawOptions(system);
  return Math.floor(bytes / 16 / (law.memory ? AIM_ROWS : impulseRows(law)));
}

export function chooseSizes(system: System, { extent, reachLimit, candidates, colourWords, page = Infinity }: Room): Sizes {
  const law = lawOptions(system);
  const hubs = hubOptions(system);
  const { applies, proposes } = coarseUse(system);
  const split = mayBeSplit(system, page) ? page : Infinity;
  const levels = layOutGrid(chooseSizeLevels(system), extent, reachLimit, system.periods);
  return {
    grains: system.grains,
    bodies: system.bodies,
    walls: system.walls.length,
    pistons: system.pistons.length,
    hubs: hubPlaces(hubs),
    hubGrains: hubs.hubGrains ? mostHubGrains(system.grains, candidates) : 0,
    surfaces: turningWalls(system).length * system.grains,
    levels,
    cells: levels.reduce((sum, level) => sum + cellCount(level), 0),
    extent,
    reachLimit,
    candidates,
    page: split,
    notes: roomForNotes(system.grains, impulseRows(law) * Math.min(split, candidates)),
    blocks: Math.ceil(candidates / SORT_BLOCK),
    colourWords,
    impulseRows: impulseRows(law),
    momentum: system.solver.momentum > 0,
    previous: keepsPrevious({ momentum: system.solver.momentum > 0, changes: looksAtChanges(system) || applies }),
    memory: law.memory,
    proposes,
    teams: teamsFor(system),
  };
}
