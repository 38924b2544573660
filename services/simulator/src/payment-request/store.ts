import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import type { MoneyInRail } from '../money-in/rail.ts';
import { shareReads } from '../money-in/shared-reads.ts';
import { fromDocument, keyOf, type PaymentRequestDocument, toDocument } from './document.ts';
import type { PaymentRequest } from './payment-request.ts';

/** What rails have been request to take money for; durable. */
export type PaymentRequests = {
  /** Makes it; or says that its external id was used before, or gives the one that has its reference already. */
  add(request: PaymentRequest): Promise<'added' | 'external-id-used' | PaymentRequest>;
  find(rail: MoneyInRail, reference: string): Promise<PaymentRequest | undefined>;
  /** The newest one with the number: numbers are used again after a rest. */
  findByNumber(rail: MoneyInRail, number: string): Promise<PaymentRequest | undefined>;
  findByPayload(payload: string): Promise<PaymentRequest | undefined>;
  /** Amounts, expiry and uses anew. */
  change(request: PaymentRequest): Promise<void>;
  cancel(rail: MoneyInRail, reference: string): Promise<void>;
};

/** Named so when payment requests were called otherwise; stored names stay. */
const COLLECTION = 'money_in_payables';

export async function openPaymentRequests(store: Store): Promise<PaymentRequests> {
  const collection = store.collection<PaymentRequestDocument>(COLLECTION);
  await collection.createIndex({ external_key: 1 }, { name: 'external_key', unique: true });
  await collection.createIndex({ number: 1 }, { name: 'number' });
  await collection.createIndex({ payload: 1 }, { name: 'payload' });
  const readById = shareReads((ids) => traced('find', COLLECTION, () => collection.find({ _id: { $in: ids } }).toArray()));
  const read = async (filter: object, options: object = {}) => {
    const document = await traced('findOne', COLLECTION, () =>
      collection.findOne(filter, { readConcern: 'linearizable', ...options }),
    );
    return document === null ? undefined : fromDocument(document);
  };
  return {
    async add(request) {
      try {
        await traced('insertOne', COLLECTION, () => collection.insertOne({ ...toDocument(request), made_at: new Date() }));
        return 'added';
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const there = await read({ _id: keyOf(request) });
        return there === undefined || there.externalKey === request.externalKey ? 'external-id-used' : there;
      }
    },
    async find(rail, reference) {
      const document = await readById(keyOf({ rail, reference }));
      return document && fromDocument(document);
    },
    findByNumber: (rail, number) => read({ number, rail }, { sort: { made_at: -1 } }),
    findByPayload: (payload) => read({ payload, rail: 'qris' }),
    async change(request) {
      const { _id, ...document } = toDocument(request);
      await collection.replaceOne({ _id }, { ...document, made_at: new Date() });
    },
    async cancel(rail, reference) {
      await collection.updateOne({ _id: keyOf({ rail, reference }) }, { $set: { canceled: true } });
    },
  };
}
