import { type Clock, jakartaDay, RefusalError, refuse } from '@gerbang/core';
import { type Store, traced } from '@gerbang/store';

const COUNTS = 'otp_counts';
const KEPT_MS = 3 * 86_400_000;

/** How many OTPs and attempts a customer of a merchant has had today, Asia/Jakarta. */
export type OtpCounts = {
  /** Counts one more, before the bank is asked. Refusals: transaction_failed, when there have been too many. */
  count(merchantId: string, customerId: string): Promise<void>;
};

export async function openOtpCounts(store: Store, clock: Clock, perDayMax: number): Promise<OtpCounts> {
  const counts = store.collection<{ _id: string; value: number; remove_at?: Date }>(COUNTS);
  await counts.createIndex({ remove_at: 1 }, { name: 'removal', expireAfterSeconds: 0 });
  return {
    async count(merchantId, customerId) {
      const _id = `${merchantId}:${jakartaDay(clock.now())}:${customerId}`;
      const after = await traced('findOneAndUpdate', COUNTS, () =>
        counts.findOneAndUpdate(
          { _id },
          { $inc: { value: 1 }, $set: { remove_at: new Date(Date.now() + KEPT_MS) } },
          { upsert: true, returnDocument: 'after' },
        ),
      );
      if ((after?.value ?? 1) > perDayMax)
        throw new RefusalError(refuse('transaction_failed', { message: 'The customer has had too many OTPs today' }));
    },
  };
}
