import GUI from 'lil-gui';
import type { AnyDemo, Settings } from '../demo';

export interface GrainRange {
  value: number;
  min: number;
  max: number;
  /** What bounds it. */
  note: string;
}

export interface ControlEvents {
  /** A law or a size has changed: the scene begins anew. */
  onValues(values: Settings): void;
  onGrains(grains: number): void;
}

/** The sliders of a demo. */
export class ControlPanel {
  private gui: GUI | undefined;

  constructor(private readonly place: HTMLElement) {}

  show(demo: AnyDemo, values: Readonly<Settings>, grains: GrainRange, events: ControlEvents): void {
    this.gui?.destroy();
    const gui = new GUI({ container: this.place, title: 'Settings' });
    this.gui = gui;
    const shown: Settings = { ...values, grains: grains.value };
    for (const [key, control] of Object.entries(demo.controls)) {
      const name = control.kind === 'number' && control.unit ? `${control.label}, ${control.unit}` : control.label;
      const made =
        control.kind === 'number'
          ? gui.add(shown, key, control.min, control.max, control.step)
          : gui.add(shown, key, [...control.options]);
      made.name(name).onChange(() => {
        const { grains: _, ...rest } = shown;
        events.onValues(rest);
      });
    }
    const count = gui.add(shown, 'grains', grains.min, grains.max, 1).name('Grains');
    count.domElement.title = grains.note;
    count.onFinishChange((value: number) => events.onGrains(Math.round(value)));
  }
}
