import type { ReceivedEvent } from '../event/received-event.ts';

/** A message on the bus that is no message of our services. It is stored under a hash of its bytes. */
export type UnreadableMessage = { hash: string; service: string; bytes: Uint8Array; reason: string };

/** An event whose payload cannot be read or rendered, or a whole message of a service that cannot be read. */
export type Unreadable = { id: string; service: string; atMs: number; reason: string; version: number } & (
  | { kind: 'event'; event: ReceivedEvent }
  | { kind: 'message'; bytes: Uint8Array }
);

/** Which unreadable events. Undefined fields do not narrow them down. */
export type UnreadableFilter = {
  id: string | undefined;
  service: string | undefined;
  type: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/** The id of a message that cannot be read. */
export function unreadableId(hash: string): string {
  return `unreadable:${hash}`;
}

/** The order in which unreadable events occurred; within an aggregate the order of its events. */
export function byOccurrence(a: Unreadable, b: Unreadable): number {
  return a.atMs - b.atMs || Number(seqOf(a) - seqOf(b));
}

function seqOf(item: Unreadable): bigint {
  return item.kind === 'event' ? item.event.seq : 0n;
}
