import type { Plan } from './plan.ts';

/** Documents held at once: of fewer, each order is possible. */
const heldMax = 1000;
const heldBytesMax = 16 * 1024 * 1024;

/** Yields documents in random order, each chosen among those held; another takes its place. */
export function* shuffled<T extends { bytes: Uint8Array }>(items: Iterable<T>): Generator<T> {
  const held: T[] = [];
  let bytes = 0;
  const take = () => {
    const at = Math.floor(Math.random() * held.length);
    const [taken, last] = [held[at], held.pop()];
    if (taken && last && taken !== last) held[at] = last;
    bytes -= taken?.bytes.length ?? 0;
    return taken;
  };
  for (const item of items) {
    held.push(item);
    bytes += item.bytes.length;
    while (held.length > heldMax || (bytes > heldBytesMax && held.length > 1)) {
      const taken = take();
      if (taken) yield taken;
    }
  }
  for (let taken = take(); taken; taken = take()) yield taken;
}

/** The same plan, walked forwards or backwards at random: what lies behind more than are held at once comes first at times. */
export function eitherWay(plan: Plan): Plan {
  if (plan.kind === 'id') return plan;
  if (plan.kind === 'union') return { ...plan, plans: plan.plans.map(eitherWay) };
  return { ...plan, reverse: Math.random() < 0.5 };
}
