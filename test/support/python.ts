import { spawnSync } from 'node:child_process';
import { installDebianPackage } from './debian';

const found = new Map<string, string>();

/**
 * A Python that has a module; installs Debian's package of it where there is none.
 * @param variable of the environment that may name a Python
 * @param advice where it is to be had otherwise
 * @throws Error saying what was tried and what to do
 */
export function ensurePython(module: string, debianPackage: string, variable: string, advice: string): string {
  // Debian's packages are for the system's Python, which need not be the first of the path.
  const candidates = [process.env[variable], '/usr/bin/python3', 'python3'].filter((path) => path !== undefined);
  const find = () => candidates.find((python) => spawnSync(python, ['-c', `import ${module}`], { stdio: 'ignore' }).status === 0);
  const known = found.get(module) ?? find();
  if (known) {
    found.set(module, known);
    return known;
  }
  console.error(`No Python with ${module} found: installing ${debianPackage}, which takes a minute or two ...`);
  const fault = installDebianPackage(debianPackage);
  const installed = find();
  if (installed) return installed;
  throw new Error(`No Python with ${module}. ${advice}\n${fault ?? `${debianPackage} was installed and does not load`}`);
}

/** A Python with h5py, which reads checkpoints as the documents show. @throws Error saying what was tried and what to do */
export const ensureH5py = (): string =>
  ensurePython(
    'h5py',
    'python3-h5py',
    'H5PY_PYTHON',
    'Install h5py: python3-h5py of Debian or Ubuntu, elsewhere the package "h5py" of pip, and set H5PY_PYTHON to that python.',
  );
