import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, type MerchantClient } from '../support/merchant-client.ts';
import { type Answer, newOrder, type Order, PRODUCT } from './money-out-order.ts';
import type { World } from './world.ts';

/** A merchant tries an order for so long. */
const PATIENCE_MS = 90_000;
const RETRY_MS = 250;
/** A load of its own would only measure how fast it is. */
const PAUSE_MS = 80;

/** Merchants that order from all products at once, by both edges, until `end`. */
export type Load = {
  readonly orders: readonly Order[];
  /** The transaction under which an order was accepted; those that the rail refused at once have none. */
  readonly accepted: ReadonlyMap<Order, string>;
  /** How many orders are answered by now. */
  answered(): number;
  /** No new orders; resolves when each one that was made is answered. Throws where one was refused, or not answered in time. */
  end(): Promise<void>;
};

export function startLoad(world: World, options: { callers: number; expiresAtMs: number }): Load {
  const orders: Order[] = [];
  const accepted = new Map<Order, string>();
  let answered = 0;
  let ended = false;
  const caller = async () => {
    while (!ended) {
      const order = newOrder(orders.length, options.expiresAtMs);
      orders.push(order);
      const transactionId = await place(world, order);
      if (transactionId !== undefined) accepted.set(order, transactionId);
      answered++;
      await useCode(world, order);
      await sleep(PAUSE_MS);
    }
  };
  const work = Promise.all(Array.from({ length: options.callers }, caller));
  // Thrown by `end`.
  work.catch(() => {});
  return {
    orders,
    accepted,
    answered: () => answered,
    async end() {
      ended = true;
      await work;
    },
  };
}

/**
 * Orders as a careful merchant does: the same request again, at one edge and the other, until there is an answer. Gives the
 * transaction of an order that was accepted.
 */
async function place(world: World, order: Order): Promise<string | undefined> {
  const { order: ask } = PRODUCT[order.product];
  const endMs = Date.now() + PATIENCE_MS;
  for (let attempt = 0; Date.now() < endMs; attempt++) {
    const answer = await ask(merchantFor(world, attempt), world, order).catch(noAnswer);
    if (answer !== undefined && answer.http < 300) return transactionOf(answer);
    // What the rail refuses is answered too, with 400, or 404 where it does not know the beneficiary.
    if (answer?.http === 400 || answer?.http === 404) return undefined;
    if (answer !== undefined && answer.http < 500) {
      throw new Error(`${order.reference} was refused: ${answer.http} ${JSON.stringify(answer.data)}`);
    }
    await sleep(RETRY_MS);
  }
  throw new Error(`${order.reference} was not answered`);
}

function transactionOf({ data }: Answer): string {
  if (!isRecord(data) || typeof data.transaction_id !== 'string') throw new Error('an accepted order has no transaction');
  return data.transaction_id;
}

/**
 * What becomes of a code to draw cash with: the customer draws it, the merchant cancels it, or no one does anything. Gives whether
 * it could be done, or need not be.
 */
export async function useCode(world: World, order: Order): Promise<boolean> {
  if (order.product !== 'cardless-withdrawal' || order.ending === 'expire') return true;
  for (const merchant of world.merchants) {
    const shown = await show(merchant, world, order).catch(noAnswer);
    if (shown === undefined) continue;
    if (shown.status !== 'active') return shown.status !== 'pending';
    const params = { path: { account_id: world.source, transaction_id: shown.transactionId } };
    if (order.ending === 'cancel') {
      const path = '/api/v1.0/cardless-withdrawals/{account_id}/{transaction_id}/cancel';
      const { response } = await merchant.api.POST(path, { params }).catch(noResponse);
      return response.status < 500;
    }
    const drawn = await world.control('POST', `cardless/${shown.code}/withdraw`, {}).catch(noAnswer);
    return drawn?.http === 200;
  }
  return false;
}

type Shown = { transactionId: string; status: string; code: string };

async function show({ api }: MerchantClient, { source }: World, { reference }: Order): Promise<Shown | undefined> {
  const list = await api.GET('/api/v1.0/cardless-withdrawals/{account_id}', {
    params: { path: { account_id: source }, query: { reference_number: reference } },
  });
  const found = list.data?.data.items[0];
  if (found === undefined) return undefined;
  const { data } = await api.GET('/api/v1.0/cardless-withdrawals/{account_id}/{transaction_id}', {
    params: { path: { account_id: source, transaction_id: found.transaction_id } },
  });
  if (data === undefined) return undefined;
  const { transaction_id: transactionId, status, withdrawal_code: code } = data.data;
  return { transactionId, status, code: code ?? '' };
}

export function merchantFor({ merchants }: World, attempt: number): MerchantClient {
  return attempt % 2 === 0 ? merchants[0] : merchants[1];
}

/** fetch throws a TypeError where the connection breaks. Any other error is a fault of the gateway or of this test. */
export function noAnswer(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error;
}

function noResponse(error: unknown): { response: Response } {
  noAnswer(error);
  return { response: new Response(null, { status: 503 }) };
}
