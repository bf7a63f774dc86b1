import type { Theme } from './colours';
import type { Drawing } from './drawing';
import { FIGURES } from './grains';
import type { Shown } from './shown';
import type { ViewOptions } from './types';

/** How dark the marks are that turn with the grains, where they are asked for and where they are not, in two and three dimensions. */
const MARKS = { 2: { asked: 0.7, else: 0.3 }, 3: { asked: 0.55, else: 0 } } as const;
const FINE_MARKS = 0.16;
/** A clip plane that hides nothing. */
const EVERYTHING = [0, 0, 0, 1] as const;
/** Share of the background in the colour of disks beneath chains. */
const FADED = 0.72;

/** Tells the shaders what the options say of colours and cuts. */
export function style(drawing: Drawing, shown: Shown, options: ViewOptions, theme: Theme): void {
  const { colourBy, clip, quality, forceChains } = options;
  const { view, chainUniforms } = drawing;
  drawing.setTheme(theme);
  const { palette, scale } = shown.legends.paint(colourBy, theme);
  view.setPalette(palette);
  view.figure.value = FIGURES.indexOf(colourBy);
  view.scale.value.set(...scale);
  const [x, y, z, distance] = clip ? shown.plane(clip) : EVERYTHING;
  view.clip.value.set(x, y, z, distance);
  view.up.value.copy(shown.up);
  const marks = MARKS[shown.source.problem.dimension];
  view.marks.value = colourBy === 'rotation' ? marks.asked : Math.max(marks.else, quality === 'high' ? FINE_MARKS : 0);
  view.faded.value = forceChains ? FADED : 0;
  chainUniforms.scale.value = 1 / shown.legends.chains.internal;
}
