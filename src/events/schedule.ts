import { EventError } from '../errors';
import type { StepReport } from '../report';
import { goesThrough } from '../scene/checks';
import { joinGrains, pickGrains } from '../scene/grainSets';
import { joinPlates } from '../scene/plates';
import type { Grains, Problem, RunEvent, Vector, Wall } from '../scene/problem';
import { withMotion } from '../scene/wallMotion';
import { wallDistance } from '../scene/walls';
import { REST_STEPS } from '../settings';
import { countRest, isAtRest, type RestState, unrested } from './rest';
import { Room } from './room';
import { findPlaces, nextTry, type Placed, type Source, sourcesOf } from './sources';

/** Something that happened in a run beside its steps. */
export interface EventRecord {
  /** Index of the event in the scene. */
  event: number;
  /** Steps done when it happened. */
  step: number;
  time: number;
  text: string;
}

/** Where a run is in its events, beside the state of its grains: what a resumed run needs to go on in mid-schedule. */
export interface ScheduleState {
  /** Steps done. */
  step: number;
  /** Steps done when each event so far happened. */
  firedAt: number[];
  rest: RestState;
  /** A x 2, of every grain that has come, in the order of ids: its source (src/events/sources.ts) and its index there */
  added: Uint32Array;
}

/** How the bodies of a run differ from those before. */
export interface Change {
  /** New index of each wall that there was, or -1. */
  wallOf: number[];
}

/** The events of a run: knows what comes when, and what the problem is in between. Never looks ahead of the steps' reports. */
export class Schedule {
  /** As it is now: grains that came included, their places apart. */
  problem: Problem;
  stopped = false;
  /** An event has asked for the state to be kept, and nobody has taken it yet. */
  checkpointDue = false;
  /** What happened so far in this run. */
  readonly log: EventRecord[] = [];
  readonly warnings: string[] = [];
  private readonly events: readonly RunEvent[];
  private readonly firedAt: number[] = [];
  private readonly added: number[] = [];
  private rest = unrested();
  /** Events that have come and are to be acted on. */
  private unapplied: number[] = [];
  /** Grains that are still to come in. */
  private sources: Source[] = [];

  /**
   * @param state of a run that is resumed
   * @throws RangeError where it has grains that no event brings
   */
  constructor(start: Problem, state?: ScheduleState) {
    this.problem = start;
    this.events = start.events ?? [];
    if (state) this.restore(state);
  }

  private restore({ step: now, firedAt, rest, added }: ScheduleState): void {
    for (const [k, step] of firedAt.entries()) {
      this.firedAt.push(step);
      this.problem = changed(this.problem, this.events[k], step);
      this.sources.push(...sourcesOf(this.events[k], k, step).map((source) => ({ ...source, tried: now })));
      this.stopped ||= this.events[k].stop;
    }
    this.rest = rest;
    const arrivals: Arrival[] = [];
    for (let a = 0; a < added.length; a += 2) {
      const source = this.sources.find(({ id }) => id === added[a]);
      const waits = source?.waiting.indexOf(added[a + 1]) ?? -1;
      if (!source || waits < 0) {
        throw new RangeError(
          'The snapshot given as "from" has grains that no event of the scene brings: it belongs to another scene',
        );
      }
      source.waiting.splice(waits, 1);
      // Where it is now is not in the problem but in the state of the grains.
      arrivals.push({ source, index: added[a + 1], place: [0, 0, 0] });
    }
    this.addGrains(arrivals);
    this.forgetEmpty();
  }

  /** @param step steps done */
  state(step: number): ScheduleState {
    return { step, firedAt: [...this.firedAt], rest: this.rest, added: Uint32Array.from(this.added) };
  }

  /** Steps that can be done before something may have to change, whatever they bring. */
  safeSteps(step: number): number {
    const event = this.nextEvent;
    let at = Number.POSITIVE_INFINITY;
    if (event && 'step' in event.when) at = event.when.step;
    else if (event) at = step + REST_STEPS - this.rest.steps;
    for (const source of this.sources) at = Math.min(at, nextTry(source, this.problem.timeStep));
    return Math.max(0, at - step);
  }

  /**
   * Takes in the report of a step.
   * @returns the events that come after it
   */
  observe(report: StepReport): EventRecord[] {
    const event = this.nextEvent;
    if (event && 'rest' in event.when) {
      // Grains that are still to come would disturb the rest.
      this.rest = this.sources.length > 0 ? unrested() : countRest(this.rest, event.when.rest, report, this.problem);
    }
    return this.fire(report.step);
  }

  /** @returns the events that come after so many steps and had not come yet */
  fire(step: number): EventRecord[] {
    const records: EventRecord[] = [];
    const late: number[] = [];
    for (let event = this.nextEvent; event && this.isDue(event, step); event = this.nextEvent) {
      const k = this.firedAt.push(step) - 1;
      if ('step' in event.when && event.when.step < step) late.push(k);
      this.unapplied.push(k);
      this.rest = unrested();
      this.stopped ||= event.stop;
      this.checkpointDue ||= event.checkpoint;
      records.push(this.record(k, step, event.text));
    }
    if (late.length > 0) this.warnings.push(lateText(late[0], late.length, step));
    return records;
  }

  /** Whether grains, walls or gravity may have to change before the next step. */
  changesAfter(step: number): boolean {
    const { timeStep } = this.problem;
    return this.unapplied.length > 0 || this.sources.some((source) => nextTry(source, timeStep) <= step);
  }

  /**
   * Acts on the events that have come, and puts in grains for which there is room.
   * @param positions N x 3, of the grains, in units of the scene
   * @param moved how far pistons are from where the problem has them, by name
   * @returns undefined where nothing has changed after all
   * @throws EventError for a wall that would go through grains, or have them on its wrong side
   */
  apply(step: number, positions: Float64Array, moved: Moved = new Map()): Change | undefined {
    const before = this.problem;
    for (const k of this.unapplied) {
      const event = this.events[k];
      this.problem = changed(this.problem, event, step);
      this.checkNewWalls(event.addWalls, positions, k, step);
      this.sources.push(...sourcesOf(event, k, step));
    }
    this.unapplied = [];
    this.admit(step, positions, moved);
    if (this.problem === before) return undefined;
    const index = new Map(this.problem.walls.map(({ name }, w) => [name, w]));
    return { wallOf: before.walls.map(({ name }) => index.get(name) ?? -1) };
  }

  /** What is left undone, in words. */
  unfinished(): string[] {
    const waiting = this.sources.map(
      ({ event, pour, waiting, grains }) =>
        `events[${event}].${pour ? 'pour' : 'insert'}: ${waiting.length} of ${grains.count} grains have not come in yet`,
    );
    if (this.nextEvent) waiting.push(`events[${this.firedAt.length}] has not happened: ${this.nextEvent.text}`);
    return waiting;
  }

  private get nextEvent(): RunEvent | undefined {
    return this.stopped ? undefined : this.events[this.firedAt.length];
  }

  private isDue({ when }: RunEvent, step: number): boolean {
    return 'step' in when ? step >= when.step : isAtRest(this.rest);
  }

  private record(event: number, step: number, text: string): EventRecord {
    const record = { event, step, time: Number((step * this.problem.timeStep).toPrecision(15)), text };
    this.log.push(record);
    return record;
  }

  /** Puts in what is due and has room. */
  private admit(step: number, positions: Float64Array, moved: Moved): void {
    const { timeStep, grains } = this.problem;
    const due = this.sources.filter((source) => source.tried === undefined || nextTry(source, timeStep) <= step);
    if (due.length === 0) return;
    const coming = due.reduce((sum, { waiting }) => sum + waiting.length, 0);
    const smallest = [grains, ...due.map((source) => source.grains)].reduce(
      (least, { radii }) => radii.reduce((a, b) => Math.min(a, b), least),
      Number.POSITIVE_INFINITY,
    );
    const room = new Room(
      positions,
      { ...this.problem, walls: this.problem.walls.map((wall) => wallNow(wall, moved, step * timeStep)) },
      coming,
      smallest,
    );
    const arrivals: Arrival[] = [];
    for (const source of due) {
      const first = source.tried === undefined;
      arrivals.push(...findPlaces(source, room, step, this.problem).map((placed) => ({ source, ...placed })));
      if (source.waiting.length > 0 || first) continue;
      this.record(source.event, step, `the last of ${source.grains.count} grains is in`);
    }
    this.addGrains(arrivals);
    this.forgetEmpty();
  }

  private addGrains(arrivals: readonly Arrival[]): void {
    if (arrivals.length === 0) return;
    const sets: Grains[] = [];
    for (let k = 0; k < arrivals.length; ) {
      const { source } = arrivals[k];
      const picked: Arrival[] = [];
      for (; arrivals[k]?.source === source; k++) picked.push(arrivals[k]);
      const set = pickGrains(
        source.grains,
        picked.map(({ index }) => index),
      );
      picked.forEach(({ index, place }, i) => {
        this.added.push(source.id, index);
        set.positions.set(place, 3 * i);
      });
      sets.push(set);
    }
    this.problem = { ...this.problem, grains: joinGrains([this.problem.grains, ...sets]) };
  }

  private forgetEmpty(): void {
    this.sources = this.sources.filter(({ waiting }) => waiting.length > 0);
  }

  private checkNewWalls(walls: readonly Wall[], positions: Float64Array, event: number, step: number): void {
    const { count, radii, fixed } = this.problem.grains;
    for (const wall of walls) {
      let [overlaps, cut, least, grain] = [0, 0, 1, 0];
      const distance = (i: number) => wallDistance(wall, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], radii[i]);
      for (let i = 0; i < count; i++) {
        const share = fixed[i] ? 1 : distance(i) / radii[i];
        if (share >= 1) continue;
        overlaps++;
        if (share < 0 || goesThrough(wall, share, 1)) cut++;
        if (share < least) [least, grain] = [share, i];
      }
      if (overlaps === 0) continue;
      const where = `grain ${grain} reaches ${((1 - least) * radii[grain]).toPrecision(3)} beyond it`;
      if (cut > 0) {
        const message = `wall "${wall.name}" would go through ${cut} grains, or leave them behind it, after step ${step}: ${where}; put it elsewhere, or let the event wait until they are gone`;
        throw new EventError(event, step, `events[${event}].addWalls: ${message}`);
      }
      this.warnings.push(
        `events[${event}]: ${overlaps} grains overlap with wall "${wall.name}" as it comes: ${where}; overlaps are kept from growing, not pushed out`,
      );
    }
  }
}

/** @param first index of the first of `count` events that waited for the one before them */
function lateText(first: number, count: number, step: number): string {
  const which = count > 1 ? `events[${first}] to events[${first + count - 1}] come` : `events[${first}] comes`;
  return `${which} after step ${step}, behind the time or step asked for, which counts from the start of the run: events[${first - 1}] came so late`;
}

/** How far pistons have moved. */
export type Moved = ReadonlyMap<string, Vector>;

function wallNow(wall: Wall, moved: Moved, time: number): Wall {
  if (wall.motion) return withMotion(wall, null, time);
  const way = moved.get(wall.name);
  if (!way || wall.shape.kind === 'mesh') return wall;
  const { point } = wall.shape;
  return { ...wall, shape: { ...wall.shape, point: [point[0] + way[0], point[1] + way[1], point[2] + way[2]] } };
}

interface Arrival extends Placed {
  source: Source;
}

/**
 * The problem after an event, without the grains that it brings; the same object where it changes nothing.
 * @param step steps done when it happens
 */
function changed(problem: Problem, event: RunEvent, step: number): Problem {
  const { removeWalls, addWalls, setPiston, setMotion, gravity } = event;
  const changes = removeWalls.length + addWalls.length + Object.keys(setPiston).length + Object.keys(setMotion).length;
  if (changes === 0 && !gravity) return problem;
  const time = step * problem.timeStep;
  const added = addWalls.map((wall) => (wall.motion ? { ...wall, motion: { ...wall.motion, start: time } } : wall));
  const walls = [...problem.walls.filter(({ name }) => !removeWalls.includes(name)), ...added].map((wall) => {
    if (Object.hasOwn(setPiston, wall.name)) {
      // The scene is refused where a mass or a force is missing of what is no piston yet, or where a piston would move by itself.
      const { mass = wall.piston?.mass ?? 0, force = wall.piston?.force ?? 0 } = setPiston[wall.name];
      return { ...wall, piston: { mass, force } };
    }
    return Object.hasOwn(setMotion, wall.name) ? withMotion(wall, setMotion[wall.name], time) : wall;
  });
  return { ...problem, walls: joinPlates(walls), gravity: gravity ?? problem.gravity };
}
