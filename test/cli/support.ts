import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { analyseCommand } from '../../src/cli/commands/analyse';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const TSX = import.meta.resolve('tsx');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command line from source to its end; `meanwhile` may act on it while it runs. */
export function command(args: readonly string[], meanwhile?: (child: ChildProcess) => Promise<void>): Promise<Finished> {
  const child = spawn(process.execPath, ['--import', TSX, MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 90_000,
    killSignal: 'SIGKILL',
  });
  const result = finished(child);
  const failed = new Promise<never>((_, fail) => meanwhile?.(child).catch(fail));
  return Promise.race([result, failed]);
}

function finished(child: ChildProcess): Promise<Finished> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

/** Runs the command line from source under a shell: `line` is what follows it, such as redirections; `before` what comes before. */
export function shellCommand(args: readonly string[], line: string, before = ':'): Promise<Finished> {
  const child = spawn('bash', ['-c', `${before}; "$@" ${line}`, 'bash', process.execPath, '--import', TSX, MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 90_000,
    killSignal: 'SIGKILL',
  });
  return finished(child);
}

/** 27 grains that fall on a floor, a frame every 10 of 20 steps. */
export const FALL = {
  format: 'contact-dynamics/1',
  title: 'Falling cube',
  gravity: [0, 0, -10],
  timeStep: 0.01,
  steps: 20,
  materials: { glass: { density: 2500 } },
  contacts: [{ between: ['glass', 'glass'], friction: 0.3 }],
  grains: [{ material: 'glass', lattice: { count: [3, 3, 3], spacing: 1.1, origin: [0, 0, 0.6], radius: 0.5 } }],
  walls: [{ name: 'floor', material: 'glass', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
  output: { every: 10, contacts: true },
};

/** Writes a scene file into the folder. */
export function sceneFile(folder: string, scene: unknown): string {
  const path = join(folder, 'fall.json');
  writeFileSync(path, typeof scene === 'string' ? scene : JSON.stringify(scene));
  return path;
}

/** What the command analyse prints. */
export async function printed(path: string, options: Parameters<typeof analyseCommand>[1]): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(await analyseCommand(path, options)).toBe(0);
    return write.mock.calls.map(([text]) => text).join('');
  } finally {
    write.mockRestore();
  }
}
