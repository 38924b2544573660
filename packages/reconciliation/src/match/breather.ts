/** Work between two pauses: what else the process does waits no longer for it. */
const WORK_MS = 10;

/** Called often during long work: gives a pause to wait for when one is due, so that the service goes on answering. */
export type Breather = () => Promise<void> | undefined;

export function createBreather(): Breather {
  let sinceMs = performance.now();
  return () => {
    if (performance.now() - sinceMs < WORK_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        sinceMs = performance.now();
        resolve();
      });
    });
  };
}
