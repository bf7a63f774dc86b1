import * as errors from '../errors';
import type { EventRecord } from '../events/schedule';
import type { State, StepReport } from '../report';
import type { Problem } from '../scene/problem';
import type { SimulationSnapshot } from '../simulation';

/** What the worker is asked for, and the type of what it gives. One call at a time. */
export interface WorkerCalls {
  /** The first call, once. */
  open: { input: WorkerStart; result: undefined };
  /** One step; none where an event has ended the run. */
  step: { input: undefined; result: StepReport | undefined };
  read: { input: undefined; result: State };
  capture: { input: undefined; result: SimulationSnapshot };
}

export interface WorkerStart {
  problem: Problem;
  from?: SimulationSnapshot;
  /** The page takes the states that events want kept. */
  keeps: boolean;
}

/** What the page tells the worker: a call, or that it has kept a state, or could not. */
export type ToWorker =
  | { [Name in keyof WorkerCalls]: { call: Name; input: WorkerCalls[Name]['input'] } }[keyof WorkerCalls]
  | { kept: PackedError | null };

/** What the worker tells the page: how a call ended, or a state to keep before it goes on. */
export type FromWorker =
  | { result: WorkerCalls[keyof WorkerCalls]['result']; status: WorkerStatus }
  | { error: PackedError; status?: WorkerStatus }
  | { keep: SimulationSnapshot };

/** Where the run is, after each call. */
export interface WorkerStatus {
  steps: number;
  warnings: readonly string[];
  events: readonly EventRecord[];
  stopped: boolean;
  unfinished: readonly string[];
  /** Only where events have changed it. */
  problem?: Problem;
}

/** An error with its class and its facts, which a message alone would lose. */
export interface PackedError {
  name: string;
  message: string;
  facts: Record<string, unknown>;
}

export function packError(error: unknown): PackedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), facts: {} };
  return { name: error.name, message: error.message, facts: { ...error } };
}

export function unpackError({ name, message, facts }: PackedError): Error {
  const classes: Record<string, { prototype: Error }> = { ...errors, RangeError };
  const error = Object.assign(new Error(message), facts);
  return Object.setPrototypeOf(error, (classes[name] ?? Error).prototype);
}

/** The memory of a state that is given away, so that it moves instead of being copied. */
export function buffersOf({ contacts, ...grains }: State): ArrayBuffer[] {
  return [...Object.values(grains), ...Object.values(contacts)].flatMap((value) =>
    ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
  );
}
