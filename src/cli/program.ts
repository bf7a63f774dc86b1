import { Command, Option } from 'commander';
import { version } from '../../package.json';
import type { AnalyseOptions } from './commands/analyse';
import type { BenchOptions } from './commands/bench';
import type { ConvertOptions } from './commands/convert';
import type { RunOptions } from './commands/run';
import type { ValidateOptions } from './commands/validate';

const EXIT_HELP = `
Exit codes: 0 done; 1 the run failed (what was done is kept); 2 bad input or usage; 3 the backend is not available; 130 interrupted.`;

const RUN_HELP = `
Leaves summary.json, series.csv, scene.json and, as the scene's "output" says, frames for ParaView in the folder.
Ctrl-C finishes the step, writes the last frames, a checkpoint and the summary, and exits with 130.
${EXIT_HELP}

Examples:
  contact-dynamics run pour.json --out out/pour
  contact-dynamics run pour.json --out out/short --steps 100 --force
  contact-dynamics run pour.json --out out/long --checkpoint-every 100
  contact-dynamics run pour.json --out out/longer --resume out/long/checkpoint-000400.h5 --steps 2000
  contact-dynamics run pour.json --out out/smooth --set contacts.0.friction=0 --set solver.order=random --json

The value of --set is JSON if it parses as such, else a text.`;

const VALIDATE_HELP = `
Examples:
  contact-dynamics validate pour.json
  contact-dynamics validate pour.json --set timeStep=1e-3 --json`;

const CONVERT_HELP = `
Reads text dumps of LAMMPS and LIGGGHTS (.dump, .particles), extended XYZ, CSV, VTK PolyData (.vtp) and collections of it (.pvd), each
also compressed by gzip, and checkpoints (.h5). The ending of OUT says what is written.

Examples:
  contact-dynamics convert packing.dump packing.vtp
  contact-dynamics convert out/pour/grains.pvd pour.xyz
  contact-dynamics convert out/pour/checkpoint-000400.h5 packing.csv
  contact-dynamics convert out/pour/contacts.pvd contacts.csv`;

const ANALYSE_HELP = `
Of the folder of a run the last state is taken. Forces are known where the run wrote contact frames ("output": { "contacts": true });
elsewhere grains that are nearer than --gap count as touching.

Examples:
  contact-dynamics analyse out/pour
  contact-dynamics analyse out/pour --box=-0.03,-0.03,0.02,0.03,0.03,0.08 --html pour.html
  contact-dynamics analyse packing.dump --gap 0.005 --json`;

const INFO_HELP = `
Examples:
  contact-dynamics info
  contact-dynamics info --json`;

const BENCH_HELP = `
Examples:
  contact-dynamics bench --sizes 10000,100000
  contact-dynamics bench --sizes 1000 --backend cpu --minutes 2 --json`;

const collect = (value: string, values: string[] = []) => [...values, value];
const setOption = () =>
  new Option('--set <path=value>', 'change the scene before it is checked; may be repeated').argParser(collect);

const OUTSIDE = ['--allow-outside', 'let the scene name files that are not in its folder'] as const;

/**
 * The command line. A command's code is loaded when it is called, so that help and wrong usage answer at once.
 * @param onExit takes the exit code of the command that ran
 */
export function createProgram(onExit: (code: number) => void): Command {
  const program = new Command('contact-dynamics')
    .description('Large packings of rigid frictional grains by the Contact Dynamics method.')
    .version(version)
    .addHelpText('after', EXIT_HELP)
    .showHelpAfterError('(--help tells more)')
    .exitOverride();

  program
    .command('run <scene>')
    .description('run a scene file')
    .requiredOption('--out <dir>', 'folder for the results')
    .addOption(
      new Option('--backend <name>', 'auto takes WebGPU where there is a hardware adapter, else the CPU')
        .choices(['auto', 'webgpu', 'cpu'])
        .default('auto'),
    )
    .option('--steps <n>', "steps to run from the scene's start, instead of those of the scene")
    .addOption(setOption())
    .option(...OUTSIDE)
    .option('--resume <checkpoint>', 'go on from a checkpoint of the same scene; results in its own folder are added to')
    .option('--checkpoint-every <n>', 'write a checkpoint every n steps and keep the last two')
    .option('--force', 'replace the results that are in the folder; other files are left alone')
    .option('--quiet', 'no progress and no warnings on standard error')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', RUN_HELP)
    .action(async (scene: string, options: RunOptions) => {
      const { runCommand } = await import('./commands/run');
      onExit(await runCommand(scene, options));
    });

  program
    .command('validate <scene>')
    .description('check a scene file and tell what it would run')
    .addOption(setOption())
    .option(...OUTSIDE)
    .option('--quiet', 'no progress on standard error')
    .option('--json', 'print as JSON')
    .addHelpText('after', VALIDATE_HELP)
    .action(async (scene: string, options: ValidateOptions) => {
      const { validateCommand } = await import('./commands/validate');
      onExit(await validateCommand(scene, options));
    });

  program
    .command('analyse <path>')
    .description('tell the figures of a packing: the folder of a run, or a file of grains')
    .option('--box <numbers>', 'region: x,y,z of the lower corner, then of the upper one; default: around all centres')
    .option('--cylinder <numbers>', 'region: point, axis (three numbers each), radius, height')
    .option('--gap <diameters>', 'gap up to which grains count as touching where forces are not known (default: 0.001)')
    .option('--layers <n>', 'also volume fraction, coordination and stress of n slices of the region')
    .option(
      '--indeterminacy <n>',
      'also how far balance leaves the forces open, from n states (folder of a run with contact frames)',
    )
    .option(...OUTSIDE)
    .option('--html <file>', 'also write a page with plots')
    .option('--force', 'replace a page that is there')
    .option('--quiet', 'no progress on standard error')
    .option('--json', 'print as JSON')
    .addHelpText('after', ANALYSE_HELP)
    .action(async (path: string, options: AnalyseOptions) => {
      const { analyseCommand } = await import('./commands/analyse');
      onExit(await analyseCommand(path, options));
    });

  program
    .command('convert <in> <out>')
    .description('write the grains of a file in another format')
    .option('--force', 'replace a file that is there')
    .option('--quiet', 'no progress on standard error')
    .addHelpText('after', CONVERT_HELP)
    .action(async (input: string, output: string, options: ConvertOptions) => {
      const { convertCommand } = await import('./commands/convert');
      onExit(await convertCommand(input, output, options));
    });

  program
    .command('info')
    .description('tell versions, graphics adapters and which backend "auto" takes')
    .option('--json', 'print as JSON')
    .addHelpText('after', INFO_HELP)
    .action(async (options: { json?: boolean }) => {
      const { infoCommand } = await import('./commands/info');
      onExit(await infoCommand(options));
    });

  program
    .command('bench')
    .description('measure packings at several sizes: JSON, CSV, Markdown and a page with plots')
    .option('--sizes <list>', 'grains, with commas between them', '1000,4000,16000')
    .addOption(
      new Option('--backend <name>', 'auto takes the CPU, and WebGPU too where there is a hardware adapter')
        .choices(['auto', 'webgpu', 'cpu'])
        .default('auto'),
    )
    .option('--minutes <n>', 'of all together: no part is begun that would end later', '20')
    .option('--out <dir>', 'folder for the files', 'bench-results')
    .option('--chrome', 'tells how to measure in a real Chrome, which takes a clone')
    .option('--force', 'replace results that are in the folder')
    .option('--quiet', 'no progress on standard error')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', BENCH_HELP)
    .action(async (options: BenchOptions) => {
      const { benchCommand } = await import('./commands/bench');
      onExit(await benchCommand(options));
    });
  return program;
}
