import { checkArgument, OBJECT } from '../arguments';
import { checkStepCount } from '../oneCall';
import { lostNotice } from '../page/lostNotice';
import type { StepReport } from '../report';
import type { SceneInput } from '../scene/schema';
import type { PlayerChange } from '../viewer/player';
import { type Show, showScene } from '../viewer/showScene';
import type { Viewer } from '../viewer/types';
import { ATTRIBUTES, AttributeError, choiceOf, SOURCES, stepsPerFrameOf, viewOf } from './attributes';
import { lacksContext, NO_CONTEXT, release } from './context';
import { Base } from './events';
import { Face } from './face';
import { upgrade } from './parts';
import { findScene } from './sceneSource';

/** What a reader of the page wants who finds motion unpleasant. */
const CALM = '(prefers-reduced-motion: reduce)';

const SCENE = ['the address of a scene, a scene as an object, or null', OBJECT[1]] as const;

const NO_PAGE = '<contact-dynamics> is not in a page: its packing is there while it is in one';

/**
 * `<contact-dynamics scene="URL">`: a running packing in a page. Attributes, properties, events: docs/embedding.md. It begins when it
 * is in the page and gives back everything when it no longer is.
 */
export class ContactDynamicsElement extends Base {
  static readonly observedAttributes = ATTRIBUTES;
  private readonly face: Face;
  private given: SceneInput | undefined;
  private opening: AbortController | undefined;
  private shown: Show | undefined;
  private beginDue = false;
  /** What keeps it from running; undefined once it begins anew. */
  private failure: Error | undefined;
  /** Calls that wait until it runs, or cannot. */
  private readonly waiting: ((failure?: Error) => void)[] = [];
  private followed: Viewer | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    for (const change of ['webglcontextlost', 'webglcontextrestored'])
      root.addEventListener(change, () => this.showContext(), true);
    this.face = new Face(root, {
      toggle: () => (this.playing ? this.pause() : this.play()),
      step: () => void this.step().catch(() => undefined),
      reset: () => void this.reset().catch(() => undefined),
    });
  }

  /** A scene as an object, or the address of one; null: what stands in the script of the element. */
  get scene(): SceneInput | string | null {
    return this.given ?? this.getAttribute('scene');
  }

  set scene(scene: SceneInput | string | null) {
    if (typeof scene !== 'string' && scene !== undefined && scene !== null)
      checkArgument('<contact-dynamics>', 'scene', scene, SCENE);
    this.given = typeof scene === 'object' && scene ? scene : undefined;
    if (typeof scene === 'string') this.setAttribute('scene', scene);
    else this.removeAttribute('scene');
    this.begin();
  }

  /** Whether it is to play; it does so while it can be seen, and until its steps are done. */
  get playing(): boolean {
    return this.hasAttribute('playing');
  }

  set playing(playing: boolean) {
    this.toggleAttribute('playing', playing);
  }

  /** The simulation, viewer and player once there are such. */
  get show(): Show | null {
    return this.shown ?? null;
  }

  play(): void {
    this.playing = true;
  }

  pause(): void {
    this.playing = false;
  }

  /**
   * Pauses and does so many steps, once the grains are there.
   * @throws what the element shows in place of the packing, or what has ended the run; Error where it is in no page
   */
  async step(count = 1): Promise<void> {
    checkStepCount(count);
    const { player } = await this.running();
    await player.step(count);
    if (this.failure) throw this.failure;
    this.showState();
  }

  /** From the start. @throws as `step`, but for a run that has ended */
  async reset(): Promise<void> {
    const { player } = await this.running();
    await player.reset();
  }

  /** What runs, as soon as it does. */
  private async running(): Promise<Show> {
    if (!this.inPage) throw new Error(NO_PAGE);
    if (this.beginDue || (this.opening && !this.shown && !this.failure)) {
      await new Promise<void>((resolve, reject) => {
        this.waiting.push((failure) => (failure ? reject(failure) : resolve()));
      });
    }
    if (!this.shown) throw this.failure ?? new Error(NO_PAGE);
    return this.shown;
  }

  private settle(failure?: Error): void {
    for (const go of this.waiting.splice(0)) go(failure);
  }

  connectedCallback(): void {
    for (const name of ['scene', 'playing'] as const) upgrade(this, name);
    if (!this.opening) this.begin();
  }

  disconnectedCallback(): void {
    // An element that is only moved goes on.
    queueMicrotask(() => {
      if (this.inPage) return;
      this.end();
      this.settle(new Error(NO_PAGE));
    });
  }

  /** In another document, of which sight and size are watched in another window. */
  adoptedCallback(): void {
    this.face.dress();
    this.begin();
  }

  private get inPage(): boolean {
    return this.isConnected && this.ownerDocument.defaultView !== null;
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) return;
    const wasWrong = this.failure instanceof AttributeError && this.failure.faults[0].path === name;
    if (SOURCES.includes(name) || (wasWrong && !this.shown)) this.begin();
    else this.apply(name);
  }

  /** Begins anew, once for all that changes at a time. */
  private begin(): void {
    if (this.beginDue || !this.inPage) return;
    this.beginDue = true;
    queueMicrotask(async () => {
      if (document.readyState === 'loading' && this.scene === null) {
        // The script in it has not been read yet.
        await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
      }
      this.beginDue = false;
      this.end();
      if (this.inPage) await this.open();
    });
  }

  private async open(): Promise<void> {
    const opening = new AbortController();
    this.opening = opening;
    const { signal } = opening;
    // A frame that is taken away with its document says no more than this.
    const leave = ({ persisted }: PageTransitionEvent) => persisted || this.end();
    this.ownerDocument.defaultView!.addEventListener('pagehide', leave, { signal });
    const canvas = this.face.clear();
    this.face.showBusy('Preparing the grains …');
    try {
      const { scene, readText, readBytes } = await findScene(this, this.scene, signal);
      this.shown = await showScene(canvas, scene, {
        readText,
        readBytes,
        signal,
        view: viewOf(this),
        backend: choiceOf(this, 'backend'),
        stepsPerFrame: stepsPerFrameOf(this),
        ...(this.hasAttribute('endless') ? { end: Number.POSITIVE_INFINITY } : {}),
        onReport: (report) => this.report(report),
        onChange: (change) => this.changed(change),
        onError: (error) => this.fail(error),
      });
      this.ready();
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    }
  }

  /** Gives back everything. */
  private end(): void {
    this.opening?.abort();
    this.opening = undefined;
    if (this.shown) release(this.shown);
    this.shown = undefined;
    this.failure = undefined;
    this.followed = undefined;
    this.face.showNotice('');
  }

  private ready(): void {
    const { fallback } = this.shown!;
    if (matchMedia(CALM).matches) this.playing = false;
    this.showFace();
    if (fallback) this.face.showNotice(fallback);
    if (lacksContext(this.shown!)) this.showContext();
    this.followColours();
    // As attributes are now: they may have changed meanwhile.
    this.apply('colour');
    this.settle();
    this.dispatchEvent(new Event('ready'));
    if (this.playing) this.follow();
  }

  private showFace(): void {
    const calm = matchMedia(CALM).matches;
    this.face.showReady(this.shown!.player.source.problem.title || 'A packing of grains');
    this.face.showControls(calm || this.hasAttribute('controls'));
  }

  /** Plays or pauses as the attribute says, which goes where nothing is left to play. */
  private follow(): void {
    const { player } = this.shown!;
    if (this.playing) player.play();
    else player.pause();
    this.playing = player.playing;
  }

  private setView({ viewer, player }: Show): void {
    viewer.set(viewOf(this));
    player.stepsPerFrame = stepsPerFrameOf(this);
    if (!(this.failure instanceof AttributeError)) return;
    this.failure = undefined;
    this.showFace();
  }

  /** Acts on an attribute that does not begin anew. */
  private apply(name: string): void {
    const { shown } = this;
    if (!shown) return;
    try {
      if (name === 'playing') this.follow();
      else if (name === 'controls') this.face.showControls(this.hasAttribute('controls'));
      else this.setView(shown);
      this.showState();
    } catch (error) {
      this.fail(error);
    }
  }

  private report(report: StepReport): void {
    this.showState();
    this.dispatchEvent(new CustomEvent('report', { detail: report }));
  }

  private changed(change: PlayerChange): void {
    const { shown } = this;
    if (!shown) return;
    this.playing = shown.player.playing;
    if (change === 'reset' && this.failure) {
      this.failure = undefined;
      this.face.showNotice('');
    }
    if (change === 'recover') {
      this.followColours();
      this.face.showNotice(lostNotice(shown.player.source.backend));
    }
    this.showState();
    this.dispatchEvent(new Event(change));
  }

  /** Says that the picture is gone, or no longer that it is. */
  private showContext(): void {
    if (this.shown) this.face.showNotice(lacksContext(this.shown) ? NO_CONTEXT : '', true);
  }

  /** The scale of the colours may follow the picture a little later. */
  private followColours(): void {
    const { viewer } = this.shown!;
    if (this.followed === viewer) return;
    this.followed = viewer;
    const draw = viewer.onChange;
    viewer.onChange = () => {
      draw();
      this.showLegend();
    };
  }

  private showLegend(): void {
    if (!this.shown) return;
    this.face.showLegend(this.hasAttribute('hide-legend') ? null : this.shown.viewer.legend);
  }

  private showState(): void {
    if (!this.shown) return;
    const { source, playing, ended, end } = this.shown.player;
    this.showLegend();
    this.face.showState(source.steps, end, playing, ended);
  }

  /** Says what is wrong: over a packing that has run in a line, else in place of it. */
  private fail(error: unknown): void {
    const fault = error instanceof Error ? error : new Error(String(error));
    this.face.showFault(fault, this.shown !== undefined);
    // What has not begun plays once it is put right, and below a wrong attribute the run goes on.
    if (this.shown && !(fault instanceof AttributeError)) this.playing = false;
    this.failure = fault;
    this.settle(fault);
    this.dispatchEvent(new ErrorEvent('error', { error: fault, message: fault.message }));
  }
}
