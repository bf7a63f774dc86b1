import { type Fault, SceneError } from '../errors';
import { faultList } from '../page/faultList';
import { showLegend } from '../page/legend';
import type { Legend } from '../viewer/types';
import { AttributeError } from './attributes';
import { Notice } from './notice';
import { button, draw, part } from './parts';
import { STYLE } from './style';

export interface FaceActions {
  /** Plays, or pauses. */
  toggle(): void;
  step(): void;
  reset(): void;
}

/** What is to be seen of the element: the canvas, messages, notices and buttons. All text is set as text, never as markup. */
export class Face {
  private readonly message = part('div', 'message');
  private readonly notice = new Notice();
  private readonly legend = part('div', 'legend');
  private readonly controls = part('div', 'controls');
  private readonly steps = part('span', 'steps');
  private readonly toggle: HTMLButtonElement;
  private readonly step: HTMLButtonElement;

  constructor(
    private readonly root: ShadowRoot,
    actions: FaceActions,
  ) {
    this.dress();
    this.toggle = button('play', 'Play', actions.toggle);
    this.step = button('step', 'One step', actions.step);
    const reset = button('reset', 'From the start', actions.reset);
    this.controls.append(this.toggle, this.step, reset, this.steps);
    this.message.setAttribute('role', 'alert');
    // Above, as grains come to rest below.
    const head = part('div', 'head');
    head.append(this.legend, this.notice.element);
    root.append(part('canvas', 'canvas'), head, this.message, this.controls);
    this.clear();
  }

  /** In the style of the document that it is in; sheets of another are taken from it. */
  dress(): void {
    const view = this.root.ownerDocument.defaultView;
    if (!view) return;
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [sheet];
  }

  /** Another canvas: what drew on one before may keep its kind. */
  clear(): HTMLCanvasElement {
    const canvas = part('canvas', 'canvas');
    this.canvas.replaceWith(canvas);
    this.message.hidden = true;
    this.showNotice('');
    this.showLegend(null);
    this.showControls(false);
    return canvas;
  }

  private get canvas(): HTMLCanvasElement {
    return this.root.querySelector('canvas')!;
  }

  showBusy(text: string): void {
    this.message.className = 'message busy';
    this.message.replaceChildren(text);
    this.message.hidden = false;
  }

  showReady(title: string): void {
    this.message.hidden = true;
    this.canvas.setAttribute('aria-label', title);
  }

  /** Says what is wrong: over a packing that has run in a line, else in place of it. */
  showFault(fault: Error, hasRun: boolean): void {
    if (fault instanceof AttributeError) this.showFailure('An attribute has a value that it cannot have', '', fault.faults);
    else if (fault instanceof SceneError) this.showFailure('This scene cannot be run', '', fault.faults);
    else if (hasRun) this.showNotice(fault.message, true);
    else this.showFailure('This packing cannot be shown here', fault.message);
  }

  /** @param faults each with its place, below the text */
  private showFailure(title: string, text: string, faults: readonly Fault[] = []): void {
    const heading = document.createElement('h2');
    heading.textContent = title;
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    this.message.className = 'message';
    this.message.replaceChildren(heading, ...(text ? [paragraph] : []), ...(faults.length > 0 ? [faultList(faults)] : []));
    this.message.hidden = false;
    this.showControls(false);
  }

  /** A line over the picture; none for an empty text. It goes by itself after a while, unless it is to stay. */
  showNotice(text: string, stays = false): void {
    this.notice.show(text, stays);
  }

  /** What the colours mean; nothing for null. */
  showLegend(legend: Legend | null): void {
    showLegend(this.legend, legend);
  }

  showControls(shown: boolean): void {
    this.controls.hidden = !shown;
  }

  showState(steps: number, end: number, playing: boolean, ended: boolean): void {
    this.steps.textContent = `step ${steps.toLocaleString('en')}${Number.isFinite(end) ? ` of ${end.toLocaleString('en')}` : ''}`;
    draw(this.toggle, playing ? 'pause' : 'play', playing ? 'Pause' : 'Play');
    this.toggle.disabled = ended;
    this.step.disabled = ended;
  }
}
