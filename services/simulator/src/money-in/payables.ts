import type { QrisTip } from '@gerbang/core';
import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import type { MoneyInRail } from './rail.ts';
import { shareReads } from './shared-reads.ts';

/** Something that a rail has been asked to take money for: a number or code that it holds itself, a QRIS code, a checkout. */
export type Payable = {
  rail: MoneyInRail;
  /** The partner's reference, unique on the rail. */
  reference: string;
  /** The rail's own reference. */
  referenceNo: string;
  /** Partner, Jakarta day and external id of the request that made it. */
  externalKey: string;
  /** Of virtual accounts and retail codes. */
  number: string;
  /** Of QRIS codes. */
  payload: string;
  /** The exact amount without tip; undefined where the customer chooses within the bounds. */
  amountSen: bigint | undefined;
  bounds: { minSen: bigint; maxSen: bigint } | undefined;
  tip: QrisTip | undefined;
  usageMax: number | undefined;
  /** Where a customer goes after a checkout; may be empty. */
  returnUrl: string;
  /** Unix milliseconds of business time; undefined = never. */
  expiresAtMs: number | undefined;
  canceled: boolean;
};

type PayableDocument = {
  _id: string;
  schema: number;
  rail: MoneyInRail;
  reference: string;
  reference_no: string;
  external_key: string;
  number: string;
  payload: string;
  amount_sen?: bigint;
  min_sen?: bigint;
  max_sen?: bigint;
  tip: string;
  usage_max?: number;
  return_url: string;
  expires_at?: Date;
  canceled: boolean;
  made_at: Date;
};

/** What rails have been asked to take money for; durable. */
export type Payables = {
  /** Makes it; or says that its external id was used before, or gives the one that has its reference already. */
  add(payable: Payable): Promise<'added' | 'external-id-used' | Payable>;
  find(rail: MoneyInRail, reference: string): Promise<Payable | undefined>;
  /** The newest one with the number: numbers are used again after a rest. */
  findByNumber(rail: MoneyInRail, number: string): Promise<Payable | undefined>;
  findByPayload(payload: string): Promise<Payable | undefined>;
  /** Amounts, expiry and uses anew. */
  change(payable: Payable): Promise<void>;
  cancel(rail: MoneyInRail, reference: string): Promise<void>;
};

const COLLECTION = 'money_in_payables';
const SCHEMA = 1;

export async function openPayables(store: Store): Promise<Payables> {
  const payables = store.collection<PayableDocument>(COLLECTION);
  await payables.createIndex({ external_key: 1 }, { name: 'external_key', unique: true });
  await payables.createIndex({ number: 1 }, { name: 'number' });
  await payables.createIndex({ payload: 1 }, { name: 'payload' });
  const readById = shareReads((ids) => traced('find', COLLECTION, () => payables.find({ _id: { $in: ids } }).toArray()));
  const read = async (filter: object, options: object = {}) => {
    const document = await traced('findOne', COLLECTION, () =>
      payables.findOne(filter, { readConcern: 'linearizable', ...options }),
    );
    return document === null ? undefined : toPayable(document);
  };
  return {
    async add(payable) {
      try {
        await traced('insertOne', COLLECTION, () => payables.insertOne({ ...toDocument(payable), made_at: new Date() }));
        return 'added';
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const there = await read({ _id: keyOf(payable) });
        return there === undefined || there.externalKey === payable.externalKey ? 'external-id-used' : there;
      }
    },
    async find(rail, reference) {
      const document = await readById(keyOf({ rail, reference }));
      return document && toPayable(document);
    },
    findByNumber: (rail, number) => read({ number, rail }, { sort: { made_at: -1 } }),
    findByPayload: (payload) => read({ payload, rail: 'qris' }),
    async change(payable) {
      const { _id, ...document } = toDocument(payable);
      await payables.replaceOne({ _id }, { ...document, made_at: new Date() });
    },
    async cancel(rail, reference) {
      await payables.updateOne({ _id: keyOf({ rail, reference }) }, { $set: { canceled: true } });
    },
  };
}

function keyOf({ rail, reference }: Pick<Payable, 'rail' | 'reference'>): string {
  return `${rail}:${reference}`;
}

function toDocument(payable: Payable): Omit<PayableDocument, 'made_at'> {
  const { amountSen, bounds, usageMax, expiresAtMs, tip } = payable;
  return {
    _id: keyOf(payable),
    schema: SCHEMA,
    rail: payable.rail,
    reference: payable.reference,
    reference_no: payable.referenceNo,
    external_key: payable.externalKey,
    number: payable.number,
    payload: payable.payload,
    ...(amountSen !== undefined && { amount_sen: amountSen }),
    ...(bounds !== undefined && { min_sen: bounds.minSen, max_sen: bounds.maxSen }),
    tip: tip === undefined ? '' : writeTip(tip),
    ...(usageMax !== undefined && { usage_max: usageMax }),
    return_url: payable.returnUrl,
    ...(expiresAtMs !== undefined && { expires_at: new Date(expiresAtMs) }),
    canceled: payable.canceled,
  };
}

function toPayable(document: PayableDocument): Payable {
  const { amount_sen: amountSen, min_sen: minSen, max_sen: maxSen, usage_max: usageMax, expires_at: expiresAt } = document;
  return {
    rail: document.rail,
    reference: document.reference,
    referenceNo: document.reference_no,
    externalKey: document.external_key,
    number: document.number,
    payload: document.payload,
    amountSen,
    bounds: minSen === undefined || maxSen === undefined ? undefined : { minSen, maxSen },
    tip: readTip(document.tip),
    usageMax,
    returnUrl: document.return_url,
    expiresAtMs: expiresAt?.getTime(),
    canceled: document.canceled,
  };
}

function writeTip(tip: QrisTip): string {
  switch (tip.indicator) {
    case 'input':
      return 'input';
    case 'fixed':
      return `fixed:${tip.amountSen}`;
    case 'percentage':
      return `percentage:${tip.basisPoints}`;
    default:
      return tip satisfies never;
  }
}

function readTip(text: string): QrisTip | undefined {
  const [indicator, value = '0'] = text.split(':');
  switch (indicator) {
    case 'input':
      return { indicator };
    case 'fixed':
      return { indicator, amountSen: BigInt(value) };
    case 'percentage':
      return { indicator, basisPoints: Number(value) };
    default:
      return undefined;
  }
}
