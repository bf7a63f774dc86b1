/** Gives the reader a file to keep. */
export function download(data: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const FRAMES_PER_SECOND = 30;
const TYPES = ['video/mp4;codecs=avc1', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

/** A video of a canvas from now on. */
class Recording {
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];

  /** @throws Error where the browser makes no videos */
  constructor(canvas: HTMLCanvasElement) {
    const type = globalThis.MediaRecorder ? TYPES.find((one) => MediaRecorder.isTypeSupported(one)) : undefined;
    if (!type) throw new Error('This browser records no videos');
    this.recorder = new MediaRecorder(canvas.captureStream(FRAMES_PER_SECOND), { mimeType: type, videoBitsPerSecond: 8_000_000 });
    this.recorder.ondataavailable = ({ data }) => this.parts.push(data);
    this.recorder.start();
  }

  async stop(): Promise<{ data: Blob; ending: 'mp4' | 'webm' }> {
    const stopped = new Promise((resolve) => {
      this.recorder.onstop = resolve;
    });
    this.recorder.stop();
    await stopped;
    for (const track of this.recorder.stream.getTracks()) track.stop();
    const type = this.recorder.mimeType;
    return { data: new Blob(this.parts, { type }), ending: type.includes('mp4') ? 'mp4' : 'webm' };
  }
}

/** The button that begins a video and ends it. */
export class Recorder {
  private recording: Recording | undefined;

  /** Begins one, or ends it and gives it to the reader. @throws Error where the browser makes no videos */
  async toggle(canvas: HTMLCanvasElement, name: string): Promise<void> {
    const { recording } = this;
    this.recording = recording ? undefined : new Recording(canvas);
    const button = document.getElementById('video')!;
    button.textContent = this.recording ? 'Stop video' : 'Video';
    button.classList.toggle('recording', this.recording !== undefined);
    if (!recording) return;
    const { data, ending } = await recording.stop();
    download(data, `${name}.${ending}`);
  }
}
