/**
 * When each request of an open loop is to be sent, in ms after the start, ascending: a Poisson process, as many independent
 * callers make it, of so many a second on average. The same seed gives the same schedule, so that a floor and its subject meet
 * the same bursts.
 */
export function arrivals(options: { perSecond: number; durationMs: number; seed: number }): Float64Array {
  const { perSecond, durationMs, seed } = options;
  if (!(perSecond > 0)) throw new Error(`no schedule of ${perSecond} a second`);
  const random = randomOf(seed);
  const meanGapMs = 1_000 / perSecond;
  const times: number[] = [];
  for (let atMs = 0; ; ) {
    // Of 1 - random, because the logarithm of 0 is none.
    atMs -= Math.log(1 - random()) * meanGapMs;
    if (atMs >= durationMs) return Float64Array.from(times);
    times.push(atMs);
  }
}

/**
 * Numbers from 0 to below 1 that only the seed decides: a linear congruential generator (Numerical Recipes' constants), good
 * enough for gaps.
 */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
