import { type Command, InvalidArgumentError } from 'commander';
import { BACKENDS, type BackendName, readCount, readNames } from './suite/names';
import { SCENE_NAMES, type SceneName } from './suite/scenes';

/** A command's option that is read by `read`, whose RangeError the command shows. */
export function option<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

/** One that counts something. */
export const countOption = option(readCount);

/** What the command was called with, as it would be after `npm run <command>`. */
export function quotedArguments(): string {
  const quoted = process.argv.slice(2).map((argument) => (/\s/.test(argument) ? JSON.stringify(argument) : argument));
  return quoted.length > 0 ? ` -- ${quoted.join(' ')}` : '';
}

/** What the benchmarks in Node and in Chrome are both asked for. */
export interface SuiteOptions {
  scenes: SceneName[];
  backends: BackendName[];
  seconds: number;
  settleSeconds: number;
  minutes: number;
  rapier: boolean;
  rapierGrains: number;
  rapierSteps: number;
  name: string;
  note: string;
}

/** @param defaults of those that are not alike in both */
export function suiteOptions(
  program: Command,
  defaults: Pick<SuiteOptions, 'scenes' | 'minutes' | 'rapierGrains' | 'name'>,
): Command {
  const names = <T extends string>(known: readonly T[]) => option((text) => readNames(known, text));
  return program
    .option('--scenes <list>', SCENE_NAMES.join(','), names(SCENE_NAMES), defaults.scenes)
    .option('--backends <list>', BACKENDS.join(','), names(BACKENDS), [...BACKENDS])
    .option('--seconds <n>', 'seconds after which a case begins no further step', countOption, 8)
    .option('--settle-seconds <n>', 'seconds after which a packing that moves yet is measured as it is', countOption, 60)
    .option('--minutes <n>', 'of the whole benchmark: no case is begun that would end later', countOption, defaults.minutes)
    .option('--rapier-grains <n>', 'spheres beside Rapier', countOption, defaults.rapierGrains)
    .option('--rapier-steps <n>', 'steps beside Rapier', countOption, 200)
    .option('--no-rapier', 'without Rapier')
    .option('--name <name>', 'of the files in bench/results', defaults.name)
    .option('--note <text>', 'what a reader should know of the run', '');
}
