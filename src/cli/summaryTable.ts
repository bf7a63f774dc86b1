import { basename, join } from 'node:path';
import type { Summary } from '../io/summary';
import { bytesFigure, figure, printable, secondsFigure, table, vectorFigure } from './format';

/**
 * The summary as people read it.
 * @param files the results in the folder: summary, series, the lists of frames, and frames that no list names, with * for their numbers
 */
export function summaryTable(summary: Summary, folder: string, files: readonly string[]): string {
  const collections = files.filter((file) => file.endsWith('.pvd'));
  const unlisted = files.filter((file) => file.includes('*'));
  const plain = files.filter((file) => !collections.includes(file) && !unlisted.includes(file));
  const { iterations, penetration, walls, fromStep } = summary;
  const since = fromStep > 0 ? `since step ${fromStep}` : 'in the run';
  const software = summary.softwareAdapter ? ', a software adapter' : '';
  const rows: [string, string][] = [
    ['backend', summary.adapter ? `${summary.backend} (${summary.adapter}${software})` : summary.backend],
    ['grains', figure(summary.grains)],
    [
      'steps',
      `${summary.steps}, time ${figure(summary.time)}${fromStep > 0 ? `; ${summary.steps - fromStep} in this run, which goes on from step ${fromStep}` : ''}`,
    ],
    ['steps took', `${secondsFigure(summary.wallSeconds)}, ${figure(summary.stepsPerSecond, 3)} steps per second`],
    ['contacts', `${summary.contacts} of ${summary.candidates} candidates, ${summary.colours} colours`],
    [
      'sweeps',
      `mean ${figure(iterations.mean, 3)}, most ${iterations.max} in a step; ${summary.unconvergedSteps} of ${summary.steps - fromStep} steps did not converge`,
    ],
    ['residual', `${figure(summary.residual, 2)}, largest of one contact ${figure(summary.residualMax, 2)}`],
    ...(summary.balance === null ? [] : [['balance', figure(summary.balance, 2)] as [string, string]]),
    [
      'overlap',
      `mean ${figure(penetration.mean, 2)}, most ${figure(penetration.max, 2)} mean diameters; most ${since} ${figure(summary.maxPenetration, 2)}`,
    ],
    ['kinetic energy', figure(summary.kineticEnergy)],
    ['momentum', vectorFigure(summary.momentum)],
    ...(summary.gpuMemoryBytes > 0 ? [['GPU memory', bytesFigure(summary.gpuMemoryBytes)] as [string, string]] : []),
    ...Object.entries(walls).map(([name, { force, removed }]): [string, string] => [
      `force on ${name}`,
      removed === undefined ? vectorFigure(force) : `${vectorFigure(force)} when it was removed, after step ${removed}`,
    ]),
    ...summary.warnings.map((warning): [string, string] => ['warning', warning]),
    ['results', `${folder}: ${plain.join(', ') || 'none'}`],
    ...unlisted.map((file): [string, string] => [`frames, ${basename(file).split('-')[0]}`, join(folder, file)]),
    ...collections.map((file): [string, string] => [
      `frames, ${basename(file, '.pvd')}`,
      `${join(folder, file)}, to be opened in ParaView`,
    ]),
  ];
  return `${printable(summary.title) || 'Untitled scene'}\n${table(rows, '  ')}`;
}
