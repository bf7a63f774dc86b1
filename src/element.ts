import { ContactDynamicsElement, type ContactDynamicsEventMap } from './element/element';

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
