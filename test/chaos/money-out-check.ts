import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import { isRecord, sen, statusOf } from '../support/merchant-client.ts';
import { inParallel } from './in-parallel.ts';
import { merchantFor, useCode } from './money-out-load.ts';
import { findTransaction, type Order, PRODUCT, PRODUCTS, type Transaction } from './money-out-order.ts';
import type { World } from './world.ts';

const FINAL: ReadonlySet<string> = new Set(['00', '05', '06']);
const SETTLED_WITHIN_MS = 120_000;
const ANNOUNCED_WITHIN_MS = 60_000;
/** By how much business time goes on between two questions: first little, since a rail that was silent has answered after 5 s. */
const ADVANCES_MS = [1, 2, 5, 10, 20, 30, 60].map((seconds) => seconds * 1_000);
/** Longer than every code to draw cash with lives. */
const EXPIRED_AFTER_MS = 3 * 3_600_000;

/** What the rails' books have of a reference. */
type BookEntry = { rail: string; reference: string; transactionId: string; amountSen: bigint; status: string };

/**
 * Lets business time go on until every order has a final state: first those that the rail decides, then the codes that no one
 * has drawn. Throws with those that are still open after two minutes.
 */
export async function settleAll(world: World, orders: readonly Order[]): Promise<Map<Order, Transaction>> {
  const finals = new Map<Order, Transaction>();
  const endMs = Date.now() + SETTLED_WITHIN_MS;
  let isOver = false;
  for (let round = 0; ; round++) {
    const open = orders.filter((order) => !finals.has(order));
    await inParallel(open, async (order) => {
      const found = await findTransaction(merchantFor(world, round), world, order);
      if (found !== undefined && FINAL.has(found.status)) finals.set(order, found);
      else if (!isOver) await useCode(world, order);
    });
    const still = orders.filter((order) => !finals.has(order));
    if (still.length === 0) return finals;
    if (Date.now() > endMs) throw new Error(`not final: ${still.map(({ reference }) => reference).join(', ')}`);
    isOver = still.every(({ product, ending }) => product === 'cardless-withdrawal' && ending === 'expire');
    await advance(world, isOver ? EXPIRED_AFTER_MS : (ADVANCES_MS[round] ?? 300_000));
  }
}

/** Business time goes on, and what is due then has time to happen. */
async function advance(world: World, ms: number): Promise<void> {
  const { http, text } = await world.control('POST', 'clock/advance', { ms });
  if (http !== 200) throw new Error(`the clock was not advanced: ${http} ${text}`);
  await sleep(500);
}

/**
 * Compares the rails' books with the transactions, item by item: what we call paid the rail has paid, once and with this amount,
 * and it has paid nothing else. Gives the differences in words.
 */
export async function compareBooks(world: World, finals: ReadonlyMap<Order, Transaction>): Promise<string[]> {
  const differences: string[] = [];
  const ours = new Map([...finals].map(([order, transaction]) => [order.reference, { order, transaction }]));
  const entries = new Map<string, BookEntry[]>();
  for (const product of PRODUCTS) {
    const { rail } = PRODUCT[product];
    for (const entry of rail === undefined ? [] : await readBooks(world, rail)) {
      entries.set(entry.reference, [...(entries.get(entry.reference) ?? []), entry]);
    }
  }
  for (const [reference, booked] of entries) {
    const known = ours.get(reference);
    if (known === undefined) differences.push(`${reference} is in the books and was never ordered`);
    else if (booked.length > 1) differences.push(`${reference} is in the books ${booked.length} times`);
    else differences.push(...booked.flatMap((entry) => compare(known, entry)));
  }
  for (const [reference, { order, transaction }] of ours) {
    const hasRail = PRODUCT[order.product].rail !== undefined;
    if (hasRail && transaction.status === '00' && !entries.has(reference)) differences.push(`${reference} is not in the books`);
  }
  return differences;
}

/** What the rail's status is as a transaction's. */
const STATUS_OF_BOOKS: Readonly<Record<string, string>> = { success: '00', failed: '06', canceled: '05', expired: '05' };

function compare(ours: { order: Order; transaction: Transaction }, booked: BookEntry): string[] {
  const { reference, product, amountSen } = ours.order;
  const { transactionId, status, netSen } = ours.transaction;
  const differences: string[] = [];
  const differs = (what: string, here: unknown, there: unknown) => {
    if (here !== there) differences.push(`${reference}: ${what} is ${here}, in the books ${there}`);
  };
  differs('the rail', PRODUCT[product].rail, booked.rail);
  differs('the amount ordered', amountSen, booked.amountSen);
  differs('the amount', netSen, booked.amountSen);
  differs('the status', status, STATUS_OF_BOOKS[booked.status] ?? booked.status);
  // A payment of a code is booked under the reference that the acquirer knows it by.
  if (product !== 'qris-payment') differs('the transaction', transactionId, booked.transactionId);
  return differences;
}

async function readBooks(world: World, rail: string): Promise<BookEntry[]> {
  const { json, text } = await world.control('GET', `rails/${rail}/books`);
  if (!Array.isArray(json.items)) throw new Error(`no books: ${text.slice(0, 200)}`);
  const items = json.items.filter(isRecord).filter(({ direction }) => direction === 'out');
  return items.map((item) => ({
    rail,
    reference: String(item.reference_number),
    transactionId: String(item.transaction_id),
    amountSen: sen(item.amount),
    status: String(item.status),
  }));
}

export type Balances = { source: bigint; destination: bigint };

/** Available on both accounts; throws while anything is held or not settled. */
export async function balancesOf({ merchants, source, destination }: World): Promise<Balances> {
  const [from, to] = [await merchants[0].balance(source), await merchants[1].balance(destination)];
  if (from.held + to.held + from.pending + to.pending !== 0n) throw new Error(`${from.held} sen are held`);
  return { source: from.available, destination: to.available };
}

/** What the balances must be after these transactions. */
export function expectedBalances(before: Balances, finals: ReadonlyMap<Order, Transaction>): Balances {
  let { source, destination } = before;
  for (const [{ product }, { status, grossSen }] of finals) {
    if (status !== '00') continue;
    source -= grossSen;
    if (product === 'account-transfer') destination += grossSen;
  }
  return { source, destination };
}

/**
 * Waits until every final state is announced; gives what is wrong with the webhooks in words: another event of the same
 * transaction, another status or product, one of an account transfer, one of what was never ordered.
 */
export async function compareWebhooks(world: World, finals: ReadonlyMap<Order, Transaction>): Promise<string[]> {
  const { sink } = world;
  const announced = [...finals.keys()].filter(({ product }) => PRODUCT[product].webhook !== undefined);
  const missing = () => announced.filter(({ reference }) => sink.about(reference).length === 0);
  await eventually('every final state is announced', () => missing().length === 0, ANNOUNCED_WITHIN_MS);
  const differences: string[] = [];
  const ours = new Map([...finals].map(([order, transaction]) => [order.reference, { order, transaction }]));
  for (const reference of new Set(sink.hooks.map(({ body }) => String(Object(body.data).reference_number)))) {
    const known = ours.get(reference);
    const hooks = sink.about(reference);
    const ids = new Set(hooks.map(({ headers }) => headers['x-event-id']));
    if (known === undefined) differences.push(`${reference} is announced and was never ordered`);
    if (ids.size !== 1) differences.push(`${reference} is announced by ${ids.size} events`);
    for (const { body } of hooks) {
      const said = [body.event, Object(body.data).transaction_id, statusOf(Object(body.data))].join(' ');
      const { order, transaction } = known ?? {};
      const is = [order && PRODUCT[order.product].webhook, transaction?.transactionId, transaction?.status].join(' ');
      if (said !== is) differences.push(`${reference}: it is ${is}, announced as ${said}`);
    }
  }
  return differences;
}
