/** Runs the benchmark off the page's thread, so that the page stays lively while Rapier or the CPU reference computes. */
import { version } from '../../../package.json';
import { createSimulation } from '../../../src/index';
import { rapierVersion } from '../../rapier/world';
import { describeHardware } from '../../suite/adapter';
import type { Host } from '../../suite/host';
import type { Machine } from '../../suite/result';
import { Suite, type SuiteSettings } from '../../suite/runSuite';
import type { FromWorker, ToWorker } from './messages';

/** GiB where a browser does not say. */
const USUAL_MEMORY = 4;

/** Chrome tells it, in steps and no more than so much; others do not. */
const toldMemory = (navigator as { deviceMemory?: number }).deviceMemory;

const host: Host = { createSimulation, cpuMilliseconds: () => null, memoryBytes: (toldMemory ?? USUAL_MEMORY) * 2 ** 30 };

function describeBrowser(rapier: string | null, adapter: string | null): Machine {
  const { userAgent, hardwareConcurrency } = navigator;
  const [, name = 'unknown browser', browserVersion = ''] = /(Chrome|Firefox|Safari)\/([\d.]+)/.exec(userAgent) ?? [];
  return {
    cpu: null,
    cores: hardwareConcurrency,
    memoryBytes: toldMemory === undefined ? null : host.memoryBytes,
    system: /\(([^)]*)\)/.exec(userAgent)?.[1] ?? 'not known',
    runtime: `${name} ${browserVersion}`.trim(),
    library: version,
    rapier,
    adapter,
  };
}

const controller = new AbortController();
const send = (message: FromWorker) => postMessage(message);

async function run(settings: SuiteSettings, command: string, note: string): Promise<void> {
  const { adapter, ...hardware } = await describeHardware(navigator.gpu, settings.backends);
  const machine = describeBrowser(settings.rapier ? await rapierVersion() : null, adapter);
  const { signal } = controller;
  const suite: Suite = new Suite(
    host,
    settings,
    { command, note, machine, ...hardware },
    { signal, onProgress: (fraction, text) => send({ kind: 'progress', fraction, text, result: suite.result }) },
  );
  await suite.run();
  send({ kind: 'end', stopped: signal.aborted, result: suite.result });
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data === 'stop') controller.abort();
  else {
    run(data.settings, data.command, data.note).catch((error) =>
      send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
  }
});
