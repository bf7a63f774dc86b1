import type { StepReport } from '../report';
import type { ContactDynamicsElement } from './element';

/** What the element tells, beside what every element does. */
export interface ContactDynamicsEventMap extends HTMLElementEventMap {
  /** The grains are there and drawn. */
  ready: Event;
  /** After each step. */
  report: CustomEvent<StepReport>;
  play: Event;
  pause: Event;
  end: Event;
  reset: Event;
  /** The device was lost, and the run goes on. */
  recover: Event;
  /** The scene has faults, or the run cannot go on. */
  error: ErrorEvent;
}

/** Types of listeners; those of any other name are as at every element. */
interface Listening {
  addEventListener<Type extends keyof ContactDynamicsEventMap>(
    type: Type,
    listener: (this: ContactDynamicsElement, event: ContactDynamicsEventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<Type extends keyof ContactDynamicsEventMap>(
    type: Type,
    listener: (this: ContactDynamicsElement, event: ContactDynamicsEventMap[Type]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** Where the page is drawn on a server there are no elements. */
export const Base = (globalThis.HTMLElement ?? class {}) as unknown as new () => Listening & HTMLElement;
