/** exp(-t/tau) (a cos(omega t) + b sin(omega t)), t in samples from the first. */
export interface DampedOscillation {
  omega: number;
  tau: number;
  /** The curve at each sample. */
  fitted: number[];
}

/** Amplitudes a, b of least squares at given omega and 1/tau, with the curve and the sum of squares. */
function amplitudes(samples: readonly number[], omega: number, rate: number) {
  let [cc, cs, ss, cy, sy] = [0, 0, 0, 0, 0];
  samples.forEach((y, t) => {
    const c = Math.exp(-rate * t) * Math.cos(omega * t);
    const s = Math.exp(-rate * t) * Math.sin(omega * t);
    cc += c * c;
    cs += c * s;
    ss += s * s;
    cy += c * y;
    sy += s * y;
  });
  const determinant = cc * ss - cs * cs;
  const a = (cy * ss - sy * cs) / determinant;
  const b = (sy * cc - cy * cs) / determinant;
  const fitted = samples.map((_, t) => Math.exp(-rate * t) * (a * Math.cos(omega * t) + b * Math.sin(omega * t)));
  return { fitted, squares: fitted.reduce((sum, y, t) => sum + (y - samples[t]) ** 2, 0) };
}

/**
 * Least squares fit of a damped oscillation: the amplitudes in closed form, omega and 1/tau by shrinking pattern search.
 * @param samples equally spaced
 * @param guess within some ten per cent of the truth
 */
export function fitDampedOscillation(samples: readonly number[], guess: { omega: number; tau: number }): DampedOscillation {
  let [omega, rate] = [guess.omega, 1 / guess.tau];
  let best = amplitudes(samples, omega, rate);
  for (let step = 0.1; step > 1e-7; ) {
    const tries = [
      [omega + step * guess.omega, rate],
      [omega - step * guess.omega, rate],
      [omega, rate + step / guess.tau],
      [omega, rate - step / guess.tau],
    ].map(([w, r]) => ({ omega: w, rate: r, fit: amplitudes(samples, w, r) }));
    const better = tries.reduce((least, one) => (one.fit.squares < least.fit.squares ? one : least));
    if (better.fit.squares < best.squares) [omega, rate, best] = [better.omega, better.rate, better.fit];
    else step /= 2;
  }
  return { omega, tau: 1 / rate, fitted: best.fitted };
}
