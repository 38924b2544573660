import { randomBytes } from 'node:crypto';
import { type Doc, RawDocument } from '../bson/types.ts';
import { failure } from '../errors.ts';

/** A document as a cursor hands it out: bytes as they are stored, or a computed document already encoded. */
type Source = Iterator<Uint8Array>;

type Cursor = {
  namespace: string;
  source: Source;
  peeked: IteratorResult<Uint8Array> | undefined;
  usedAtMs: number;
  stillValid: () => boolean;
};

const idleMsMax = 10 * 60_000;
const cursorsMax = 10_000;
const batchBytesMax = 16 * 1024 * 1024;
/** Documents of a first batch whose size is not given. */
export const firstBatchDefault = 101;

/** Open cursors. Each is a walk that goes on when asked; nothing is read ahead but one document. */
export class Cursors {
  readonly #open = new Map<bigint, Cursor>();

  /** Answers the first batch of a result and keeps the rest. `stillValid` tells whether its collection still exists. */
  start(
    namespace: string,
    source: Source,
    batchSize: number,
    options: { single: boolean; stillValid: () => boolean; nowMs: number },
  ): Doc {
    const cursor: Cursor = { namespace, source, peeked: undefined, usedAtMs: options.nowMs, stillValid: options.stillValid };
    const firstBatch = fill(cursor, batchSize);
    let id = 0n;
    if (!options.single && !exhausted(cursor, batchSize)) {
      this.#expire(options.nowMs);
      id = randomBytes(8).readBigInt64LE() & (2n ** 63n - 1n);
      this.#open.set(id, cursor);
    }
    return { cursor: { firstBatch, id, ns: namespace }, ok: 1 };
  }

  more(id: bigint, namespace: string, batchSize: number, nowMs: number): Doc {
    const cursor = this.#open.get(id);
    if (!cursor) throw failure('CursorNotFound', `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw failure(
        'Unauthorized',
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    if (!cursor.stillValid()) {
      this.#open.delete(id);
      throw failure('QueryPlanKilled', 'collection dropped');
    }
    cursor.usedAtMs = nowMs;
    let nextBatch: RawDocument[];
    try {
      nextBatch = fill(cursor, batchSize === 0 ? Number.POSITIVE_INFINITY : batchSize);
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
    const done = exhausted(cursor, batchSize);
    if (done) this.#open.delete(id);
    return { cursor: { nextBatch, id: done ? 0n : id, ns: namespace }, ok: 1 };
  }

  kill(id: bigint): boolean {
    return this.#open.delete(id);
  }

  get count(): number {
    return this.#open.size;
  }

  #expire(nowMs: number): void {
    if (this.#open.size % 100 !== 0 && this.#open.size < cursorsMax) return;
    for (const [id, cursor] of this.#open) {
      if (this.#open.size >= cursorsMax || nowMs - cursor.usedAtMs > idleMsMax) this.#open.delete(id);
    }
  }
}

function next(cursor: Cursor): IteratorResult<Uint8Array> {
  const { peeked } = cursor;
  cursor.peeked = undefined;
  return peeked ?? cursor.source.next();
}

function fill(cursor: Cursor, batchSize: number): RawDocument[] {
  const batch: RawDocument[] = [];
  let bytes = 0;
  while (batch.length < batchSize) {
    const result = next(cursor);
    if (result.done) {
      cursor.peeked = result;
      break;
    }
    if (batch.length > 0 && bytes + result.value.length > batchBytesMax) {
      cursor.peeked = result;
      break;
    }
    bytes += result.value.length;
    batch.push(new RawDocument(result.value));
  }
  return batch;
}

function exhausted(cursor: Cursor, batchSize: number): boolean {
  // A batch of size zero asks for nothing yet; whether there is something shows later.
  if (batchSize === 0 && !cursor.peeked) return false;
  cursor.peeked ??= cursor.source.next();
  return cursor.peeked.done === true;
}
