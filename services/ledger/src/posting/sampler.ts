/** Says yes to the first `perSecondMax` questions of each second of `nowMs`, a monotonic clock. */
export function createSampler(perSecondMax: number, nowMs: () => number): () => boolean {
  let second = Number.NaN;
  let asked = 0;
  return () => {
    const now = Math.floor(nowMs() / 1_000);
    if (now !== second) {
      second = now;
      asked = 0;
    }
    asked++;
    return asked <= perSecondMax;
  };
}
