import { type Clock, newUlid } from '@gerbang/core';
import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import type { Verdict } from '../bank-transfer/beneficiary.ts';

export type BankRefund = { reference: string; refundNo: string; amountSen: bigint; atMs: number };

/** A charge in the bank's books, as it stands now in business time. */
export type BankCharge = {
  /** The partner's reference. */
  reference: string;
  /** The bank's own. */
  referenceNo: string;
  amountSen: bigint;
  status: 'pending' | 'success' | 'failed';
  failure: { responseCode: string; message: string };
  settlesAtMs: number;
  refunds: readonly BankRefund[];
};

export type NewCharge = { reference: string; merchantReference: string; linkReference: string; amountSen: bigint };

/** What the bank has taken from customers, and given back; durable. A reference is taken once. */
export type BankCharges = {
  /** False where the reference is taken. */
  add(charge: NewCharge, verdict: Verdict): Promise<boolean>;
  find(reference: string): Promise<BankCharge | undefined>;
  /** The same reference and amount again gives the same refund. */
  refund(reference: string, refund: { reference: string; amountSen: bigint }): Promise<RefundAnswer>;
  all(): AsyncIterable<BankCharge>;
};

export type RefundAnswer =
  | { outcome: 'given'; refundNo: string; atMs: number }
  | { outcome: 'unknown' | 'not-paid' | 'other-content' | 'too-much' };

type RefundDocument = { reference: string; refund_no: string; amount_sen: bigint; at: Date };
type ChargeDocument = {
  _id: string;
  schema: number;
  version: number;
  reference_no: string;
  merchant_reference: string;
  link_reference: string;
  amount_sen: bigint;
  outcome: 'success' | 'failed';
  failure_code: string;
  failure_message: string;
  settles_at: Date;
  refunds: RefundDocument[];
};

const CHARGES = 'direct_debit_charges';

export function openBankCharges(store: Store, clock: Clock): BankCharges {
  const charges = store.collection<ChargeDocument>(CHARGES);
  const findDocument = async (reference: string) =>
    (await traced('findOne', CHARGES, () => charges.findOne({ _id: reference }, { readConcern: 'linearizable' }))) ?? undefined;
  return {
    async add({ reference, merchantReference, linkReference, amountSen }, verdict) {
      const isFailed = verdict.outcome === 'failed';
      const document: ChargeDocument = {
        _id: reference,
        schema: 1,
        version: 0,
        reference_no: newUlid(Date.now()),
        merchant_reference: merchantReference,
        link_reference: linkReference,
        amount_sen: amountSen,
        outcome: verdict.outcome,
        failure_code: isFailed ? verdict.responseCode : '',
        failure_message: isFailed ? verdict.message : '',
        settles_at: new Date(clock.now() + verdict.afterMs),
        refunds: [],
      };
      try {
        await traced('insertOne', CHARGES, () => charges.insertOne(document));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(reference) {
      const found = await findDocument(reference);
      return found && toCharge(found, clock.now());
    },
    async refund(reference, { reference: refundReference, amountSen }) {
      for (;;) {
        const document = await findDocument(reference);
        if (document === undefined) return { outcome: 'unknown' };
        const known = document.refunds.find((one) => one.reference === refundReference);
        if (known !== undefined)
          return known.amount_sen === amountSen
            ? { outcome: 'given', refundNo: known.refund_no, atMs: known.at.getTime() }
            : { outcome: 'other-content' };
        if (toCharge(document, clock.now()).status !== 'success') return { outcome: 'not-paid' };
        const givenSen = document.refunds.reduce((sum, { amount_sen }) => sum + amount_sen, 0n);
        if (givenSen + amountSen > document.amount_sen) return { outcome: 'too-much' };
        const at = new Date(clock.now());
        const given: RefundDocument = { reference: refundReference, refund_no: newUlid(Date.now()), amount_sen: amountSen, at };
        const { _id, version, refunds } = document;
        const set = { refunds: [...refunds, given], version: version + 1 };
        const { modifiedCount } = await charges.updateOne({ _id, version }, { $set: set });
        if (modifiedCount === 1) return { outcome: 'given', refundNo: given.refund_no, atMs: at.getTime() };
      }
    },
    async *all() {
      const nowMs = clock.now();
      for await (const document of charges.find({}, { sort: { _id: 1 } })) yield toCharge(document, nowMs);
    },
  };
}

function toCharge(document: ChargeDocument, nowMs: number): BankCharge {
  const settlesAtMs = document.settles_at.getTime();
  return {
    reference: document._id,
    referenceNo: document.reference_no,
    amountSen: document.amount_sen,
    status: nowMs < settlesAtMs ? 'pending' : document.outcome,
    failure: { responseCode: document.failure_code, message: document.failure_message },
    settlesAtMs,
    refunds: document.refunds.map(({ reference, refund_no, amount_sen, at }) => ({
      reference,
      refundNo: refund_no,
      amountSen: amount_sen,
      atMs: at.getTime(),
    })),
  };
}
