import { RefusalError, refuse } from '@gerbang/core';
import type { PostRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { CallContext } from '@gerbang/rpc';
import type { Context } from '../../context.ts';
import { readPosting } from './read-posting.ts';

/**
 * Carries out one intent, once per posting key for ever, and answers when it is durable: the available balance right after it,
 * sen, and when it was posted. Refusals: validation; insufficient_balance and account_limit, which burn the key, as does internal
 * (more than is held or pending); posting_key_conflict; not_owner; unavailable and timeout, after which the same key is posted
 * again to learn what became of it.
 */
export async function post(context: Context, request: PostRequest, call: CallContext) {
  const posting = readPosting(request);
  const { partitions } = context;
  const partition = partitions.held(request.partition) ?? (await partitions.get(request.partition, call.signal));
  const { result, atMs, repeated } = await partition.post(posting, call);
  const told = () => {
    return { merchant_id: posting.merchantId, transaction_id: posting.transactionId, intent: posting.intent, repeated };
  };
  if ('refused' in result) {
    const level = result.refused === 'internal' ? 'error' : 'info';
    if (level === 'error' || context.samplePosting())
      context.log[level](
        { ...told(), refused: result.refused, reason: result.message, posting_key: posting.key },
        'a posting is refused',
      );
    throw new RefusalError(refuse(result.refused, { message: result.message }));
  }
  if (context.samplePosting()) context.log.info(told(), 'posted');
  return { availableAfterSen: result.availableAfterSen, postedAtMs: BigInt(atMs) };
}
