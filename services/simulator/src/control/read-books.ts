import { Readable } from 'node:stream';
import { toMoney } from '@gerbang/core';
import type { BankBooks, BookEntry } from '../bank-transfer/books.ts';
import type { Handler } from '../handler.ts';
import { railOf } from './behaviours.ts';
import { ControlError } from './json.ts';

/** Items put into one piece of the answer. */
const PIECE = 500;

/**
 * GET /sandbox/rails/{rail}/books → `{items: [{reference_number, transaction_id, direction, amount, status}]}`, all of it (contract §11): streamed,
 * for it may be long. Status is success, failed or pending.
 */
export const readBooks: Handler = async (context, request, reply) => {
  const rail = railOf(request.params);
  if (rail !== 'bank-transfer') {
    throw new ControlError(404, `The rail ${rail} keeps no books: nothing is paid over it yet. Rails with books: bank-transfer.`);
  }
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces(context.books), { objectMode: false }));
};

async function* pieces(books: BankBooks): AsyncGenerator<string> {
  let piece = '{"items":[';
  let count = 0;
  for await (const entry of books.all()) {
    piece += (count === 0 ? '' : ',') + JSON.stringify(toItem(entry));
    count++;
    if (count % PIECE === 0) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}]}`;
}

function toItem(entry: BookEntry) {
  return {
    reference_number: entry.merchantReference,
    transaction_id: entry.partnerReference,
    direction: 'out',
    amount: toMoney(entry.amountSen),
    status: entry.status,
  };
}
