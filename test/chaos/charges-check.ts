import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import type { DirectDebitTransaction } from '../support/api.d.ts';
import { isRecord, sen } from '../support/merchant-client.ts';
import { giveBack } from './charges-load.ts';
import { type ChargeOrder, findBinding, findCharge } from './charges-order.ts';
import { inParallel } from './in-parallel.ts';
import type { World } from './world.ts';

const SETTLED_WITHIN_MS = 180_000;
const ANNOUNCED_WITHIN_MS = 60_000;
/** By how much business time goes on between two questions: first little, since a bank that was silent has answered after 5 s. */
const ADVANCES_MS = [1, 2, 5, 10, 20, 30, 60].map((seconds) => seconds * 1_000);
/** Longer than an OTP lives. */
const OTP_OVER_MS = 301_000;

/** Every charge as it stands in the end. */
export type Finals = ReadonlyMap<ChargeOrder, DirectDebitTransaction>;

/**
 * Lets business time go on until every charge and refund has a final state and is settled; asks for the refunds that could not be
 * had before. Throws with those that are still open after three minutes.
 */
export async function settleCharges(world: World, orders: readonly ChargeOrder[]): Promise<Finals> {
  const finals = new Map<ChargeOrder, DirectDebitTransaction>();
  const endMs = Date.now() + SETTLED_WITHIN_MS;
  for (let round = 0; ; round++) {
    const open = new Map<ChargeOrder, DirectDebitTransaction | undefined>();
    await inParallel(
      orders.filter((order) => !finals.has(order)),
      async (order) => {
        await giveBack(world, order);
        const found = await findCharge(world, round % 2 === 0 ? 0 : 1, order.reference);
        if (found !== undefined && isFinal(order, found)) finals.set(order, found);
        else open.set(order, found);
      },
    );
    if (open.size === 0) return finals;
    if (Date.now() > endMs) throw new Error(`not final: ${JSON.stringify([...open.values()].slice(0, 5))}`);
    const isOver = [...open.values()].every((found) => found?.status === 'PENDING_OTP');
    await advance(world, isOver ? OTP_OVER_MS : (ADVANCES_MS[round] ?? 60_000));
  }
}

function isFinal(order: ChargeOrder, { status, has_settle: hasSettled, refunds }: DirectDebitTransaction): boolean {
  if (status === 'FAILED' || status === 'EXPIRED') return true;
  const areRefunded = refunds.length === order.refunds.length && refunds.every((refund) => refund.status !== 'PENDING');
  return status === 'SUCCESS' && hasSettled && areRefunded;
}

/** Business time goes on, and what is due then has time to happen. */
async function advance(world: World, ms: number): Promise<void> {
  const { http, text } = await world.control('POST', 'clock/advance', { ms });
  if (http !== 200) throw new Error(`the clock was not advanced: ${http} ${text}`);
  await sleep(500);
}

/**
 * Compares charges with their orders and with the bank's books, item by item: what we call paid or given back the bank has taken or
 * given, once and with this amount, and it has done nothing else. Gives the differences in words.
 */
export async function compareCharges(world: World, finals: Finals): Promise<string[]> {
  const books = await readBooks(world);
  const differences: string[] = [];
  for (const [order, transaction] of finals) {
    const { transaction_id: id, status, amount, refunds } = transaction;
    const differs = (what: string, here: unknown, there: unknown) => {
      if (String(here) !== String(there)) differences.push(`${order.reference} (${id}): ${what} is ${here}, not ${there}`);
    };
    differs('the amount', sen(amount), BigInt(order.amount) * 100n);
    const isPaid = status === 'SUCCESS';
    if (isPaid) differs('fee and net amount', sen(transaction.fee) + sen(transaction.net_amount), sen(amount));
    const wanted = isPaid ? order.refunds : [];
    const answeredAs = wanted.map(({ reference, refundId }) => `${reference} ${refundId}`);
    const madeAs = refunds.map(({ reference_number, refund_id }) => `${reference_number} ${refund_id}`);
    differs('what is refunded', madeAs, answeredAs);
    const taken = books.in.get(id) ?? [];
    const inBooks = isPaid ? [`${sen(amount)} success`] : taken.length === 0 ? [] : [`${sen(amount)} failed`];
    differs('the charge in the books', taken, inBooks);
    const back = refunds.filter((refund) => refund.status === 'SUCCESS').map((refund) => `${sen(refund.amount)} success`);
    differs('the refunds in the books', (books.out.get(id) ?? []).toSorted(), back.toSorted());
  }
  const ours = new Set([...finals.values()].map(({ transaction_id: id }) => id));
  const others = [...books.in.keys(), ...books.out.keys()].filter((id) => !ours.has(id));
  return [...differences, ...others.map((id) => `${id} is in the books and was never ordered`)];
}

/** What the bank has taken (`in`) and given back (`out`) for each of our transactions: amounts in sen with their status. */
async function readBooks(world: World): Promise<Record<'in' | 'out', Map<string, string[]>>> {
  const { json, text } = await world.control('GET', 'rails/direct-debit/books');
  if (!Array.isArray(json.items)) throw new Error(`no books: ${text.slice(0, 200)}`);
  const books = { in: new Map<string, string[]>(), out: new Map<string, string[]>() };
  for (const item of json.items.filter(isRecord)) {
    const side = books[item.direction === 'in' ? 'in' : 'out'];
    const id = String(item.transaction_id);
    side.set(id, [...(side.get(id) ?? []), `${sen(item.amount)} ${item.status}`]);
  }
  return books;
}

/** Pending and available of the account; throws while anything is held. */
export async function balanceOf({ merchants, source }: World): Promise<{ pending: bigint; available: bigint }> {
  const { pending, available, held } = await merchants[0].balance(source);
  if (held !== 0n) throw new Error(`${held} sen are held`);
  return { pending, available };
}

/** What all settled charges and their refunds have brought, sen. */
export function broughtBy(finals: Finals): bigint {
  let sum = 0n;
  for (const { status, net_amount: net, refunds } of finals.values()) {
    if (status !== 'SUCCESS') continue;
    sum += sen(net);
    for (const refund of refunds) if (refund.status === 'SUCCESS') sum -= sen(refund.amount);
  }
  return sum;
}

/**
 * Waits until every end of a charge, refund and binding is announced; gives what is wrong with the webhooks in words: another event
 * of the same thing, another status, or one of what was never ordered.
 */
export async function compareWebhooks(world: World, finals: Finals, bindings: readonly string[]): Promise<string[]> {
  const expected = await expectedWebhooks(world, finals, bindings);
  const find = () => saidBy(world);
  const missing = () => [...expected.keys()].filter((id) => !find().has(id));
  await eventually('every end is announced', () => missing().length === 0, ANNOUNCED_WITHIN_MS).catch((error: unknown) => {
    throw new Error(`not announced: ${missing().slice(0, 5).join(', ')}`, { cause: error });
  });
  const differences: string[] = [];
  for (const [id, { events, words }] of find()) {
    if (events.size !== 1) differences.push(`${id} is announced by ${events.size} events`);
    for (const word of words) {
      if (word !== expected.get(id)) differences.push(`${id}: it is ${expected.get(id)}, announced as ${word}`);
    }
  }
  return differences;
}

/** By the id of a charge, a refund or a binding: the one event that tells of its end, and the status in it. */
async function expectedWebhooks(world: World, finals: Finals, bindings: readonly string[]): Promise<Map<string, string>> {
  const expected = new Map<string, string>();
  for (const { transaction_id: id, status, refunds } of finals.values()) {
    expected.set(id, `direct-debit.charge.${status === 'SUCCESS' ? 'succeeded' : 'failed'} ${status}`);
    for (const { refund_id: refundId, status: refunded } of refunds)
      expected.set(refundId, `direct-debit.refund.${refunded === 'SUCCESS' ? 'succeeded' : 'failed'} ${refunded}`);
  }
  await inParallel(bindings, async (id) => {
    const found = await findBinding(world, 0, id);
    const event = { ACTIVE: 'succeeded', FAILED: 'failed', EXPIRED: 'expired', PENDING: '', UNBOUND: '' }[
      found?.status ?? 'PENDING'
    ];
    expected.set(id, `direct-debit.binding.${event} ${found?.status}`);
  });
  return expected;
}

type Announced = { events: Set<unknown>; words: Set<string> };

function saidBy({ sink }: World): Map<string, Announced> {
  const announced = new Map<string, Announced>();
  for (const { headers, body } of sink.hooks) {
    const data = isRecord(body.data) ? body.data : {};
    const id = String(data.refund_id ?? data.transaction_id ?? data.binding_id);
    const known = announced.get(id) ?? { events: new Set(), words: new Set() };
    known.events.add(headers['x-event-id']);
    known.words.add(`${body.event} ${data.status}`);
    announced.set(id, known);
  }
  return announced;
}
