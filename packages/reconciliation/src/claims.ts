import { insertMissing, type Store, traced } from '@gerbang/store';
import { SCHEMA } from './document.ts';

const CLAIMS = 'reconciliation_claims';

type ClaimDocument = { _id: string; schema: number; row_key: string };

/**
 * Which row a payment has that was under way over midnight: another day may meet the payment again, and another row of it is then
 * a payment too many.
 */
export type Claims = {
  add(rail: string, claims: readonly { paymentId: string; rowKey: string }[]): Promise<void>;
  find(rail: string, paymentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

export function openClaims(store: Store): Claims {
  const collection = store.collection<ClaimDocument>(CLAIMS);
  const idOf = (rail: string, paymentId: string) => `${rail}:${paymentId}`;
  return {
    async add(rail, claims) {
      await insertMissing(
        collection,
        claims.map(({ paymentId, rowKey }) => ({ _id: idOf(rail, paymentId), schema: SCHEMA, row_key: rowKey })),
      );
    },
    async find(rail, paymentIds) {
      const byId = new Map(paymentIds.map((paymentId) => [idOf(rail, paymentId), paymentId]));
      const found = await traced('find', CLAIMS, () => collection.find({ _id: { $in: [...byId.keys()] } }).toArray());
      return new Map(found.map(({ _id, row_key }) => [byId.get(_id) ?? '', row_key]));
    },
  };
}
