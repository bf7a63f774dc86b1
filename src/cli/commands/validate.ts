import { loadSceneFile } from '../../node';
import { eventGrains, joinGrains } from '../../scene/grainSets';
import { estimateMemory } from '../../scene/limits';
import type { EventTime, Problem, RunEvent } from '../../scene/problem';
import { firstOfAlike } from '../firstOfAlike';
import { bytesFigure, figure, printable, table } from '../format';
import { withReadProgress } from '../readProgress';

export interface ValidateOptions {
  set?: string[];
  allowOutside?: boolean;
  quiet?: boolean;
  json?: boolean;
}

/** What a scene would run, for `validate --json`. */
interface Preview {
  title: string;
  steps: number;
  timeStep: number;
  /** Those that events bring included, as in the figures that follow. */
  grains: number;
  fixedGrains: number;
  radius: { min: number; mean: number; max: number };
  /** Of the grains. */
  mass: number;
  walls: string[];
  /** Of all meshes. */
  triangles: number;
  /** What happens during the run, and when. */
  events: string[];
  /** Estimate of the main memory that a run on the CPU takes, in bytes, without what Node itself takes. */
  memoryBytes: number;
  warnings: string[];
}

/** Checks a scene and tells what it would run. */
export async function validateCommand(scenePath: string, { json, quiet = false, ...options }: ValidateOptions): Promise<number> {
  const { problem } = await withReadProgress(quiet, (onRead) => loadSceneFile(scenePath, { ...options, onRead }));
  const preview = previewOf(problem);
  process.stdout.write(json ? `${JSON.stringify(preview, null, 2)}\n` : previewTable(preview));
  return 0;
}

function previewOf(problem: Problem): Preview {
  const { count, radii, masses, fixed } = joinGrains([problem.grains, ...eventGrains(problem.events)]);
  let [min, max, sum] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const radius of radii) {
    min = Math.min(min, radius);
    max = Math.max(max, radius);
    sum += radius;
  }
  return {
    title: problem.title,
    steps: problem.steps,
    timeStep: problem.timeStep,
    grains: count,
    fixedGrains: fixed.reduce((total, flag) => total + flag, 0),
    radius: { min, mean: sum / count, max },
    mass: masses.reduce((total, mass) => total + mass, 0),
    walls: problem.walls.map(({ name }) => name),
    triangles: problem.walls.reduce((sum, { shape }) => sum + (shape.kind === 'mesh' ? shape.mesh.triangles.length / 3 : 0), 0),
    events: eventTexts(problem.events ?? []),
    memoryBytes: estimateMemory(count),
    warnings: firstOfAlike(problem.warnings),
  };
}

function eventTexts(events: readonly RunEvent[]): string[] {
  let rest = -1;
  return events.map(({ when, text }, k) => {
    if ('rest' in when) rest = k;
    const orLater = rest < 0 || rest === k ? '' : `, or at once after events[${rest}] where that comes later`;
    return `${whenText(when)}${orLater}: ${text}`;
  });
}

function whenText(when: EventTime): string {
  return 'step' in when ? `after step ${when.step}` : `at rest (${when.rest})`;
}

function previewTable({ radius, walls, triangles, events, ...preview }: Preview): string {
  const fixed = preview.fixedGrains > 0 ? `, ${preview.fixedGrains} of them fixed` : '';
  const rows: [string, string][] = [
    ['grains', `${preview.grains}${fixed}`],
    ['radii', `${figure(radius.min)} to ${figure(radius.max)}, mean ${figure(radius.mean)}`],
    ['mass', figure(preview.mass, 6)],
    ['walls', walls.length > 0 ? `${walls.length}: ${walls.join(', ')}` : 'none'],
    ...(triangles > 0 ? [['triangles', `${triangles} in all`] as [string, string]] : []),
    ...firstOfAlike(events).map((event): [string, string] => ['event', event]),
    ['steps', `${preview.steps} of ${figure(preview.timeStep)}, time ${figure(preview.steps * preview.timeStep)} in all`],
    ['memory', `about ${bytesFigure(preview.memoryBytes)} of main memory for a run on the CPU, beside what Node itself takes`],
    ...preview.warnings.map((warning): [string, string] => ['warning', warning]),
  ];
  return `${printable(preview.title) || 'Untitled scene'}: the scene is right.\n${table(rows, '  ')}`;
}
