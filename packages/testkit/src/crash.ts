import { RefusalError } from '@gerbang/core';

/** What a process that has died throws at everything that waits for it. */
export class Crash extends Error {}

/** Where a process dies: right before its n-th step, or right after it, before its result is known. */
export type Death = { step: number; when: 'before' | 'after' };

/** A death before and after each step, so that a table has a row for each. */
export function deathsOf(steps: number): Death[] {
  return Array.from({ length: steps }, (_, i) => [
    { step: i + 1, when: 'before' as const },
    { step: i + 1, when: 'after' as const },
  ]).flat();
}

export type Dying = ReturnType<typeof dying>;

/** Counts every call that leaves the process (database, ledger, rail), and dies at one of them, and at all that come after. */
export function dying(death?: Death) {
  let steps = 0;
  let dead = false;
  const guard = <A extends unknown[], R>(call: (...given: A) => Promise<R>) => {
    return async (...given: A): Promise<R> => {
      steps++;
      if (dead || (death?.when === 'before' && steps === death.step)) {
        dead = true;
        throw new Crash();
      }
      const answer = await call(...given);
      if (death?.when === 'after' && steps === death.step) {
        dead = true;
        throw new Crash();
      }
      return answer;
    };
  };
  return { guard, steps: () => steps };
}

/** What a process that may die has done until then. */
export async function untilDeath(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
}

/** The same where a refusal is an answer, too. */
export function untilDeathOrRefusal(work: Promise<unknown>): Promise<void> {
  return untilDeath(
    work.catch((error: unknown) => {
      if (!(error instanceof RefusalError)) throw error;
    }),
  );
}
