import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeCheckpoint } from '../node/checkpoint/checkpoint';
import type { Problem } from '../scene/problem';
import type { SimulationSnapshot } from '../simulation';
import type { OutputFolder } from './outputFolder';

/** Of the checkpoints at regular steps so many are kept; those of events, and of an interrupted run, all. */
const KEPT = 2;

/** Writes the checkpoints of a run into its folder. */
export class Checkpoints {
  /** Those at regular steps that are there, the oldest first. */
  private readonly regular: string[] = [];
  private lastName: string | undefined;

  /**
   * @param problem before its first step
   * @param every steps from one to the next; 0: none at regular steps
   * @param from the checkpoint where the run began
   */
  constructor(
    private readonly folder: OutputFolder,
    private readonly problem: Problem,
    private readonly every: number,
    private readonly from?: string,
  ) {}

  /** Steps until the next one is due. */
  stepsToNext(step: number): number {
    return this.every > 0 ? this.every - (step % this.every) : Number.POSITIVE_INFINITY;
  }

  /** Whether one is wanted after so many steps. */
  isDue(step: number): boolean {
    return this.every > 0 && step % this.every === 0;
  }

  /** Where the run can go on from, should it end now. */
  get last(): string | undefined {
    const written = this.lastName === undefined ? undefined : join(this.folder.path, this.lastName);
    return written !== undefined && existsSync(written) ? written : this.from;
  }

  /** The state at a regular step: takes the place of the last but one. */
  async writeRegular(snapshot: SimulationSnapshot, backend: 'webgpu' | 'cpu'): Promise<void> {
    const name = await this.write(snapshot, backend);
    if (name === undefined) return;
    this.regular.push(name);
    while (this.regular.length > KEPT) await this.folder.remove(this.regular.shift()!);
  }

  /** A state that is kept to the end. @returns the file's name; undefined where it is there already */
  async write(snapshot: SimulationSnapshot, backend: 'webgpu' | 'cpu'): Promise<string | undefined> {
    const name = checkpointName(snapshot.solver.step);
    if (name === this.lastName) {
      const place = this.regular.indexOf(name);
      if (place >= 0) this.regular.splice(place, 1);
      return undefined;
    }
    await this.folder.write(name, (path) => writeCheckpoint(path, { problem: this.problem, backend, snapshot }));
    this.lastName = name;
    return name;
  }
}

const checkpointName = (step: number) => `checkpoint-${String(step).padStart(6, '0')}.h5`;
