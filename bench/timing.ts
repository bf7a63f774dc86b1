/** Milliseconds of CPU time that the process has taken so far: what other work on the machine disturbs less than the clock. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Milliseconds of CPU time that each kind of work takes: the least of a few rounds in which each has its turn.
 * @param restart done before each turn, and not counted
 */
export function timeInTurn<Name extends string>(
  work: Record<Name, () => void>,
  rounds: number,
  restart = () => {},
): Record<Name, number> {
  const names = Object.keys(work) as Name[];
  const least = Object.fromEntries(names.map((name) => [name, Infinity])) as Record<Name, number>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      restart();
      const start = cpuMilliseconds();
      work[name]();
      least[name] = Math.min(least[name], cpuMilliseconds() - start);
    }
  }
  return least;
}
