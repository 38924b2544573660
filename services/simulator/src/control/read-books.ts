import { Readable } from 'node:stream';
import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { Handler } from '../handler.ts';
import type { MoneyInRail } from '../money-in/rail.ts';
import { type Rail, railOf } from './behaviours.ts';
import { ControlError } from './json.ts';

/** Items put into one piece of the answer. */
const PIECE = 500;

type Item = {
  reference_number: string;
  transaction_id: string;
  direction: 'in' | 'out';
  amount: { value: string; currency: string };
  status: string;
};

/**
 * GET /sandbox/rails/{rail}/books → `{items: [{reference_number, transaction_id, direction, amount, status}]}`, all of it
 * (contract §11): streamed, for it may be long. Status is success, failed, pending, of a paid transfer that was taken back
 * reversed, and of a code without cash also canceled or expired. Of money in, reference_number is the rail's own reference, and
 * transaction_id what Gerbang has called it where the rail was told (codes, checkouts), else the number that was paid.
 */
export const readBooks: Handler = async (context, request, reply) => {
  const items = itemsOf(context, railOf(request.params));
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces(items), { objectMode: false }));
};

function itemsOf(context: Context, rail: Rail): AsyncIterable<Item> {
  switch (rail) {
    case 'bank-transfer':
    case 'biller':
      return payouts(context, rail);
    case 'qris':
      return qris(context);
    case 'va':
    case 'ewallet':
    case 'retail':
      return bothWays(context, rail);
    case 'cardless':
      return withdrawals(context);
    case 'direct-debit':
      return charges(context);
    case 'card':
      throw new ControlError(404, `The rail ${rail} keeps no books: nothing is paid over it yet.`);
    default:
      return rail satisfies never;
  }
}

async function* pieces(items: AsyncIterable<Item>): AsyncGenerator<string> {
  let piece = '{"items":[';
  let count = 0;
  for await (const item of items) {
    piece += (count === 0 ? '' : ',') + JSON.stringify(item);
    count++;
    if (count % PIECE === 0) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}]}`;
}

async function* bothWays(context: Context, rail: MoneyInRail): AsyncGenerator<Item> {
  yield* payouts(context, rail);
  yield* receipts(context, rail);
}

async function* payouts({ books }: Context, rail: Rail): AsyncGenerator<Item> {
  for await (const entry of books.all(rail)) {
    yield {
      reference_number: entry.merchantReference,
      transaction_id: entry.transactionId,
      direction: 'out',
      amount: toMoney(entry.amountSen),
      status: entry.status,
    };
  }
}

/** A code that was not used yet is pending. */
async function* withdrawals(context: Context): AsyncGenerator<Item> {
  for await (const { merchantReference, transactionId, amountSen, status } of context.withdrawals.all()) {
    yield {
      reference_number: merchantReference,
      transaction_id: transactionId,
      direction: 'out',
      amount: toMoney(amountSen),
      status: status === 'withdrawn' ? 'success' : status === 'active' ? 'pending' : status,
    };
  }
}

/** Refunds name their charge as Gerbang does. */
async function* charges({ directDebit }: Context): AsyncGenerator<Item> {
  for await (const { reference, referenceNo, amountSen, status, refunds } of directDebit.charges.all()) {
    const amount = toMoney(amountSen);
    yield { reference_number: referenceNo, transaction_id: reference, direction: 'in', amount, status };
    for (const refund of refunds)
      yield {
        reference_number: refund.reference,
        transaction_id: reference,
        direction: 'out',
        amount: toMoney(refund.amountSen),
        status: 'success',
      };
  }
}

async function* qris(context: Context): AsyncGenerator<Item> {
  yield* receipts(context, 'qris');
  for await (const entry of context.qrisBooks.all()) {
    yield {
      reference_number: entry.merchantReference,
      transaction_id: entry.transactionId,
      direction: 'out',
      amount: toMoney(entry.amountSen),
      status: entry.status,
    };
  }
}

async function* receipts(context: Context, rail: MoneyInRail): AsyncGenerator<Item> {
  for await (const { railReference, requestReference, number, amountSen, status } of context.receipts.all(rail)) {
    yield {
      reference_number: railReference,
      transaction_id: requestReference || number,
      direction: 'in',
      amount: toMoney(amountSen),
      status,
    };
  }
  for await (const { reference, railReference, amountSen } of context.refunds.all(rail)) {
    yield {
      reference_number: reference,
      transaction_id: railReference,
      direction: 'out',
      amount: toMoney(amountSen),
      status: 'success',
    };
  }
}
