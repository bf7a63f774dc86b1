import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const isRoot = (): boolean => process.getuid?.() === 0;

/** Runs a command quietly; what it printed where it fails, else undefined. */
function failure(command: string, args: string[]): string | undefined {
  const result = spawnSync(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (result.status === 0) return undefined;
  return `${command} ${args.join(' ')}: ${result.error?.message ?? result.stderr.trim().split('\n').slice(-3).join('\n')}`;
}

function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

/** Installs a package of Debian, as root or by sudo without a password. @returns why that failed, undefined where it did not */
export function installDebianPackage(name: string): string | undefined {
  if (!isDebian()) return 'apt-get: only on Debian';
  const run = (...args: string[]) => (isRoot() ? failure(args[0], args.slice(1)) : failure('sudo', ['-n', ...args]));
  return run('apt-get', 'update', '-q') ?? run('apt-get', 'install', '-q', '-y', '--no-install-recommends', name);
}
