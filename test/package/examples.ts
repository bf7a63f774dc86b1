import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureH5py } from '../support/python';

/** A block of code in a document. */
interface Example {
  /** Of the document, with the line where it begins. */
  place: string;
  language: string;
  code: string;
}

/** What a document says of the exit code of the block's last command: `<!-- exit code 2 -->` before it. */
const EXIT_CODE = /<!-- exit code (\d+) -->\s*$/;

function examplesOf(root: string, file: string): (Example & { status: number })[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => ({
    place: `${file}:${text.slice(0, match.index).split('\n').length}`,
    language: match[1],
    code: match[2],
    status: Number(EXIT_CODE.exec(text.slice(0, match.index))?.[1] ?? 0),
  }));
}

/**
 * Runs what the documents show, in a folder that looks like a built clone: blocks of commands that begin with node, programs with
 * imports, and those in Python. The example scene has fewer beads there, so that its many runs stay short.
 * @param project a folder where the package is installed
 * @returns how many blocks were run
 * @throws Error naming the document and the line of a block that fails
 */
export function runExamples(root: string, project: string): number {
  const folder = join(project, 'clone');
  mkdirSync(join(folder, 'bench/scenes'), { recursive: true });
  symlinkSync(join(project, 'node_modules/contact-dynamics/dist'), join(folder, 'dist'));
  cpSync(join(root, 'bench/scenes'), join(folder, 'bench/scenes'), { recursive: true });
  const pour = readFileSync(join(root, 'bench/scenes/pour.json'), 'utf8');
  if (!pour.includes('"count": 2000')) throw new Error('bench/scenes/pour.json has no 2,000 beads any more');
  writeFileSync(join(folder, 'bench/scenes/pour.json'), pour.replace('"count": 2000', '"count": 200'));
  const documents = [
    'README.md',
    ...readdirSync(join(root, 'docs')).flatMap((name) => (/\.md$/.test(name) ? [`docs/${name}`] : [])),
  ];
  const blocks = documents.flatMap((file) => examplesOf(root, file)).filter(isRunnable);
  blocks.forEach(({ place, language, code, status }, k) => {
    writeFileSync(join(folder, `example-${k}.mjs`), code);
    const [command, args] = RUNS[language](code, `example-${k}.mjs`);
    const { status: got, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', timeout: 240_000 });
    if (got !== status) throw new Error(`${place}: exit code ${got} for ${status}\n${code}\n${stdout}\n${stderr}`);
  });
  return blocks.length;
}

/** The command that runs a block, which a file of the folder holds too. */
const RUNS: Record<string, (code: string, file: string) => [command: string, args: string[]]> = {
  js: (_, file) => ['node', [file]],
  sh: (code) => ['bash', ['-c', `set -e\n${code}`]],
  py: (code) => [ensureH5py(), ['-c', code]],
};

/** Programs of pages need one, and npm needs the whole clone: the tests have those. */
const isRunnable = ({ language, code }: Example) =>
  language === 'py' ||
  (language === 'sh' && /^node /m.test(code) && !/^np[mx] /m.test(code)) ||
  (language === 'js' && /^import /m.test(code) && !/document\./.test(code));
