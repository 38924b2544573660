import type { Store } from '@gerbang/store';

type OffsetDocument = { _id: string; offset_ms: bigint };

/** The sandbox clock's offset, durable. */
export type OffsetStore = {
  read(): Promise<number>;
  /** Adds to the offset and gives the new one. */
  advance(ms: number): Promise<number>;
};

export function openOffsetStore(store: Store): OffsetStore {
  const clocks = store.collection<OffsetDocument>('clock');
  return {
    async read() {
      return Number((await clocks.findOne({ _id: 'business' }))?.offset_ms ?? 0n);
    },
    async advance(ms) {
      const after = await clocks.findOneAndUpdate(
        { _id: 'business' },
        { $inc: { offset_ms: BigInt(ms) } },
        { upsert: true, returnDocument: 'after' },
      );
      if (after === null) throw new Error('the clock was not written');
      return Number(after.offset_ms);
    },
  };
}
