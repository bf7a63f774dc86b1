import { STALL_TESTS } from '../settings';

/**
 * The factor b of the heavy ball within a step. Where the residual no longer falls, contacts that slide or open are thrown to and
 * fro by it: then 1 - b doubles (0.9, 0.8, 0.6, 0.2, 0), until the step ends. While the step is far from balance (see CoarseSchedule)
 * 1 - b is half as large, so that impulses build up faster from the floor on.
 */
export class HeavyBall {
  momentum: number;
  /** Residuals of the latest tests, and how many there were since b was chosen. */
  private readonly latest = new Float64Array(STALL_TESTS);
  private tests = 0;

  /** @param most b at the start of a step */
  constructor(private readonly most: number) {
    this.momentum = most;
  }

  begin(): void {
    this.momentum = this.most;
    this.tests = 0;
  }

  /** @param far whether the step is far from balance now: that it begins to be, or ends */
  goFar(far: boolean): void {
    if (this.most > 0) this.momentum = far ? (1 + this.momentum) / 2 : Math.min(this.momentum, this.most);
  }

  /** @param residual of a test that did not end the step */
  observe(residual: number): void {
    const place = this.tests % STALL_TESTS;
    if (this.tests >= STALL_TESTS && residual >= this.latest[place]) {
      this.momentum = Math.max(0, 1 - 2 * (1 - this.momentum));
      this.tests = 0;
    }
    this.latest[this.tests % STALL_TESTS] = residual;
    this.tests++;
  }
}
