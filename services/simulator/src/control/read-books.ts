import { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import type { Handler } from '../handler.ts';
import { RAILS } from '../rails.ts';
import type { BookItem } from '../simulated-rail.ts';
import { type Rail, railOf } from './behaviours.ts';
import { ControlError } from './json.ts';

/** Items put into one piece of the answer. */
const PIECE = 500;

/**
 * GET /sandbox/rails/{rail}/books → `{items: [{reference_number, transaction_id, direction, amount, status}]}`, all of it
 * (contract §11): streamed, for it may be long. Status is success, failed, pending, of a paid transfer that was taken back
 * reversed, and of a code without cash also canceled or expired. Of money in, reference_number is the rail's own reference, and
 * transaction_id what Gerbang has called it where the rail was told (codes, checkouts), else the number that was paid.
 */
export const readBooks: Handler = async (context, request, reply) => {
  const rail = railOf(request.params);
  if (!RAILS.some(({ books }) => books[rail] !== undefined)) {
    throw new ControlError(404, `The rail ${rail} keeps no books: nothing is paid over it yet.`);
  }
  const items = itemsOf(context, rail);
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces(items), { objectMode: false }));
};

/** All folders' items of the rail, one folder after the other. */
async function* itemsOf(context: Context, rail: Rail): AsyncGenerator<BookItem> {
  for (const { books } of RAILS) yield* books[rail]?.(context) ?? [];
}

async function* pieces(items: AsyncIterable<BookItem>): AsyncGenerator<string> {
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
