import { compareResults } from '../suite/compareResults';
import { type FileKind, fileTexts } from '../suite/fileTexts';
import { plotFigures, reportHtml } from '../suite/page';
import { parseResult, type SuiteResult } from '../suite/result';
import { SCENE_NAMES, SCENES } from '../suite/scenes';
import { toHtml } from '../suite/table';
import type { FromWorker, SuiteStatus, ToWorker } from './suite/messages';
import { fillForm, formTexts, readSettings } from './suite/settings';

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

const form = element<HTMLFormElement>('settings');
const runButton = element<HTMLButtonElement>('run');
const stopButton = element<HTMLButtonElement>('stop');
const progress = element<HTMLProgressElement>('progress');
const report = element('report');

const suite: SuiteStatus = { state: 'idle', fraction: 0, text: '', result: null };
window.suite = suite;

function say(place: HTMLElement, text: string, failed = false): void {
  place.textContent = text;
  place.classList.toggle('failed', failed);
}

/** What the cases of the report were that is shown: it is drawn anew only where there are more. */
let shown = 0;

function show(result: SuiteResult): void {
  suite.result = result;
  const { cases, settlings, failures, rapier } = result;
  const parts = cases.length + settlings.length + failures.length + rapier.length;
  if (parts === shown) return;
  shown = parts;
  report.innerHTML = reportHtml(result);
  element('downloads').hidden = cases.length === 0;
}

function update(state: SuiteStatus['state'], text: string, fraction = suite.fraction): void {
  Object.assign(suite, { state, text, fraction });
  progress.value = fraction;
  say(element('status'), text, state === 'failed');
  runButton.disabled = state === 'running';
  stopButton.disabled = state !== 'running';
}

function receive(message: FromWorker): void {
  if (message.kind === 'failed') {
    update('failed', message.message);
    return;
  }
  show(message.result);
  if (message.kind === 'progress') update('running', message.text, message.fraction);
  else if (message.stopped) update('stopped', 'Stopped. What was measured is below.');
  else update('ended', `${message.result.cases.length} cases measured, ${message.result.failures.length} not run.`, 1);
}

/** A worker each run: what the last one held is gone with it. */
function start(): void {
  const texts = formTexts(form);
  const settings = readSettings(texts);
  const chosen = Object.entries(texts).flatMap(([name, text]) => (text && name !== 'note' ? [`${name}=${text}`] : []));
  const worker = new Worker(new URL('./suite/worker.ts', import.meta.url), { type: 'module' });
  const post = (message: ToWorker) => worker.postMessage(message);
  shown = 0;
  report.replaceChildren();
  suite.result = null;
  update('running', 'Measuring the copy bandwidth ...', 0);
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    receive(data);
    if (data.kind !== 'progress') worker.terminate();
  });
  worker.addEventListener('error', ({ message }) => {
    worker.terminate();
    update('failed', `The benchmark broke off: ${message || 'its worker ended, perhaps for want of memory: try smaller sizes'}`);
  });
  let asked = false;
  stopButton.onclick = () => {
    post('stop');
    if (asked) {
      worker.terminate();
      update('stopped', 'Stopped. What was measured is below.');
    } else say(element('status'), 'Stopping after the step in progress; once more stops at once ...');
    asked = true;
  };
  post({ settings, note: texts.note, command: `The page with ${chosen.join(' ')}` });
}

function attempt(place: HTMLElement, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    say(place, error.message, true);
    if (place === element('status')) suite.state = 'failed';
    suite.text = error.message;
  }
}

function download(kind: FileKind): void {
  if (!suite.result) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([fileTexts[kind](suite.result)]));
  link.download = `contact-dynamics-benchmark.${kind}`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function compare(first: File, second: File): Promise<void> {
  const [a, b] = await Promise.all([first, second].map(async (file) => ({ name: file.name, text: await file.text() })));
  element('comparison').replaceChildren();
  say(element('compare-status'), '');
  attempt(element('compare-status'), () => {
    const [one, other] = [a, b].map(({ name, text }) => ({ name, result: parseResult(text, name) }));
    const { sections, plots } = compareResults(one, other);
    element('comparison').innerHTML = sections.map(toHtml).join('\n') + plotFigures(plots);
  });
}

for (const name of SCENE_NAMES) {
  const label = document.createElement('label');
  const box = Object.assign(document.createElement('input'), { type: 'checkbox', name: 'scenes', value: name });
  box.defaultChecked = name !== 'column';
  label.append(box, ` ${SCENES[name].title}`);
  element('scenes').append(label);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(element('status'), start);
});
element('downloads').addEventListener('click', ({ target }) => {
  if (target instanceof HTMLButtonElement) download(target.dataset.kind as FileKind);
});
element<HTMLFormElement>('compare').addEventListener('submit', (event) => {
  event.preventDefault();
  const data = new FormData(event.target as HTMLFormElement);
  void compare(data.get('first') as File, data.get('second') as File);
});

/** `?scenes=bed,drum&sizes=1000,3000&run` fills the form by the names of its fields, and starts. */
const query = new URLSearchParams(location.search);
attempt(element('status'), () => {
  fillForm(form, query);
  if (query.has('run')) form.requestSubmit();
});
