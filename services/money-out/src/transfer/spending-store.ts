import { RefusalError, refuse } from '@gerbang/core';
import { combine, isDuplicateKey, retryConflicts, type Store, traced } from '@gerbang/store';
import {
  exceeded,
  type LimitPeriod,
  NOTHING_SPENT,
  type Outcome,
  type Quota,
  type Reservation,
  reserve,
  type Spending,
  settle,
} from './quota.ts';
import { TRANSFERS } from './reference.ts';

/** An order to be counted; it is stored, and not counted as far as its caller knows. */
export type OrderToCount = Reservation & { merchantId: string; product: string; quota: Quota };

/**
 * `reserved`: it is in the sums, and may be marked as counted. `exceeds`: it does not fit, because of this bound. `moved-on`:
 * another process has counted the order or has ended it; nothing was done.
 */
export type Counting = 'reserved' | { exceeds: Exclude<LimitPeriod, 'transaction'> } | 'moved-on';

/**
 * What merchants with a quota have ordered: a document for each merchant, product and month, with `_id` =
 * "<merchant>:<product>:<YYYYMM>". Every change of it is conditional on its version.
 */
export type Spendings = {
  /** Counts an order once, however often and by however many processes this is called. Refusals: unavailable. */
  count(order: OrderToCount): Promise<Counting>;
  /** What counts of a merchant's orders of a product in a month, YYYYMM, without those that turned out not to be paid. */
  show(merchantId: string, product: string, month: string): Promise<Spending>;
};

type SpendingDocument = {
  _id: string;
  schema: number;
  version: bigint;
  days: Record<string, bigint>;
  open: { id: string; transaction_id: string; day: string; amount_sen: bigint }[];
};

/** A transfer, or a transfer between own accounts, as far as counting goes by it. */
type OrderDocument = { _id: string; transaction_id: string; status: string; counted?: boolean };

const SPENDINGS = 'spendings';
const SCHEMA = 1;
/** So many open orders are left alone; of more, so many are looked up with each change. */
const TIDY_ABOVE = 100;
const TIDY_AT_ONCE = 200;
/** With more open orders than that no further one is counted: the document is written whole. */
const OPEN_MAX = 5_000;

/** Statuses of orders that were not paid. A refunded one was: it still counts. */
const UNPAID = new Set(['failed', 'canceled']);
const PAID = new Set(['succeeded', 'refunded']);

/** Opens the collection. Orders that concur are counted together, in one write for each document. */
export function openSpendings(store: Store): Spendings {
  const collections = openCollections(store);
  return {
    count: combine(async (wanted) => {
      const keys = new Map<string, OrderToCount[]>();
      for (const order of wanted) {
        const key = keyOf(order.merchantId, order.product, order.day.slice(0, 6));
        keys.set(key, [...(keys.get(key) ?? []), order]);
      }
      const counted = new Map<OrderToCount, { result: Counting } | { error: unknown }>();
      await Promise.all(
        [...keys].map(async ([key, ofKey]) => {
          try {
            const results = await countTogether(collections, key, ofKey);
            for (const [order, result] of results) counted.set(order, { result });
          } catch (error) {
            for (const order of ofKey) counted.set(order, { error });
          }
        }),
      );
      return wanted.map((order) => counted.get(order) ?? { error: new Error(`order ${order.id} was forgotten`) });
    }),
    async show(merchantId, product, month) {
      const stored = await findSpending(collections, keyOf(merchantId, product, month));
      const spending = stored === null ? NOTHING_SPENT : fromDocument(stored);
      return tidy(collections, spending, spending.open.length);
    },
  };
}

type Collections = ReturnType<typeof openCollections>;

function openCollections(store: Store) {
  return { spendings: store.collection<SpendingDocument>(SPENDINGS), orders: store.collection<OrderDocument>(TRANSFERS) };
}

function keyOf(merchantId: string, product: string, month: string): string {
  return `${merchantId}:${product}:${month}`;
}

function findSpending({ spendings }: Collections, _id: string): Promise<SpendingDocument | null> {
  return traced('findOne', SPENDINGS, () => spendings.findOne({ _id }));
}

/**
 * The orders are read after the spending, and the write is conditional on the spending's version. An order leaves `open` only when
 * it has ended, so no process can count one anew that another has counted and ended in between.
 */
function countTogether(
  collections: Collections,
  key: string,
  wanted: readonly OrderToCount[],
): Promise<Map<OrderToCount, Counting>> {
  return retryConflicts({
    read: () => findSpending(collections, key),
    async write(stored) {
      const before = stored === null ? NOTHING_SPENT : fromDocument(stored);
      const isWaiting = await Promise.all(wanted.map((order) => isUncounted(collections, order)));
      const waiting = wanted.filter((_, index) => isWaiting[index]);
      let { after, results } = countAll(before, waiting);
      const isRefusing = [...results.values()].some((result) => typeof result === 'object');
      if (isRefusing || before.open.length > TIDY_ABOVE) {
        const tidied = await tidy(collections, before, isRefusing ? before.open.length : TIDY_AT_ONCE);
        ({ after, results } = countAll(tidied, waiting));
      }
      if (after.open.length > OPEN_MAX) throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
      for (const order of wanted) if (!results.has(order)) results.set(order, 'moved-on');
      if (after === before) return results;
      return (await write(collections, key, stored?.version, after)) ? results : undefined;
    },
  });
}

/** Each order in turn: one that is open already is counted already. */
function countAll(before: Spending, wanted: readonly OrderToCount[]) {
  const results = new Map<OrderToCount, Counting>();
  let after = before;
  for (const order of wanted) {
    const { id, transactionId, day, amountSen, quota } = order;
    const reservation = { id, transactionId, day, amountSen };
    const isOpen = after.open.some((open) => open.transactionId === transactionId);
    const bound = isOpen ? undefined : exceeded(after, reservation, quota);
    if (bound === undefined && !isOpen) after = reserve(after, reservation);
    results.set(order, bound === undefined ? 'reserved' : { exceeds: bound });
  }
  return { after, results };
}

async function isUncounted(collections: Collections, { id, transactionId }: Reservation): Promise<boolean> {
  const order = await findNow(collections, id);
  return order?.transaction_id === transactionId && order.status === 'created' && order.counted !== true;
}

/** Takes notice of what has become of open orders, so that those that were not paid give back their amounts. */
async function tidy(collections: Collections, spending: Spending, count: number): Promise<Spending> {
  const open = spending.open.slice(0, count);
  if (open.length === 0) return spending;
  const ids = open.map(({ id }) => id);
  const found = await traced('find', TRANSFERS, () =>
    collections.orders.find({ _id: { $in: ids } }, { projection: { transaction_id: 1, status: 1 } }).toArray(),
  );
  const byId = new Map(found.map((order) => [order._id, order]));
  return settle(spending, await Promise.all(open.map((one) => outcomeOf(collections, one, byId.get(one.id)))));
}

async function outcomeOf(
  collections: Collections,
  { id, transactionId }: Reservation,
  found: OrderDocument | undefined,
): Promise<Outcome> {
  const isThis = found?.transaction_id === transactionId;
  const order = isThis ? found : await findNow(collections, id);
  // It was refused, and is gone; its reference may be that of another order now.
  if (order?.transaction_id !== transactionId || UNPAID.has(order.status)) return 'does-not-count';
  return PAID.has(order.status) ? 'counts' : 'open';
}

async function findNow({ orders }: Collections, id: string): Promise<OrderDocument | undefined> {
  const options = { projection: { transaction_id: 1, status: 1, counted: 1 }, readConcern: 'linearizable' } as const;
  return (await traced('findOne', TRANSFERS, () => orders.findOne({ _id: id }, options))) ?? undefined;
}

/** False when another process has written meanwhile. */
async function write({ spendings }: Collections, key: string, version: bigint | undefined, spending: Spending): Promise<boolean> {
  const fields = toFields(spending);
  if (version !== undefined) {
    const change = { $set: { ...fields, version: version + 1n } };
    const { matchedCount } = await traced('updateOne', SPENDINGS, () => spendings.updateOne({ _id: key, version }, change));
    return matchedCount === 1;
  }
  try {
    await traced('insertOne', SPENDINGS, () => spendings.insertOne({ _id: key, schema: SCHEMA, version: 1n, ...fields }));
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

function toFields({ days, open }: Spending): Pick<SpendingDocument, 'days' | 'open'> {
  const toEntry = ({ id, transactionId, day, amountSen }: Reservation) => ({
    id,
    transaction_id: transactionId,
    day,
    amount_sen: amountSen,
  });
  return { days: { ...days }, open: open.map(toEntry) };
}

function fromDocument({ days, open }: SpendingDocument): Spending {
  const fromEntry = (entry: SpendingDocument['open'][number]): Reservation => ({
    id: entry.id,
    transactionId: entry.transaction_id,
    day: entry.day,
    amountSen: entry.amount_sen,
  });
  return { days, open: open.map(fromEntry) };
}
