import { aggregateOf } from '../event/received-event.ts';
import type { Unreadable } from './unreadable-event.ts';

/** The unreadable event as the contract between services shows it. */
export function toMessage(item: Unreadable) {
  const { id, service, reason, atMs } = item;
  const common = { id, service, reason, atMs: BigInt(atMs) };
  if (item.kind === 'message') return common;
  const { seq, type, merchantId } = item.event;
  return { ...common, aggregate: aggregateOf(item.event), seq, type, merchantId };
}
