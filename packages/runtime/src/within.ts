const LATE = Symbol('late');

/** Waits for the promise, at most `timeoutMs`; then throws. */
export async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  const value = await withinOr(timeoutMs, promise, LATE);
  if (value === LATE) throw new Error(`not finished within ${timeoutMs} ms`);
  return value;
}

/** What the promise becomes, or `late` when that takes longer than `timeoutMs`; what it becomes afterwards is ignored. */
export function withinOr<T, const L>(timeoutMs: number, promise: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), timeoutMs);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
