import { type Clock, newUlid } from '@gerbang/core';
import { isDuplicateKey, type Store } from '@gerbang/store';
import type { MoneyInRail } from './rail.ts';

/** Money that a rail has given back. */
export type Refund = {
  reference: string;
  refundNo: string;
  railReference: string;
  amountSen: bigint;
  /** Undefined in books of before. */
  givenAtMs: number | undefined;
};

type RefundDocument = {
  _id: string;
  schema: number;
  rail: MoneyInRail;
  reference: string;
  refund_no: string;
  rail_reference: string;
  amount_sen: bigint;
  given: boolean;
  given_at?: Date;
};

/** What rails have given back; durable. The partner's reference of a refund is taken once, and its content with it. */
export type Refunds = {
  give(
    rail: MoneyInRail,
    railReference: string,
    reference: string,
    amountSen: bigint,
  ): Promise<Refund | 'other-content' | 'too-much'>;
  all(rail: MoneyInRail): AsyncIterable<Refund>;
  /** Those from one moment to another, the second one not included. */
  givenBetween(rail: MoneyInRail, fromMs: number, toMs: number): Promise<Refund[]>;
};

/** Takes the amount from the payment; false where less than that is left. */
type TakeFromPayment = (rail: MoneyInRail, railReference: string, amountSen: bigint) => Promise<boolean>;

export async function openRefunds(store: Store, clock: Clock, takeFromPayment: TakeFromPayment): Promise<Refunds> {
  const refunds = store.collection<RefundDocument>('money_in_refunds');
  await refunds.createIndex({ given_at: 1 }, { name: 'given_at', sparse: true });
  return {
    async give(rail, railReference, reference, amountSen) {
      const _id = `${rail}:${reference}`;
      const refundNo = newUlid(Date.now());
      try {
        await refunds.insertOne({
          _id,
          schema: 1,
          rail,
          reference,
          refund_no: refundNo,
          rail_reference: railReference,
          amount_sen: amountSen,
          given: false,
        });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const there = await refunds.findOne({ _id }, { readConcern: 'linearizable' });
        if (there === null || there.rail_reference !== railReference || there.amount_sen !== amountSen) return 'other-content';
        return there.given ? toRefund(there) : 'too-much';
      }
      if (!(await takeFromPayment(rail, railReference, amountSen))) return 'too-much';
      const givenAt = new Date(clock.now());
      await refunds.updateOne({ _id }, { $set: { given: true, given_at: givenAt } });
      return { reference, refundNo, railReference, amountSen, givenAtMs: givenAt.getTime() };
    },
    async givenBetween(rail, fromMs, toMs) {
      const found = await refunds.find({ given_at: { $gte: new Date(fromMs), $lt: new Date(toMs) }, rail }).toArray();
      return found.map(toRefund);
    },
    async *all(rail) {
      for await (const document of refunds.find({ rail, given: true }, { sort: { _id: 1 } })) yield toRefund(document);
    },
  };
}

function toRefund(document: RefundDocument): Refund {
  return {
    reference: document.reference,
    refundNo: document.refund_no,
    railReference: document.rail_reference,
    amountSen: document.amount_sen,
    givenAtMs: document.given_at?.getTime(),
  };
}
