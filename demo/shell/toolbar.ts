export interface Action {
  id: string;
  label: string;
  /** As KeyboardEvent.key has it, in lower case. */
  key: string;
  help: string;
  run(): void | Promise<void>;
  /** Not a button, a key alone. */
  keyOnly?: boolean;
}

/** Buttons of the actions; whoever changes a label finds the button by its id. */
export function showButtons(place: HTMLElement, actions: readonly Action[]): void {
  for (const { id, label, key, help, run, keyOnly } of actions) {
    if (keyOnly) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.id = id;
    button.textContent = label;
    button.title = `${help} (${keyName(key)})`;
    button.addEventListener('click', () => void run());
    place.append(button);
  }
}

const keyName = (key: string) => (key === ' ' ? 'Space' : key.toUpperCase());

/** Fields take keys for themselves; buttons take Space. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest('input, textarea, select, dialog, [contenteditable]')) return true;
  return event.key === ' ' && target?.closest('button') != null;
}

export function listenToKeys(actions: readonly Action[]): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const action = actions.find(({ key }) => key === event.key.toLowerCase());
    if (!action) return;
    event.preventDefault();
    void action.run();
  });
}

export function listKeys(place: HTMLElement, actions: readonly Action[]): void {
  place.replaceChildren(
    ...actions.flatMap(({ key, help }) => {
      const [term, text] = [document.createElement('dt'), document.createElement('dd')];
      const cap = document.createElement('kbd');
      cap.textContent = keyName(key);
      term.append(cap);
      text.textContent = help;
      return [term, text];
    }),
  );
}
