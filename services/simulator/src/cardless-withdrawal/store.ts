import { type Clock, newUlid } from '@gerbang/core';
import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import type { Verdict } from '../bank-transfer/beneficiary.ts';
import { perContext } from '../per-context.ts';
import { codeOf, hashOf } from './code.ts';
import { fromDocument, toDocument, type WithdrawalDocument } from './document.ts';
import type { NewWithdrawal, Withdrawal } from './withdrawal.ts';

/**
 * The withdrawals that the bank's machines know. Drawing and canceling are one conditional update each, so that of a customer and
 * a partner only the first one has their way.
 */
export type Withdrawals = {
  /** Makes it, or gives the one that has its reference already. */
  make(asked: NewWithdrawal, verdict: Verdict): Promise<Withdrawal>;
  find(reference: string): Promise<Withdrawal | undefined>;
  findByCode(code: string): Promise<Withdrawal | undefined>;
  /** The customer draws the cash; gives it as it stands then, and whether it was this call that drew it. */
  draw(reference: string): Promise<{ drawn: boolean; withdrawal: Withdrawal | undefined }>;
  /** From then on it gives no cash, also where nothing of it is known yet; gives it as it stands then. */
  cancel(asked: Pick<NewWithdrawal, 'reference' | 'amountSen'>): Promise<Withdrawal>;
  codeOf(withdrawal: Withdrawal): string;
  /** Every withdrawal that the bank was asked for, by the partner's reference. */
  all(): AsyncIterable<Withdrawal>;
  /** Those that were drawn from one moment to another, the second one not included. */
  drawnBetween(fromMs: number, toMs: number): Promise<Withdrawal[]>;
};

const COLLECTION = 'withdrawals';
const BATCH = 1_000;
/** Two references with the same code are one chance in 10^12. */
const ATTEMPTS = 5;
const CANCELED: Verdict = { outcome: 'success', afterMs: 0 };

/** The withdrawals of a simulator. */
export const withdrawalsOf = perContext(({ store, clock, partner }) => openWithdrawals(store, clock, partner.clientSecret));

async function openWithdrawals(store: Store, clock: Clock, secret: string): Promise<Withdrawals> {
  const withdrawals = store.collection<WithdrawalDocument>(COLLECTION);
  await withdrawals.createIndex({ code_hash: 1 }, { name: 'code', unique: true });
  await withdrawals.createIndex({ withdrawn_at: 1 }, { name: 'withdrawn_at', sparse: true });

  const findOne = async (filter: object) => {
    const document = await traced('findOne', COLLECTION, () => withdrawals.findOne(filter, { readConcern: 'linearizable' }));
    return document === null ? undefined : fromDocument(document, clock.now());
  };
  const find = (reference: string) => findOne({ _id: reference });
  const change = async (filter: object, set: Partial<WithdrawalDocument>) => {
    const { modifiedCount } = await traced('updateOne', COLLECTION, () => withdrawals.updateOne(filter, { $set: set }));
    return modifiedCount === 1;
  };

  /** Undefined where the reference is taken. */
  const insert = async (asked: NewWithdrawal, verdict: Verdict, more: Partial<WithdrawalDocument> = {}) => {
    for (let salt = 0; salt < ATTEMPTS; salt++) {
      const codeHash = hashOf(secret, codeOf(secret, asked.reference, salt));
      const made = { referenceNo: newUlid(Date.now()), codeSalt: salt, codeHash, verdict, nowMs: clock.now() };
      const document = { ...toDocument(asked, made), ...more };
      try {
        await traced('insertOne', COLLECTION, () => withdrawals.insertOne(document));
        return fromDocument(document, clock.now());
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if ((await find(asked.reference)) !== undefined) return undefined;
      }
    }
    throw new Error('the bank finds no code');
  };
  const must = async (reference: string) => {
    const found = await find(reference);
    if (found === undefined) throw new Error('a withdrawal has vanished');
    return found;
  };

  return {
    find,
    findByCode: (code) => findOne({ code_hash: hashOf(secret, code) }),
    codeOf: ({ reference, codeSalt }) => codeOf(secret, reference, codeSalt),
    make: async (asked, verdict) => (await insert(asked, verdict)) ?? must(asked.reference),
    async draw(reference) {
      const now = new Date(clock.now());
      const open = { withdrawn_at: { $exists: false }, canceled_at: { $exists: false }, outcome: 'success' };
      const filter = { _id: reference, ...open, settles_at: { $lte: now }, expires_at: { $gt: now } };
      const drawn = await change(filter, { withdrawn_at: now });
      return { drawn, withdrawal: await find(reference) };
    },
    async cancel({ reference, amountSen }) {
      const now = new Date(clock.now());
      const unknown = {
        reference,
        amountSen,
        merchantReference: '',
        transactionId: reference,
        bankCode: '',
        phoneNumber: '',
        expiresAtMs: now.getTime(),
      };
      const canceled = await insert(unknown, CANCELED, { canceled_at: now });
      if (canceled !== undefined) return canceled;
      const open = { withdrawn_at: { $exists: false }, canceled_at: { $exists: false }, outcome: 'success' };
      await change({ _id: reference, ...open, expires_at: { $gt: now } }, { canceled_at: now });
      return must(reference);
    },
    async drawnBetween(fromMs, toMs) {
      const found = await withdrawals.find({ withdrawn_at: { $gte: new Date(fromMs), $lt: new Date(toMs) } }).toArray();
      return found.map((document) => fromDocument(document, clock.now()));
    },
    async *all() {
      const nowMs = clock.now();
      for await (const document of withdrawals.find({ merchant_reference: { $ne: '' } }, { sort: { _id: 1 }, batchSize: BATCH }))
        yield fromDocument(document, nowMs);
    },
  };
}
