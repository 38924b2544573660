import { latenciesOf } from './statistics.ts';

/** Calls one after the other by each of a number of callers, for a time. A call that fails ends it. */
export async function callLoop(
  call: (n: number) => Promise<unknown>,
  options: { callers: number; durationMs: number },
): Promise<{ perSecond: number; p50Ms: number; p99Ms: number }> {
  const tookMs: number[] = [];
  let n = 0;
  const startMs = performance.now();
  const caller = async () => {
    for (let sentMs = startMs; sentMs - startMs < options.durationMs; ) {
      await call(n++);
      const nowMs = performance.now();
      tookMs.push(nowMs - sentMs);
      sentMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: options.callers }, caller));
  const { count, p50Ms, p99Ms } = latenciesOf(tookMs);
  return { perSecond: (count / (performance.now() - startMs)) * 1_000, p50Ms, p99Ms };
}
