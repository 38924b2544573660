import { Pool } from 'undici';

/** What a load made: answers a second, and how long the single answers took. */
export type LoadResult = {
  answers: number;
  errors: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  latenciesMs: number[];
};

export type Shot = { path: string; headers: Record<string, string>; body: string };

/**
 * Sends POSTs over a number of connections, one after the other on each, for a time. `accept` judges an answer; what it refuses counts as an error.
 */
export async function shoot(options: {
  origin: string;
  connections: number;
  durationMs: number;
  next: () => Shot;
  accept: (status: number, body: string, shot: Shot) => boolean;
}): Promise<LoadResult> {
  const pool = new Pool(options.origin, {
    connections: options.connections,
    pipelining: 1,
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  });
  const latenciesMs: number[] = [];
  let errors = 0;
  const startMs = performance.now();
  const endMs = startMs + options.durationMs;
  await Promise.all(
    Array.from({ length: options.connections }, async () => {
      while (performance.now() < endMs) {
        const shot = options.next();
        const sentMs = performance.now();
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: shot.path,
          headers: shot.headers,
          body: shot.body,
        });
        const text = await body.text();
        if (options.accept(statusCode, text, shot)) latenciesMs.push(performance.now() - sentMs);
        else errors++;
      }
    }),
  );
  const tookMs = performance.now() - startMs;
  await pool.close();
  latenciesMs.sort((a, b) => a - b);
  return {
    answers: latenciesMs.length,
    errors,
    perSecond: Math.round((latenciesMs.length / tookMs) * 1_000),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    latenciesMs,
  };
}

function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return Math.round(value * 100) / 100;
}
