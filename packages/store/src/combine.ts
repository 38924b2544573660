/** What has become of one operation of a batch. */
export type Outcome<Result> = { result: Result } | { error: unknown };

type Waiting<Operation, Result> = {
  operation: Operation;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** Operations in one batch: its write takes milliseconds then, and what comes next waits no longer than that. */
const BATCH_MAX = 200;

/**
 * Runs operations that concur in batches. The first one leaves at the end of the turn of the event loop, with all that were asked
 * for in it; what comes while a batch is under way leaves together when that one is back. So a lone operation waits for
 * no other one and for no timer, and batches grow with the load. `run` gives what has become of each operation, in their order;
 * where it throws, that has become of all of them.
 */
export function combine<Operation, Result>(
  run: (operations: readonly Operation[]) => Promise<readonly Outcome<Result>[]>,
): (operation: Operation) => Promise<Result> {
  let waiting: Waiting<Operation, Result>[] = [];
  let isUnderWay = false;

  const runNext = async () => {
    const batch = waiting.slice(0, BATCH_MAX);
    waiting = waiting.slice(BATCH_MAX);
    try {
      const outcomes = await run(batch.map(({ operation }) => operation));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index] ?? { error: new Error('a batch has not told what became of each of its operations') };
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    isUnderWay = waiting.length > 0;
    if (isUnderWay) setImmediate(runNext);
  };

  return (operation) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ operation, resolve, reject });
      if (isUnderWay) return;
      isUnderWay = true;
      setImmediate(runNext);
    });
}
