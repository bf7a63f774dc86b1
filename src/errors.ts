/** One class per cause, each carrying the fact that a caller needs. */

import { checkArgument, type Kind } from './arguments';
import { FaultList, kindOf } from './scene/faults';

const isText = (value: unknown) => typeof value === 'string';
const WORDS: Kind = ['a text', isText];
const FAULTS: Kind = [
  'a list of { path, message }, both texts',
  (value) => Array.isArray(value) && value.every((fault) => isText(fault?.path) && isText(fault.message)),
];

/** One thing wrong with a scene: where it is and what was expected. */
export interface Fault {
  /** JSON path such as `grains[0].list[3].radius`, or a file with its line. */
  path: string;
  /** What is wrong and the mend. */
  message: string;
}

export const describeFault = ({ path, message }: Fault): string => (path ? `${path}: ${message}` : message);

/** The scene, or a file that it names, cannot be run. Lists every fault found; of those alike but for numbers the first ten, and how many more there are. */
export class SceneError extends Error {
  readonly faults: readonly Fault[];
  /** @throws TypeError for faults that are none */
  constructor(faults: readonly Fault[]) {
    checkArgument('SceneError', 'faults', faults, FAULTS);
    const listed = byKind(faults);
    super(listed.map(describeFault).join('\n'));
    this.name = 'SceneError';
    this.faults = listed;
  }
}

/** Faults that are alike but for numbers together, those of each kind named up to ten and then counted. What is found twice is told once. */
function byKind(faults: readonly Fault[]): Fault[] {
  const kinds = new Map<string, FaultList>();
  const found = new Map(faults.map((fault) => [describeFault(fault), fault]));
  for (const [described, fault] of found) {
    const kind = kindOf(described);
    const list = kinds.get(kind) ?? new FaultList(`like ${fault.path || 'the last'}`);
    kinds.set(kind, list);
    list.add(() => fault);
  }
  return [...kinds.values()].flatMap((list) => list.faults);
}

/** The backend that was asked for is not available here. */
export class BackendError extends Error {
  override name = 'BackendError';
}

/** A size that the adapter cannot hold; says which would fit. */
export class CapacityError extends Error {
  override name = 'CapacityError';
}

/** The GPU device was lost during the run. */
export class DeviceLostError extends Error {
  constructor(
    readonly step: number,
    message: string,
  ) {
    super(message);
    this.name = 'DeviceLostError';
  }
}

/** A figure is no longer finite, or a step cannot be completed. Names the step and, where known, the grain. */
export class NumericalError extends Error {
  constructor(
    readonly step: number,
    readonly grain: number | undefined,
    message: string,
  ) {
    super(message);
    this.name = 'NumericalError';
  }
}

/** An event of the scene cannot happen as the run stands. */
export class EventError extends Error {
  constructor(
    readonly event: number,
    readonly step: number,
    message: string,
  ) {
    super(message);
    this.name = 'EventError';
  }
}

/** A checkpoint cannot be read, or belongs to another scene. */
export class CheckpointError extends Error {
  /** @throws TypeError for a path or a reason that is no text */
  constructor(
    readonly path: string,
    /** Why, as a sentence whose subject is the file. */
    readonly reason: string,
  ) {
    checkArgument('CheckpointError', 'path', path, WORDS);
    checkArgument('CheckpointError', 'reason', reason, WORDS);
    super(`${path} ${reason}`);
    this.name = 'CheckpointError';
  }
}

/** WGSL that does not compile: names the stage and shows the line. */
export class ShaderError extends Error {
  /** @throws TypeError for a source that is no text */
  constructor(
    readonly stage: string,
    readonly line: number,
    message: string,
    source: string,
  ) {
    checkArgument('ShaderError', 'source', source, WORDS);
    super(`Shader of stage "${stage}", line ${line}: ${message}\n  ${source.split('\n')[line - 1]?.trim() ?? ''}`);
    this.name = 'ShaderError';
  }
}
