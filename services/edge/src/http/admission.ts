import { type Refusal, RefusalError, refuse } from '@gerbang/core';
import { ConcurrencyLimit, type LimitBounds } from './concurrency-limit.ts';

/**
 * For requests that others wait behind: as many as those behind can do. At first more than any route needs in peace; never more
 * than the services let in (packages/rpc). However few they have become, a merchant's burst after a calm is let in.
 */
export const ADAPTIVE_PERMITS: LimitBounds = { initial: 256, min: 32, max: 2_000, burst: 256 };

/** Tokens are few and everything hangs on them: they have permits of their own, which no overload elsewhere takes away. */
export const TOKEN_PERMITS: LimitBounds = { initial: 256, min: 256, max: 256, burst: 0 };

/** The answer to one request too many. No work has been done for it. */
export const OVERLOADED: Refusal = refuse('overloaded', { retryAfterMs: 1_000 });

/** Lets in as many requests of a route at once as it has permits, and refuses the others without waiting. */
export type Admission = {
  limit: ConcurrencyLimit;
  /**
   * Runs the work under a permit, which is held until its promise is settled. Undefined where there is none: then the work has
   * not begun.
   */
  run<T>(work: () => Promise<T>): Promise<T> | undefined;
};

export function createAdmission(bounds: LimitBounds): Admission {
  const limit = new ConcurrencyLimit(bounds);
  return {
    limit,
    run(work) {
      const startedAtMs = performance.now();
      if (!limit.enter(startedAtMs)) return undefined;
      return work().then(
        (done) => {
          limit.leave(startedAtMs, performance.now(), { didWork: true });
          return done;
        },
        (error: unknown) => {
          limit.leave(startedAtMs, performance.now(), { didWork: tookTime(error) });
          throw error;
        },
      );
    },
  };
}

/**
 * What a service could not answer has waited for it. Every other refusal may come sooner than the work takes, and
 * would make it look quick.
 */
function tookTime(error: unknown): boolean {
  return error instanceof RefusalError && ['timeout', 'unavailable'].includes(error.refusal.refused);
}
