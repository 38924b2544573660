import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { type PostRequest, Intent as WireIntent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Context } from '../../context.ts';
import { PARTITION } from '../../partition/name.ts';
import { ID } from '../account.ts';
import type { Intent, Posting } from '../posting.ts';

const KEY = /^[\x21-\x7e]{1,200}$/;
const RAIL = /^[a-z][a-z0-9-]{0,31}$/;
/** A page of 1,000 statement entries with the longest texts stays below the 4 MiB that an answer may have. */
const DESCRIPTION_MAX = 500;
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Carries out one intent, once per posting key for ever, and answers when it is durable: the available balance right after it, sen, and when it was
 * posted. Refusals: validation; insufficient_balance and account_limit, which burn the key, as does internal (a capture or release of more than
 * is held, a settlement of more than is pending); posting_key_conflict; unavailable and timeout, after which the same key is posted again to learn what became of it.
 */
export async function post(context: Context, request: PostRequest, signal: AbortSignal) {
  const posting = readPosting(request);
  const partition = await context.partitions.get(request.partition, signal);
  const { result, atMs, repeated } = await partition.post(posting, signal);
  const told = { merchant_id: posting.merchantId, transaction_id: posting.transactionId, intent: posting.intent, repeated };
  if ('refused' in result) {
    const level = result.refused === 'internal' ? 'error' : 'info';
    if (level === 'error' || context.samplePosting())
      context.log[level](
        { ...told, refused: result.refused, reason: result.message, posting_key: posting.key },
        'a posting is refused',
      );
    throw new RefusalError(refuse(result.refused, { message: result.message }));
  }
  if (context.samplePosting()) context.log.info(told, 'posted');
  return { availableAfterSen: result.availableAfterSen, postedAtMs: BigInt(atMs) };
}

/** The request as a posting; throws a validation refusal naming the field. */
function readPosting(request: PostRequest): Posting {
  const intent = intentOf(request.intent);
  const { postingKey: key, merchantId, accountId, amountSen, feeSen, rail } = request;
  const { product, transactionId, referenceNumber, description, destinationAccountId } = request;
  const wrong = (field: string, message: string) => new RefusalError(refuseField(field, message));
  if (intent === undefined) throw wrong('intent', 'is unknown');
  if (!PARTITION.test(request.partition)) throw wrong('partition', 'is not the name of a partition');
  if (!KEY.test(key)) throw wrong('posting_key', 'must be 1 to 200 printable characters without blanks');
  if (!ID.test(merchantId)) throw wrong('merchant_id', 'is not an id');
  if (!ID.test(accountId)) throw wrong('account_id', 'is not an id');
  if (amountSen <= 0n) throw wrong('amount_sen', 'must be more than 0');
  if (feeSen < 0n || amountSen + feeSen > INT64_MAX) throw wrong('fee_sen', 'must be 0 or more, and fit');
  if ((intent === 'credit' || intent === 'transfer') && feeSen !== 0n) throw wrong('fee_sen', `a ${intent} has no fee`);
  if (intent === 'transfer' ? !ID.test(destinationAccountId) : destinationAccountId !== '')
    throw wrong('destination_account_id', 'must be the id of an account for a transfer, and empty otherwise');
  if (destinationAccountId === accountId) throw wrong('destination_account_id', 'must be another account than the source');
  if (!RAIL.test(rail) && (rail !== '' || intent === 'capture' || intent === 'credit'))
    throw wrong('rail', 'must be the name of a rail');
  for (const [field, text] of Object.entries({ product, transaction_id: transactionId, reference_number: referenceNumber })) {
    if (text.length > 128) throw wrong(field, 'must be at most 128 characters');
  }
  if (description.length > DESCRIPTION_MAX) throw wrong('description', `must be at most ${DESCRIPTION_MAX} characters`);
  const texts = { product, transactionId, referenceNumber, description };
  return { key, intent, merchantId, accountId, amountSen, feeSen, rail, ...texts, destinationAccountId };
}

function intentOf(intent: WireIntent): Intent | undefined {
  switch (intent) {
    case WireIntent.HOLD:
      return 'hold';
    case WireIntent.CAPTURE:
      return 'capture';
    case WireIntent.RELEASE:
      return 'release';
    case WireIntent.CREDIT:
      return 'credit';
    case WireIntent.TRANSFER:
      return 'transfer';
    case WireIntent.SETTLE:
      return 'settle';
    default:
      return undefined;
  }
}
