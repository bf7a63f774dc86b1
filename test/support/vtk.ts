import { spawnSync } from 'node:child_process';
import { ensurePython } from './python';

/**
 * A Python with VTK, which judges the files that are written here and writes others; installs it where there is none.
 * @throws Error saying what was tried and what to do
 */
export const ensureVtk = (): string =>
  ensurePython(
    'vtkmodules.vtkIOXML',
    'python3-vtk9',
    'VTK_PYTHON',
    'Install VTK for Python: python3-vtk9 of Debian or Ubuntu, elsewhere the package "vtk" of pip, and set VTK_PYTHON to that python.',
  );

/** Runs a program in Python with VTK. @returns what it printed, which must be JSON */
export function runVtk<T>(program: string, args: readonly string[]): T {
  const { status, stdout, stderr, error } = spawnSync(ensureVtk(), [program, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
  return JSON.parse(stdout);
}
