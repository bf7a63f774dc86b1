import type { RapierScene } from '../rapier/compare';
import { fit } from './growth';
import type { Host } from './host';
import type { BackendName, Coarse } from './names';
import { type PreparedScene, prepare } from './prepare';
import type { Machine, SuiteResult } from './result';
import { runCase, UPDATE_BYTES } from './runCase';
import { SCENES, type SceneName } from './scenes';

/** What is run, and for how long. */
export interface SuiteSettings {
  scenes: SceneName[];
  backends: BackendName[];
  /** Grains. */
  sizes: Record<BackendName, number[]>;
  coarse: Coarse;
  /** Measured steps of each case, at most. */
  steps: number;
  /** After which a case begins no further step. */
  seconds: number;
  /** After which a packing that has not come to rest is measured as it is. */
  settleSeconds: number;
  /** Of all together: no case is begun that would end later. */
  totalSeconds: number;
  /** Null: without Rapier. */
  rapier: { scenes: readonly RapierScene[]; grains: number; steps: number; seconds: number } | null;
}

/** What of a result is known before the first case. */
export interface Surroundings extends Pick<SuiteResult, 'command' | 'note' | 'copyBandwidth' | 'limits' | 'features'> {
  machine: Machine;
  softwareAdapter: boolean;
}

export interface SuiteListener {
  signal?: AbortSignal;
  /** @param fraction of the work, by the number of grains */
  onProgress?: (fraction: number, text: string) => void;
}

/** There is no time left for a case. */
class TimeOver extends Error {}

/** The part of the work before any backend is measured; its time has a limit of its own. */
const SETTLING = 'settling';

/** Steps before the measured ones. */
const WARM_UP = 2;

function emptyResult({ softwareAdapter: _, ...known }: Surroundings): SuiteResult {
  const none = { settlings: [], cases: [], failures: [], fits: [], rapier: [] };
  return { ...known, date: new Date().toISOString().slice(0, 10), updateBytes: UPDATE_BYTES, ...none };
}

/** One run of the benchmark. Whatever happens, `result` holds what was measured so far. */
export class Suite {
  readonly result: SuiteResult;
  private readonly start = performance.now();
  private done = 0;
  /** Seconds that a grain took, of the last size of each scene in each of its parts. */
  private readonly pace = new Map<string, number>();

  constructor(
    private readonly host: Host,
    private readonly settings: SuiteSettings,
    private readonly surroundings: Surroundings,
    private readonly listener: SuiteListener,
  ) {
    this.result = emptyResult(surroundings);
  }

  /** Small sizes of all scenes come first, so that a limit of time cuts off large ones; Rapier comes after the smallest. */
  async run(): Promise<void> {
    const [first, ...larger] = this.allSizes();
    await this.runSize(first);
    await this.runRapier();
    for (const grains of larger) await this.runSize(grains);
    if (!this.stopped) this.tell(0, 'Done.');
  }

  private async runSize(grains: number): Promise<void> {
    for (const scene of this.settings.scenes) {
      if (this.stopped) return;
      await this.runScene(scene, grains);
      this.result.fits = fit(this.result);
    }
  }

  private get stopped(): boolean {
    return this.listener.signal?.aborted ?? false;
  }

  private allSizes(): number[] {
    const { backends, sizes } = this.settings;
    return [...new Set(backends.flatMap((backend) => sizes[backend]))].sort((a, b) => a - b);
  }

  private backendsOf(grains: number): BackendName[] {
    return this.settings.backends.filter((backend) => this.settings.sizes[backend].includes(grains));
  }

  /** Where a packing settles soonest: on a GPU, unless there is only one that computes on the CPU. */
  private get fastest(): BackendName {
    return this.settings.backends.includes('webgpu') && !this.surroundings.softwareAdapter ? 'webgpu' : 'cpu';
  }

  private async runScene(scene: SceneName, grains: number): Promise<void> {
    const backends = this.backendsOf(grains);
    const prepared = await this.attempt(scene, grains, SETTLING, backends, () => this.prepare(scene, grains));
    if (!prepared) this.done += backends.length * grains;
    else
      for (const backend of backends) {
        await this.attempt(scene, grains, backend, [backend], async () => {
          const { steps, seconds } = this.settings;
          const limits = { warmUp: WARM_UP, steps, seconds, signal: this.listener.signal };
          const bandwidth = this.result.copyBandwidth[backend] ?? null;
          this.result.cases.push(await runCase(this.host, prepared, backend, limits, bandwidth));
        });
      }
  }

  private async prepare(scene: SceneName, grains: number): Promise<PreparedScene> {
    const { coarse, settleSeconds } = this.settings;
    const limits = { steps: Infinity, seconds: settleSeconds, signal: this.listener.signal };
    const prepared = await prepare(this.host, scene, grains, { ...limits, backend: this.fastest, coarse });
    this.result.settlings.push(prepared.settling);
    return prepared;
  }

  /**
   * Does a part of the work if there is time for it. What goes wrong is kept as a failure of the backends that it was for.
   * @param part SETTLING or what is measured
   */
  private async attempt<T>(
    scene: SceneName,
    grains: number,
    part: string,
    backends: readonly BackendName[],
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    if (this.stopped) return undefined;
    const key = `${scene} ${part}`;
    const start = performance.now();
    this.tell(0, `${SCENES[scene].title}, ${grains.toLocaleString('en')} grains, ${part}`);
    try {
      const expected = grains * (this.pace.get(key) ?? 0);
      this.checkTime(part === SETTLING ? Math.min(expected, this.settings.settleSeconds) : expected);
      const outcome = await work();
      this.pace.set(key, (performance.now() - start) / 1000 / grains);
      return outcome;
    } catch (error) {
      const failure = { error: error instanceof Error ? error.message : String(error), late: error instanceof TimeOver };
      if (!this.stopped) this.result.failures.push(...backends.map((backend) => ({ scene, backend, grains, ...failure })));
      return undefined;
    } finally {
      this.tell(grains, '');
    }
  }

  /** @param expected seconds */
  private checkTime(expected: number): void {
    const { totalSeconds } = this.settings;
    const left = totalSeconds - (performance.now() - this.start) / 1000;
    if (left <= 0) throw new TimeOver(`the ${totalSeconds} s of the whole benchmark were over`);
    if (expected > left) {
      throw new TimeOver(
        `would take some ${expected.toFixed(0)} s, and ${left.toFixed(0)} of the ${totalSeconds} s of the whole benchmark were left`,
      );
    }
  }

  /** A GPU takes part where it is one: a driver that computes on the CPU would take all of the time. */
  private async runRapier(): Promise<void> {
    const { rapier, backends } = this.settings;
    if (!rapier) return;
    const { grains, steps, seconds } = rapier;
    const taking = this.surroundings.softwareAdapter ? (['cpu'] as const) : backends;
    const { signal } = this.listener;
    // Only where it is wanted: the package goes without Rapier.
    const { compareWithRapier } = await import('../rapier/compare');
    for (const scene of rapier.scenes) {
      await this.attempt(scene, grains, 'beside Rapier', taking, async () => {
        const settings = {
          ...{ scene, grains, steps, seconds, backends: taking, iterations: [4, 20, 100] },
          choices: [{ sweeps: 5 }, { sweeps: 10 }, { sweeps: 30 }, { tolerance: 1e-2 }],
        };
        const onStep = (step: number) =>
          this.tell(grains / steps, `Beside Rapier, ${SCENES[scene].title}: step ${step} of ${steps}`);
        this.result.rapier.push(await compareWithRapier(this.host, settings, { signal, onStep }));
      });
    }
  }

  /** @param work done since the last time, in grains */
  private tell(work: number, text: string): void {
    this.done += work;
    const { scenes, rapier } = this.settings;
    const cases = this.allSizes().reduce((sum, grains) => sum + grains * (1 + this.backendsOf(grains).length), 0);
    const all = scenes.length * cases + 2 * (rapier ? rapier.scenes.length * rapier.grains : 0);
    if (text) this.listener.onProgress?.(Math.min(1, this.done / all), text);
  }
}
