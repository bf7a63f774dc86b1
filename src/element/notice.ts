import { watchSight } from '../viewer/sight';
import { button, part } from './parts';

/** For so long a notice is to be seen before it goes by itself; milliseconds. */
const TIME_TO_READ = 10_000;

/** A line over the picture, with a button that closes it. */
export class Notice {
  readonly element = part('div', 'notice');
  private readonly text = document.createElement('span');
  private timer: ReturnType<typeof setTimeout> | undefined;
  private endWatch: (() => void) | undefined;

  constructor() {
    this.text.setAttribute('role', 'status');
    this.element.append(
      this.text,
      button('close', 'Close this notice', () => this.show('')),
    );
    this.show('');
  }

  /**
   * @param text none for an empty one
   * @param stays until it is closed; else it goes once it has been in sight for a while, but not under the pointer
   */
  show(text: string, stays = false): void {
    this.endWatch?.();
    this.endWatch = undefined;
    clearTimeout(this.timer);
    this.text.textContent = text;
    this.element.hidden = text === '';
    if (text === '' || stays) return;
    this.endWatch = watchSight(this.element, (seen) => {
      clearTimeout(this.timer);
      if (seen) this.wait();
    });
  }

  private wait(): void {
    this.timer = setTimeout(() => {
      if (this.element.matches(':hover, :focus-within')) this.wait();
      else this.show('');
    }, TIME_TO_READ);
  }
}
