import { ContactDynamicsElement } from './element/element';
import type { ContactDynamicsEventMap } from './element/events';

declare global {
  interface HTMLElementTagNameMap {
    'contact-dynamics': ContactDynamicsElement;
  }
}

export { ContactDynamicsElement, type ContactDynamicsEventMap };

// Two copies of the package in one page: the first one serves.
if (globalThis.customElements && !customElements.get('contact-dynamics')) {
  customElements.define('contact-dynamics', ContactDynamicsElement);
}
