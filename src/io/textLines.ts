import type { Chunks } from './bytes';
import { fileError } from './table';

/** Bytes that are decoded at once, and letters of the longest line: of a file of any size no more is held as text. */
const PIECE_BYTES = 1 << 18;
const LONGEST_LINE = 1 << 20;

/** A text that comes in pieces, line by line: what has been read is forgotten. */
export class TextLines {
  /** The piece at hand, and where in it the next line begins. */
  text = '';
  at = 0;
  /** The number of that line in the file, from 1. */
  line = 1;
  private readonly pieces: AsyncGenerator<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private done = false;

  /** @param file name for messages */
  constructor(
    readonly file: string,
    chunks: Chunks,
  ) {
    this.pieces = inPieces(chunks);
  }

  /** Where the next line ends in the piece at hand; negative where there is more to be read before that is known. */
  endOfLine(): number {
    return this.text.indexOf('\n', this.at);
  }

  /** Goes on behind a line that ends there. */
  pass(end: number): void {
    this.at = end + 1;
    this.line++;
  }

  /** Reads on. @returns false where the file has ended and nothing is left */
  async more(): Promise<boolean> {
    if (this.done) return false;
    const held = this.text.slice(this.at);
    if (held.length > LONGEST_LINE)
      throw fileError(this.file, this.line, `has more than ${LONGEST_LINE} letters; the file is no table of grains`);
    const { value, done } = await this.pieces.next();
    this.done = done ?? false;
    this.text = held + (done ? this.decoder.decode() : this.decoder.decode(value, { stream: true }));
    this.at = 0;
    // The last line may lack its end.
    if (done && this.text !== '' && !this.text.endsWith('\n')) this.text += '\n';
    return !done || this.text !== '';
  }

  /** The next line without blanks about it, which is not passed; undefined at the end of the file. */
  async peek(): Promise<string | undefined> {
    let end = this.endOfLine();
    while (end < 0) {
      if (!(await this.more())) return undefined;
      end = this.endOfLine();
    }
    return this.text.slice(this.at, end).trim();
  }

  /** The next line, which is passed. */
  async next(): Promise<string | undefined> {
    const line = await this.peek();
    if (line !== undefined) this.pass(this.endOfLine());
    return line;
  }

  /** Passes lines until the next is the one, which is not passed. @returns false where the file ends before */
  async skip(isNext: () => boolean): Promise<boolean> {
    for (;;) {
      const end = this.endOfLine();
      if (end < 0) {
        if (!(await this.more())) return false;
      } else if (isNext()) return true;
      else this.pass(end);
    }
  }

  /** Passes blank lines. @returns the line after them, which is not passed; undefined at the end of the file */
  async peekFilled(): Promise<string | undefined> {
    for (;;) {
      const line = await this.peek();
      if (line !== '') return line;
      this.pass(this.endOfLine());
    }
  }

  /** Reads no more of the file. */
  async close(): Promise<void> {
    await this.pieces.return(undefined);
  }
}

async function* inPieces(chunks: Chunks): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
  }
}
