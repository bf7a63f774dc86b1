import type { SuiteResult } from '../../suite/result';
import type { SuiteSettings } from '../../suite/runSuite';

/** To the worker: what to run, or that it is enough. */
export type ToWorker = { settings: SuiteSettings; command: string; note: string } | 'stop';

/** From the worker. */
export type FromWorker =
  | { kind: 'progress'; fraction: number; text: string; result: SuiteResult }
  | { kind: 'end'; stopped: boolean; result: SuiteResult }
  | { kind: 'failed'; message: string };

/** For a driver: how far the page's run is. */
export interface SuiteStatus {
  state: 'idle' | 'running' | 'ended' | 'stopped' | 'failed';
  fraction: number;
  text: string;
  /** What was measured so far. */
  result: SuiteResult | null;
}

declare global {
  interface Window {
    suite?: SuiteStatus;
  }
}
