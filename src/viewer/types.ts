import type { Vector } from '../scene/problem';
import type { Simulation } from '../simulation';

/** What of a simulation the viewer needs; Simulation has it, and so does whatever stands in for one. */
export type ViewSource = Pick<Simulation, 'problem' | 'steps' | 'read'> & Partial<Pick<Simulation, 'gpuState'>>;

export const COLOURINGS = [
  'plain',
  'speed',
  'force',
  'coordination',
  'rotation',
  'size',
  'material',
  'contactState',
  'group',
] as const;

/** What the colour of a grain tells: see docs/viewer.md. */
export type Colouring = (typeof COLOURINGS)[number];

export interface ViewOptions {
  /** Default speed. */
  colourBy: Colouring;
  /** Normal forces as ribbons between the centres, the grains as glass. Default false. */
  forceChains: boolean;
  /** Default auto: what the page's reader has chosen for the system. */
  theme: 'light' | 'dark' | 'auto';
  /** Low: no smooth edges, one pixel for each of the page's; medium (default): both; high: marks on the grains that turn with them. */
  quality: 'low' | 'medium' | 'high';
  /** Default true. */
  walls: boolean;
  /** Hides what is behind a plane, where its normal points away from; in units of the scene. Default null. */
  clip: { point: Vector; normal: Vector } | null;
  /** The camera turns slowly about the packing; not where the reader wants little motion. Default false. */
  turntable: boolean;
}

/** What the colours mean. Figures are in the units of the scene. */
export interface Legend {
  label: string;
  /** Absent for figures in the scene's own units. */
  unit?: string;
  /** Values of the first and the last colour; what is beyond has that colour too. */
  min: number;
  max: number;
  /** CSS colours, evenly spaced from min to max; of categories one each. */
  colours: string[];
  /** Names, where the figures are but numbers of such: of the groups, of the materials that grains have, of what contacts do. */
  categories?: string[];
}

/** Where the camera stands and what it looks at, in units of the scene. */
export interface CameraPlace {
  position: Vector;
  target: Vector;
  /** In two dimensions how much nearer everything is than when it was framed; else 1. */
  zoom: number;
}

/** Figures of one grain, in units of the scene. */
export interface GrainFigures {
  id: number;
  position: Vector;
  radius: number;
  speed: number;
  /** Radians per time. */
  angularSpeed: number;
  /** Sum of the normal forces of its contacts, by amount. */
  force: number;
  /** Contacts that bear. */
  contacts: number;
  /** Name of the material. */
  material: string;
  /** Number of the group of the scene that it comes from. */
  group: number;
}

/** Draws a packing on a canvas. Calls of one viewer must not be made after `dispose`. */
export interface Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly options: Readonly<ViewOptions>;
  /** What the colours mean now; null where they mean nothing, and before the first update. */
  readonly legend: Legend | null;
  /** Normal force that the widest ribbons stand for; null where none are drawn. */
  readonly chainForce: number | null;
  /** Called when there is something new to draw: the camera has moved, an option or the size has changed. Default: draws in the next frame. */
  onChange: () => void;
  /** Changes what is given and leaves the rest. @throws RangeError naming an option that is none, or a value that it cannot have */
  set(options: Partial<ViewOptions>): void;
  /**
   * Takes the source's present state, between two of its steps: by copies on the GPU where it lies there, else what `read` gives.
   * @throws Error where the source is in mid-step, or nothing can be drawn on its device
   */
  update(): Promise<void>;
  /** Draws now. */
  render(): void;
  /**
   * The grain at a point of the canvas as it was at the last update, null where there is none.
   * @param x CSS pixels from the canvas's left edge
   * @param y from its upper edge
   */
  pick(x: number, y: number): Promise<GrainFigures | null>;
  /** Moves the camera so that everything is in view that was there at the last update. */
  frameAll(): void;
  /** Null before the first update. `moved`: by the reader or `setCamera` since something was framed. */
  readonly camera: (CameraPlace & { moved: boolean }) | null;
  /** After the first update. */
  setCamera(place: CameraPlace): void;
  /** What is shown. @param type MIME type of an image, default image/png */
  picture(type?: string): Promise<Blob>;
  /** Another simulation from the next update on, on the same canvas and, in the same dimension, with the same camera. */
  setSource(source: ViewSource): void;
  /** Gives back all that it holds; the canvas, and a device that was given, are left. */
  dispose(): void;
}
