import { isDuplicateKey, type Store } from '@gerbang/store';

type OffsetDocument = { _id: 'business'; schema: number; offset_ms: bigint };

/** Ten years: further ahead the sandbox's clock does not go. */
export const OFFSET_MAX_MS = 10 * 365 * 24 * 3_600_000;

/** The offset of the sandbox's clock, durable. */
export type OffsetStore = {
  read(): Promise<number>;
  /** Adds to the offset and gives the new one; undefined when that would go beyond the maximum, and then nothing is added. */
  advance(ms: number): Promise<number | undefined>;
};

export async function openOffsetStore(store: Store): Promise<OffsetStore> {
  const clocks = store.collection<OffsetDocument>('clock');
  try {
    await clocks.insertOne({ _id: 'business', schema: 1, offset_ms: 0n });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  return {
    async read() {
      const document = await clocks.findOne({ _id: 'business' }, { readConcern: 'linearizable' });
      if (document === null) throw new Error('the sandbox clock has lost its offset');
      return Number(document.offset_ms);
    },
    async advance(ms) {
      const after = await clocks.findOneAndUpdate(
        { _id: 'business', offset_ms: { $lte: BigInt(OFFSET_MAX_MS - ms) } },
        { $inc: { offset_ms: BigInt(ms) } },
        { returnDocument: 'after' },
      );
      return after === null ? undefined : Number(after.offset_ms);
    },
  };
}
