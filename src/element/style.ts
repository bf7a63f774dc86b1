/** Style of what is in the element's shadow root. Sizes and colours can be set from outside: see docs/embedding.md. */
export const STYLE = `
:host {
  --ink: #1d2430;
  --paper: #f6f7f9;
  --line: #c9ced8;
  display: block;
  position: relative;
  aspect-ratio: 4 / 3;
  overflow: hidden;
  color: var(--ink);
  background: var(--paper);
  font: 14px / 1.45 system-ui, sans-serif;
  contain: content;
}
:host([hidden]) { display: none; }
:host([theme='dark']) { --ink: #e6e9ef; --paper: #14171d; --line: #3a404c; }
@media (prefers-color-scheme: dark) {
  :host(:not([theme='light'])) { --ink: #e6e9ef; --paper: #14171d; --line: #3a404c; }
}
canvas { display: block; width: 100%; height: 100%; }
.message { position: absolute; inset: 0; overflow: auto; padding: 1.25em; background: var(--paper); }
.message h2 { margin: 0 0 0.5em; font-size: 1.1em; }
.message p, .message ul { margin: 0 0 0.5em; }
.message ul { padding-left: 1.2em; }
.message code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere; }
.busy { display: grid; place-content: center; color: color-mix(in srgb, var(--ink) 65%, transparent); }
.head {
  position: absolute; inset: 0.5em 0.5em auto; display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0.4em; font-size: 0.86em;
  pointer-events: none;
}
.legend {
  padding: 0.3em 0.6em; border-radius: 4px;
  background: color-mix(in srgb, var(--paper) 82%, transparent);
}
.bar { width: 9em; height: 0.6em; margin: 0.15em 0; border-radius: 0.2em; }
.ends { display: flex; justify-content: space-between; font-variant-numeric: tabular-nums; }
.swatch { display: inline-block; width: 0.8em; height: 0.8em; margin-right: 0.4em; border-radius: 50%; }
.controls {
  position: absolute; inset: auto 0 0 0; display: flex; flex-wrap: wrap; align-items: center; gap: 0.4em 0.6em; padding: 0.4em;
  pointer-events: none;
}
.controls > * { pointer-events: auto; }
.steps {
  padding: 0.15em 0.6em; border-radius: 4px; white-space: nowrap; font-variant-numeric: tabular-nums;
  background: color-mix(in srgb, var(--paper) 82%, transparent);
}
.notice {
  display: flex; align-items: flex-start; box-sizing: border-box; max-width: min(22em, 100%); max-height: 6em; margin-left: auto;
  padding: 0.15em 0.15em 0.15em 0.6em; overflow: auto; border-left: 3px solid #c2772b; border-radius: 4px; background: var(--paper);
  pointer-events: auto;
}
.notice button { flex: none; width: 1.7em; height: 1.7em; border: none; }
button {
  display: grid; place-items: center; width: 2.2em; height: 2.2em; padding: 0; border: 1px solid var(--line); border-radius: 6px;
  color: inherit; background: var(--paper); cursor: pointer;
}
button:hover { border-color: currentColor; }
button:focus-visible { outline: 2px solid #3b7dd8; outline-offset: 1px; }
button:disabled { opacity: 0.4; cursor: default; }
svg { width: 1.1em; height: 1.1em; fill: currentColor; }
[hidden] { display: none !important; }
`;

/** Drawings of the buttons, on a square of 16. */
export const ICONS = {
  play: 'M4 2l10 6-10 6z',
  pause: 'M3 2h4v12H3zM9 2h4v12H9z',
  step: 'M3 2l7 6-7 6zM11 2h2.5v12H11z',
  close: 'M3.5 2L8 6.5 12.5 2 14 3.5 9.5 8l4.5 4.5-1.5 1.5L8 9.5 3.5 14 2 12.5 6.5 8 2 3.5z',
  reset: 'M8 3V0L3.5 4 8 8V5a4 4 0 1 1-4 4H2a6 6 0 1 0 6-6z',
} as const;
