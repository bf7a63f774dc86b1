import { encodePvd, type PvdEntry } from '../io/pvd';
import { encodeContactFrame, encodeGrainFrame } from '../io/vtp';
import type { State } from '../report';
import type { OutputOptions, Problem } from '../scene/problem';
import { FRAMES, type OutputFolder } from './outputFolder';

type Kind = 'grains' | 'contacts';
const ENCODERS = { grains: encodeGrainFrame, contacts: encodeContactFrame };

/** Kinds of frames that a scene asks for. */
export function frameKinds({ frames, contacts }: OutputOptions): Kind[] {
  return [...(frames === 'vtp' ? (['grains'] as const) : []), ...(contacts ? (['contacts'] as const) : [])];
}

/** The file that lists the frames of a kind. */
export const collectionOf = (kind: Kind) => `${kind}.pvd`;

/** Writes the frames that a scene asks for, each followed by its collection, so that what is there can always be opened. */
export class FrameWriter {
  private readonly kinds: readonly Kind[];
  private readonly entries: Record<Kind, PvdEntry[]> = { grains: [], contacts: [] };
  private lastStep: number | undefined;

  /** @param source of the problem, whose grains may become more */
  constructor(
    private readonly folder: OutputFolder,
    private readonly source: { readonly problem: Problem },
  ) {
    this.kinds = frameKinds(source.problem.output);
  }

  /** Whether the scene wants a frame after this step, the last one apart. */
  wanted(step: number): boolean {
    const { every } = this.source.problem.output;
    return every > 0 && step % every === 0;
  }

  /** Writes the state after `step`, unless that is done. */
  async write(step: number, read: () => Promise<State>): Promise<void> {
    if (this.kinds.length === 0 || this.lastStep === step) return;
    const state = await read();
    const { problem } = this.source;
    for (const kind of this.kinds) {
      const file = `${FRAMES}/${kind}-${String(step).padStart(6, '0')}.vtp`;
      await this.folder.write(file, ENCODERS[kind](problem, state));
      this.entries[kind].push({ time: Number((step * problem.timeStep).toPrecision(15)), file });
      await this.folder.write(collectionOf(kind), encodePvd(this.entries[kind]));
    }
    this.lastStep = step;
  }
}
