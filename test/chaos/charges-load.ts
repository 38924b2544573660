import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '../support/merchant-client.ts';
import { bind } from './charges-bind.ts';
import { type ChargeOrder, charge, findCharge, newCharge, type RefundOrder, refund, type Said, said } from './charges-order.ts';
import type { World } from './world.ts';

/** A merchant tries a charge or a refund for so long. */
const PATIENCE_MS = 90_000;
const RETRY_MS = 250;
/** A load of its own would only measure how fast it is. */
const PAUSE_MS = 80;
const CHARGES_PER_BINDING = 8;
const OTP_ATTEMPTS_MAX = 20;

/** Merchants that bind accounts, charge them and give the money back, by both edges, until `end`. */
export type ChargesLoad = {
  readonly orders: readonly ChargeOrder[];
  /** Every binding that was begun. */
  readonly bindings: readonly string[];
  /** The transaction under which each charge was answered. */
  readonly transactions: ReadonlyMap<ChargeOrder, string>;
  answered(): number;
  /** No new orders; resolves when each one that was made is answered. Throws where one was refused, or not answered in time. */
  end(): Promise<void>;
};

export function startChargesLoad(world: World, callers: number): ChargesLoad {
  const orders: ChargeOrder[] = [];
  const bindings: string[] = [];
  const transactions = new Map<ChargeOrder, string>();
  let ended = false;
  const caller = async () => {
    while (!ended) {
      const bindingId = await bind(world, bindings);
      const mine: ChargeOrder[] = [];
      while (!ended && mine.length < CHARGES_PER_BINDING) {
        const order = newCharge(orders.length, bindingId);
        orders.push(order);
        mine.push(order);
        const transactionId = await place(world, order);
        transactions.set(order, transactionId);
        await giveOtp(world, order, transactionId);
        for (const one of mine) await giveBack(world, one);
        await sleep(PAUSE_MS);
      }
    }
  };
  const work = Promise.all(Array.from({ length: callers }, caller));
  // Thrown by `end`.
  work.catch(() => {});
  return {
    orders,
    bindings,
    transactions,
    answered: () => transactions.size,
    async end() {
      ended = true;
      await work;
    },
  };
}

/** Charges as a careful merchant does; gives the transaction, which is the same at both edges. */
function place(world: World, order: ChargeOrder): Promise<string> {
  const what = order.reference;
  return atEdges(order, (first) => untilAnswered(what, first, 'transaction_id', (edge) => charge(world, edge, order)));
}

/** Asks for the refunds of a charge that can be had by now: it has succeeded, and for a late one it has settled. */
export async function giveBack(world: World, order: ChargeOrder): Promise<void> {
  const next = order.refunds.find(({ refundId }) => refundId === undefined);
  if (next === undefined) return;
  const found = await findCharge(world, 0, order.reference);
  if (found?.status !== 'SUCCESS' || (next.isLate && !found.has_settle)) return;
  next.refundId = await placeRefund(world, order, found.transaction_id, next);
}

function placeRefund(world: World, order: ChargeOrder, transactionId: string, wanted: RefundOrder): Promise<string> {
  const ask = (edge: 0 | 1) => refund(world, edge, transactionId, wanted);
  return atEdges(order, (first) => untilAnswered(wanted.reference, first, 'refund_id', ask));
}

async function atEdges({ isTwin, reference }: ChargeOrder, work: (first: 0 | 1) => Promise<string>): Promise<string> {
  if (!isTwin) return work(0);
  const [one, other] = await Promise.all([work(0), work(1)]);
  if (one !== other) throw new Error(`${reference}: sent twice, it has become ${one} and ${other}`);
  return one;
}

/**
 * The same request again, at one edge and the other, until there is an answer with the id of what was made. What the bank refuses
 * is answered too, with 400.
 */
async function untilAnswered(
  what: string,
  first: 0 | 1,
  id: 'transaction_id' | 'refund_id',
  ask: (edge: 0 | 1) => Promise<Said<object>>,
): Promise<string> {
  const endMs = Date.now() + PATIENCE_MS;
  for (let attempt = first; Date.now() < endMs; attempt++) {
    const answer = await ask(attempt % 2 === 0 ? 0 : 1);
    if (answer !== undefined) {
      const given = answer.data ?? dataOfError(answer.error);
      const found: unknown = isRecord(given) ? given[id] : undefined;
      if (typeof found !== 'string') throw new Error(`${what} was refused: ${answer.http} ${JSON.stringify(answer.error)}`);
      return found;
    }
    await sleep(RETRY_MS);
  }
  throw new Error(`${what} was not answered`);
}

function dataOfError(error: unknown): unknown {
  return isRecord(error) ? error.data : undefined;
}

/** The customer's part of a charge that needs an OTP. What comes of it, the charge says. */
async function giveOtp(world: World, order: ChargeOrder, transactionId: string): Promise<void> {
  if (order.otp === 'never') return;
  const found = await findCharge(world, 0, order.reference);
  if (found !== undefined && !found.requires_otp) return;
  const wrongs = { right: 0, second: 1, wrong: Number.POSITIVE_INFINITY }[order.otp];
  let given = 0;
  for (let attempt = 0; attempt < OTP_ATTEMPTS_MAX; attempt++) {
    const body = { transaction_id: transactionId, otp: given < wrongs ? '000000' : '123456' };
    const { api } = world.merchants[attempt % 2 === 0 ? 0 : 1];
    const answer = await said(api.POST('/api/v2.0/direct-debit/verify-otp', { body }));
    if (answer?.data !== undefined) return;
    if (answer !== undefined) {
      if (answer.http !== 400) throw new Error(`${order.reference}: no OTP is taken: ${JSON.stringify(answer)}`);
      given++;
      const after = dataOfError(answer.error);
      // A charge that is over already is refused without its data.
      if (!isRecord(after) || after.status !== 'PENDING_OTP') return;
    }
    await sleep(RETRY_MS);
  }
}
