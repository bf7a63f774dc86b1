import { createSimulation } from '../../src/index';
import { type BenchResult, measure } from '../measure';
import { pouredScene } from '../scenes/poured';
import { appendStep, fillTable, stageRows, startSteps, summaryRows } from './tables';
import { drawPacking } from './view';

declare global {
  interface Window {
    /** For a driver: set when the run has ended, with the figures or with what went wrong. */
    benchmark?: { result: BenchResult } | { error: string };
  }
}

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

const form = element<HTMLFormElement>('settings');
const status = element('status');
const progress = element<HTMLProgressElement>('progress');
const stop = element<HTMLButtonElement>('stop');
const canvas = element<HTMLCanvasElement>('view');

interface Settings {
  grains: number;
  steps: number;
  backend: 'webgpu' | 'cpu';
}

function readSettings(): Settings {
  const data = new FormData(form);
  const backend = data.get('backend') === 'cpu' ? 'cpu' : 'webgpu';
  return { grains: Number(data.get('grains')), steps: Number(data.get('steps')), backend };
}

function say(text: string, failed = false): void {
  status.textContent = text;
  status.classList.toggle('failed', failed);
}

async function run({ grains, steps, backend }: Settings, signal: AbortSignal): Promise<BenchResult> {
  say('Preparing the grains and compiling the shaders ...');
  const simulation = await createSimulation(pouredScene(grains, steps), { backend, signal, profile: true });
  try {
    const { problem } = simulation;
    drawPacking(canvas, problem, problem.grains.positions);
    const table = element<HTMLTableElement>('steps');
    startSteps(table);
    const result = await measure(simulation, steps, (report) => {
      progress.value = report.step / steps;
      say(`Step ${report.step} of ${steps}`);
      appendStep(table, report);
    });
    drawPacking(canvas, problem, (await simulation.read()).positions);
    say(`${result.contacts.length} steps of ${result.grains.toLocaleString('en')} grains.`);
    return result;
  } finally {
    simulation.dispose();
  }
}

function showResult(result: BenchResult): void {
  const stages = stageRows(result);
  fillTable(element('summary'), summaryRows(result));
  fillTable(element('stages'), stages);
  element('stages-section').hidden = stages.length === 0;
}

async function start(): Promise<void> {
  const controller = new AbortController();
  stop.onclick = () => controller.abort();
  element<HTMLButtonElement>('run').disabled = true;
  stop.disabled = false;
  progress.value = 0;
  try {
    const result = await run(readSettings(), controller.signal);
    if (result.contacts.length > 0) showResult(result);
    window.benchmark = { result };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    say(message, true);
    window.benchmark = { error: message };
  }
  element<HTMLButtonElement>('run').disabled = false;
  stop.disabled = true;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void start();
});

/** `?grains=2000&steps=20&backend=webgpu` fills the form and starts at once. */
const query = new URLSearchParams(location.search);
for (const [name, value] of query) {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value;
}
if (query.has('grains')) form.requestSubmit();
