import { spawnSync } from 'node:child_process';
import { installDebianPackage } from './debian';

const ADVICE =
  'Install VTK for Python: python3-vtk9 of Debian or Ubuntu, elsewhere the package "vtk" of pip, and set VTK_PYTHON to that python.';

/** Debian's packages are for the system's Python, which need not be the first of the path. */
const candidates = () => [process.env.VTK_PYTHON, '/usr/bin/python3', 'python3'].filter((path) => path !== undefined);

const hasVtk = (python: string) => spawnSync(python, ['-c', 'import vtkmodules.vtkIOXML'], { stdio: 'ignore' }).status === 0;

let found: string | undefined;

/**
 * A Python with VTK, which judges the files that are written here and writes others; installs it where there is none.
 * @throws Error saying what was tried and what to do
 */
export function ensureVtk(): string {
  found ??= candidates().find(hasVtk);
  if (found) return found;
  console.error('No VTK for Python found: installing python3-vtk9, which takes a minute or two ...');
  const fault = installDebianPackage('python3-vtk9');
  found = candidates().find(hasVtk);
  if (found) return found;
  throw new Error(`No VTK for the tests of files. ${ADVICE}\n${fault ?? 'python3-vtk9 was installed and does not load'}`);
}

/** Runs a program in Python with VTK. @returns what it printed, which must be JSON */
export function runVtk<T>(program: string, args: readonly string[]): T {
  const { status, stdout, stderr, error } = spawnSync(ensureVtk(), [program, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
  return JSON.parse(stdout);
}
