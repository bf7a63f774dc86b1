import { ContactDynamicsElement } from './element/element';

declare global {
  interface HTMLElementTagNameMap {
    'contact-dynamics': ContactDynamicsElement;
  }
}

export { ContactDynamicsElement };

// Two copies of the package in one page: the first one serves.
if (globalThis.customElements && !customElements.get('contact-dynamics')) {
  customElements.define('contact-dynamics', ContactDynamicsElement);
}
