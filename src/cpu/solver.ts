import { NumericalError } from '../errors';
import type { Backend, State, StepReport } from '../report';
import { isPlain } from '../scene/laws';
import { fromZero, wrapPositions } from '../scene/periodic';
import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import { LONG_STEP_DISPLACEMENT, MAX_ATTEMPTS, REACH_GROWTH, YIELD_INTERVAL_MS } from '../settings';
import { type Snapshot, startOf } from '../snapshot';
import { Balance } from './balance';
import { BODY_STRIDE, findNonFinite, predict, SPIN, unpackBodies } from './bodies';
import { longestRange, meetBonds, rememberBonds } from './bonds';
import { CandidateList, carryOver } from './candidateList';
import { CandidateFinder } from './candidates';
import { CoarseLevel } from './coarse';
import { coarseExtent, loadAxis, swellingPerDiameter, swellingStep } from './coarseSchedule';
import { Colourer } from './colouring';
import { ContactBlock, IMPULSE } from './contacts';
import { buildGrid, type Grid, layOutGrid } from './grid';
import { HubChooser } from './hubs';
import { integrate } from './integrate';
import { longestReach, tooFarForBox } from './longestReach';
import { countBearing, meanImpulse, measureBodies, measurePenetration, measureWallLoads, measureWallMotions } from './measure';
import { Pistons } from './pistons';
import { findReach, slowSpeed } from './reach';
import { captureCandidates, restoreCandidates, restoreMotion } from './restart';
import { meetCollisions, rememberCollisions } from './restitution';
import { checkPassage, checkRunaway } from './runaway';
import { chooseSizeLevels, largestRadius, type SizeLevels } from './sizeLevels';
import { ContactSolver, type Whole } from './solve';
import { readState } from './state';
import { SweepOrder } from './sweepOrder';
import { placeAtWalls, withWallsOf } from './wallBodies';
import { featureImages, wallPushes, wallSteps } from './walls';

/** The reference: Contact Dynamics on one core, in double precision. Internal units throughout. */
export class CpuSolver implements Backend {
  readonly gpuMemoryBytes = 0;
  private stepsDone: number;
  private disposed = false;
  private rested = performance.now();
  /** The last step was so long that its impulses tell nothing about the next. */
  private cold: boolean;
  /** The step whose contacts are mostly new, if it is still to come. */
  private readonly freshStep: number | undefined;
  private readonly positions: Float64Array;
  private readonly orientations: Float64Array;
  /** Bodies at the end of the last step, and as this step's solve leaves them. */
  private motion: Float64Array;
  private work: Float64Array;
  private readonly extent: Vector;
  private readonly sizeLevels: SizeLevels;
  private reachLimit: number;
  private readonly longestReach: number;
  private readonly slow: number;
  /** Longest range of cohesion. */
  private readonly range: number;
  private readonly colourWords: number;
  private readonly reachFloors: Float64Array;
  private readonly reach: Float64Array;
  private readonly finder: CandidateFinder;
  private readonly colourer: Colourer;
  private readonly sweepOrder = new SweepOrder();
  private readonly contactSolver: ContactSolver;
  private readonly block: ContactBlock;
  /** Candidates of this step and of the last, with their impulses. */
  private candidates: CandidateList;
  private last: CandidateList;

  private readonly system: System;
  private readonly pistons: Pistons;
  private readonly whole: Whole;
  private readonly hubs: HubChooser;
  /** W, by how much each wall may come nearer in this step. */
  private readonly wallReach: Float64Array;

  /** @param from where to go on; default: the system before its first step */
  constructor(given: System, from: Snapshot = startOf(given)) {
    // Walls that move do so in a copy.
    const system = { ...given, walls: structuredClone(given.walls) };
    const { grains } = system;
    this.system = system;
    this.hubs = new HubChooser(system);
    this.wallReach = new Float64Array(system.walls.length);
    this.stepsDone = from.step;
    this.cold = from.cold;
    this.freshStep = from.fresh ? from.step : undefined;
    this.positions = from.positions.map((x, k) => x + from.remainders[k]);
    if (system.periods) wrapPositions(this.positions, fromZero(system.periods));
    this.orientations = from.orientations.slice();
    this.motion = restoreMotion(system, from);
    const level = new CoarseLevel(system);
    this.whole = {
      level,
      balance: new Balance(system, level),
      pressed: system.pistons.length > 0,
      leastExtent: coarseExtent(system),
      loadAxis: loadAxis(system),
      swelling: swellingPerDiameter(system),
      swellingStep: swellingStep(system, from),
    };
    this.pistons = new Pistons(system, from.pistons, this.motion);
    this.work = this.motion.slice();
    this.extent = from.extent;
    this.reachLimit = from.reachLimit;
    this.colourWords = from.colourWords;
    this.sizeLevels = chooseSizeLevels(system);
    this.range = longestRange(system);
    this.longestReach = longestReach(system.periods, largestRadius(system));
    this.slow = slowSpeed(system);
    this.reachFloors = new Float64Array(grains);
    this.reach = new Float64Array(grains);
    this.finder = new CandidateFinder(system);
    this.colourer = new Colourer(system.inverseMasses, system.radii);
    this.contactSolver = new ContactSolver(system.solver, grains, this.pistons, this.whole);
    const general = !system.laws.every(isPlain);
    this.block = new ContactBlock(general);
    this.candidates = new CandidateList(grains, general, system.meshes.length > 0);
    this.last = restoreCandidates(from.contacts, system, general);
  }

  get steps(): number {
    return this.stepsDone;
  }

  async step(count: number, onReport?: (report: StepReport) => void, signal?: AbortSignal): Promise<void> {
    for (let k = 0; k < count && !signal?.aborted; k++) {
      const report = await this.advance();
      onReport?.(report);
      await this.rest();
    }
  }

  /** Lets a page, a signal or Ctrl-C have its turn now and then; a solver that was disposed meanwhile goes no further. */
  private async rest(): Promise<void> {
    if (performance.now() - this.rested < YIELD_INTERVAL_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.rested = performance.now();
    if (this.disposed) throw new Error('The simulation was disposed in mid-step');
  }

  async read(): Promise<State> {
    return readState(this.system, this.stepsDone, this.positions, this.orientations, this.motion, this.last);
  }

  gpuState(): null {
    return null;
  }

  async capture(): Promise<Snapshot> {
    const { grains } = this.system;
    return {
      step: this.stepsDone,
      positions: this.positions.slice(),
      remainders: new Float64Array(3 * grains),
      velocities: unpackBodies(this.motion, 0, grains),
      spins: unpackBodies(this.motion, SPIN, grains),
      orientations: this.orientations.slice(),
      pistons: this.pistons.capture(this.motion),
      contacts: captureCandidates(this.last),
      cold: this.cold,
      fresh: this.stepsDone === this.freshStep,
      reachLimit: this.reachLimit,
      extent: this.extent,
      colourWords: this.colourWords,
      order: new Uint32Array(0),
    };
  }

  dispose(): void {
    this.disposed = true;
  }

  /** One step: attempts until none of its grains outruns the margin within which pairs were candidates. */
  private async advance(): Promise<StepReport> {
    this.reachFloors.fill(0);
    this.pistons.begin();
    for (let redone = 0; redone < MAX_ATTEMPTS; redone++) {
      const report = await this.attempt(redone);
      if (report) return report;
    }
    const { fastestGrain, fastestDisplacement } = measureBodies(this.work, this.system);
    throw new NumericalError(
      this.stepsDone + 1,
      fastestGrain,
      `Step ${this.stepsDone + 1} cannot be completed: after ${MAX_ATTEMPTS} attempts grain ${fastestGrain} still moves farther than its contacts were looked for (${fastestDisplacement.toPrecision(3)} diameters). Use a shorter timeStep.`,
    );
  }

  /** The stages of a step in turn. Nothing has moved when it returns undefined: the step must be done again. */
  private async attempt(redone: number): Promise<StepReport | undefined> {
    const { system, candidates, block } = this;
    const walls = wallSteps(system, this.stepsDone);
    predict(this.motion, this.work, system.accelerations, system.spinAccelerations);
    this.checkFinite();
    this.pistons.predict(this.work, this.positions, this.wallReach);
    const grid = this.buildGrid();
    const pushes = wallPushes(system, walls, this.positions, this.work);
    const largest = findReach(grid, this.work, this.reachFloors, this.reach, this.slow, this.longestReach, this.range, pushes);
    if (!this.reachFits(largest)) return undefined;
    this.finder.find(grid, this.reach, candidates, this.stepsDone + 1, walls, this.wallReach);
    this.work = placeAtWalls(system, walls, this.positions, this.work, candidates);
    const { work } = this;
    carryOver(this.last, candidates, system.solver.warmStart && !this.cold, featureImages(system));
    this.motion = withWallsOf(system, walls, work, this.motion);
    if (block.general) {
      meetCollisions(system, candidates, this.motion, work);
      meetBonds(system, candidates);
    }
    const colouring = this.colourer.colour(candidates, candidates.colours, this.hubs.choose(candidates), system.grains);
    candidates.colours.set(colouring.colourOf.subarray(0, candidates.count));
    // The random sweep draws its order from that of the colouring.
    const coloured = system.solver.sweep === 'coloured';
    const sweepOrder = coloured ? this.sweepOrder.arrange(candidates, colouring, system) : colouring.order;
    block.gather(candidates, colouring, work, system, sweepOrder);
    if (block.count > 0) {
      this.whole.level.begin(this.positions);
      this.whole.balance.begin(work);
    }
    block.applyImpulses(work);
    const solution = await this.contactSolver.solve(block, work, this.stepsDone, () => this.rest());
    this.checkFinite();
    if (this.outran()) return undefined;
    checkRunaway(this.stepsDone + 1, work, { positions: this.positions, radii: system.radii });
    checkPassage(this.stepsDone + 1, work, candidates, system);
    block.scatter(candidates);
    if (block.general) {
      rememberCollisions(system, candidates, this.motion, work);
      rememberBonds(system, candidates);
    }
    const wallLoads = measureWallLoads(system, walls, this.positions, candidates);
    integrate(work, this.positions, this.orientations, system.radii);
    this.pistons.integrate(work);
    const penetration = measurePenetration(system, walls, this.positions, candidates, work);
    if (system.periods) wrapPositions(this.positions, fromZero(system.periods));
    this.keep();
    const bodies = measureBodies(this.motion, system);
    this.cold = bodies.fastestDisplacement > LONG_STEP_DISPLACEMENT;
    return {
      step: this.stepsDone,
      contacts: countBearing(block),
      candidates: block.count,
      colours: colouring.colours + colouring.hubTurns,
      ...solution,
      meanForce: meanImpulse(block, IMPULSE),
      meanPenetration: penetration.mean,
      maxPenetration: penetration.max,
      ...bodies,
      wallLoads,
      wallMotions: measureWallMotions(system, walls, this.motion),
      redone,
    };
  }

  private buildGrid(): Grid {
    const { periods } = this.system;
    return buildGrid(
      this.positions,
      layOutGrid(this.sizeLevels, this.extent, this.reachLimit, periods),
      this.sizeLevels.levelOf,
      periods,
    );
  }

  /** Whether the linked cells allow for this reach; if not, the next ones will. */
  private reachFits(largest: number): boolean {
    const fits = largest <= this.reachLimit;
    while (largest > this.reachLimit) this.reachLimit *= 2;
    return fits;
  }

  /** Whether some grain would move farther than its reach; such grains get a larger one for the next attempt. */
  private outran(): boolean {
    const { work, reach, reachFloors } = this;
    let outran = this.pistons.outran(work, this.wallReach);
    for (let i = 0, body = 0; i < reach.length; i++, body += BODY_STRIDE) {
      const speed = Math.sqrt(work[body] ** 2 + work[body + 1] ** 2 + work[body + 2] ** 2);
      if (speed <= reach[i]) continue;
      if (reach[i] >= this.longestReach) throw tooFarForBox(this.stepsDone + 1, i, speed, this.longestReach);
      reachFloors[i] = REACH_GROWTH * speed;
      outran = true;
    }
    return outran;
  }

  private keep(): void {
    [this.motion, this.work] = [this.work, this.motion];
    [this.candidates, this.last] = [this.last, this.candidates];
    this.stepsDone++;
  }

  private checkFinite(): void {
    const grain = findNonFinite(this.work, this.system.grains);
    if (grain < 0) return;
    throw new NumericalError(
      this.stepsDone + 1,
      grain,
      `Step ${this.stepsDone + 1}: the velocity of grain ${grain} is not finite`,
    );
  }
}
