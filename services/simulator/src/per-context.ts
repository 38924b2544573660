import type { Context } from './context.ts';

/**
 * What a rail keeps beyond the shared books, opened when it is first asked for: once for each context, and again after a failure.
 */
export function perContext<T>(open: (context: Context) => Promise<T>): (context: Context) => Promise<T> {
  const opened = new WeakMap<Context, Promise<T>>();
  return (context) => {
    const known = opened.get(context);
    if (known !== undefined) return known;
    const state = open(context);
    opened.set(context, state);
    state.catch(() => opened.delete(context));
    return state;
  };
}
