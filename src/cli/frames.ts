import { encodePvd, type PvdEntry } from '../io/pvd';
import { boxAround, type ParticleTable, periodicBox } from '../io/table';
import { contactsPerGrain, encodeContactFrame, encodeGrainFrame } from '../io/vtp';
import { writeText } from '../io/writeParticles';
import type { State } from '../report';
import type { OutputOptions, Problem } from '../scene/problem';
import { FRAMES, type OutputFolder } from './outputFolder';

type Kind = 'grains' | 'contacts';
const ENCODERS = { grains: encodeGrainFrame, contacts: encodeContactFrame };

/** Kinds of frames that a scene asks for. */
export function frameKinds({ frames, contacts }: OutputOptions): Kind[] {
  return [...(frames === 'vtp' ? (['grains'] as const) : []), ...(contacts ? (['contacts'] as const) : [])];
}

/** Frames that are text, which no file lists: their name, with * for the step. */
export const textFrames = ({ frames }: OutputOptions) =>
  frames === 'xyz' || frames === 'dump' ? [`${FRAMES}/grains-*.${frames}`] : [];

/** The file that lists the frames of a kind. */
export const collectionOf = (kind: Kind) => `${kind}.pvd`;

/** Writes the frames that a scene asks for, each followed by its collection, so that what is there can always be opened. */
export class FrameWriter {
  private readonly text: 'xyz' | 'dump' | undefined;
  private readonly kinds: readonly Kind[];
  private readonly entries: Record<Kind, PvdEntry[]> = { grains: [], contacts: [] };
  private lastStep: number | undefined;

  /**
   * @param source of the problem, whose grains may become more
   * @param earlier names of frames that are there already and belong to the run, by their steps
   */
  constructor(
    private readonly folder: OutputFolder,
    private readonly source: { readonly problem: Problem },
    earlier: readonly string[] = [],
  ) {
    const { output, timeStep } = source.problem;
    for (const name of earlier) {
      const [, kind, step] = /(grains|contacts)-(\d+)\.vtp$/.exec(name) ?? [];
      if (kind) this.entries[kind as Kind].push(entryOf(kind as Kind, Number(step), timeStep));
    }
    this.kinds = frameKinds(output);
    this.text = output.frames === 'xyz' || output.frames === 'dump' ? output.frames : undefined;
  }

  /** Lists the frames that are there already. */
  async begin(): Promise<void> {
    for (const kind of ['grains', 'contacts'] as const) if (this.entries[kind].length > 0) await this.writeList(kind);
  }

  private writeList(kind: Kind): Promise<void> {
    return this.folder.write(collectionOf(kind), encodePvd(this.entries[kind]));
  }

  /** Whether the scene wants a frame after this step, the last one apart. */
  wanted(step: number): boolean {
    const { every } = this.source.problem.output;
    return every > 0 && step % every === 0;
  }

  /** Writes the state after `step`, unless that is done. */
  async write(step: number, read: () => Promise<State>): Promise<void> {
    if ((this.kinds.length === 0 && !this.text) || this.lastStep === step) return;
    const state = await read();
    const { problem } = this.source;
    for (const kind of this.kinds) {
      const entry = entryOf(kind, step, problem.timeStep);
      await this.folder.write(entry.file, ENCODERS[kind](problem, state));
      // The first frame of a run that goes on can be the last of its earlier part.
      if (this.entries[kind].at(-1)?.file !== entry.file) this.entries[kind].push(entry);
      await this.writeList(kind);
    }
    if (this.text) {
      const file = `${FRAMES}/grains-${String(step).padStart(6, '0')}.${this.text}`;
      const contacts = contactsPerGrain(state, problem.grains.count);
      await this.folder.write(file, writeText(tableOf(problem, state), this.text, contacts));
    }
    this.lastStep = step;
  }
}

const entryOf = (kind: Kind, step: number, timeStep: number): PvdEntry => ({
  time: Number((step * timeStep).toPrecision(15)),
  file: `${FRAMES}/${kind}-${String(step).padStart(6, '0')}.vtp`,
});

/** The grains of a state; ids as in frames for ParaView, from 0. */
function tableOf({ grains, timeStep, periodic }: Problem, state: State): ParticleTable {
  const around = { positions: state.positions, radii: grains.radii };
  const box = periodic && periodicBox(boxAround(around), periodic.min, periodic.lengths);
  return {
    count: grains.count,
    step: state.step,
    time: Number((state.step * timeStep).toPrecision(15)),
    positions: state.positions,
    radii: grains.radii,
    velocities: state.velocities,
    angularVelocities: state.angularVelocities,
    masses: grains.masses,
    ids: Float64Array.from(grains.radii, (_, i) => i),
    types: grains.materials.map((material) => material + 1),
    ...(box ? { box } : {}),
  };
}
