import { create } from '@bufbuild/protobuf';
import { type RefusalCode, RefusalError, refuse } from '@gerbang/core';
import { Compensation, Intent, PostResponseSchema, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';

type Posting = {
  postingKey?: string;
  intent?: Intent;
  side?: Side;
  amountSen?: bigint;
  feeSen?: bigint;
  fromSuspense?: boolean;
  compensation?: Compensation;
};
type Change = { pending: bigint; available: bigint; suspense: bigint };

export type ContractLedger = ReturnType<typeof newLedger>;

/**
 * The ledger of money in as its contract has it (ledger.proto): once per posting key for ever, refusals too; another content under a
 * key is a conflict. `balance`: of all accounts together. `suspense`: of the rail. `posted`: amounts by key, refusals left out.
 */
export function newLedger() {
  const contents = new Map<string, string>();
  const refused = new Map<string, RefusalCode>();
  const posted = new Map<string, bigint>();
  const balance = { pending: 0n, available: 0n };
  const suspense = { sen: 0n };
  const book = (key: string, request: Posting) => {
    const change = changeOf(request);
    const after = { pending: balance.pending + change.pending, available: balance.available + change.available };
    if (after.available < 0n || after.pending < 0n) return refused.set(key, 'insufficient_balance');
    Object.assign(balance, after);
    suspense.sen += change.suspense;
    return posted.set(key, request.amountSen ?? 0n);
  };
  return {
    balance,
    suspense,
    posted,
    /** The booked keys without the transaction's id. */
    keys: () => [...posted.keys()].map((key) => key.slice(key.indexOf(':') + 1)),
    post: async (request: Posting) => {
      const { postingKey = '', intent, side, amountSen = 0n, feeSen = 0n } = request;
      const content = `${intent} ${side} ${amountSen} ${feeSen} ${request.fromSuspense} ${request.compensation}`;
      const known = contents.get(postingKey);
      if (known !== undefined && known !== content) throw new RefusalError(refuse('posting_key_conflict'));
      contents.set(postingKey, content);
      if (known === undefined) book(postingKey, request);
      const code = refused.get(postingKey);
      if (code !== undefined) throw new RefusalError(refuse(code));
      return create(PostResponseSchema, { postedAtMs: 1n });
    },
  };
}

/** What an intent of money in does to the balances. */
function changeOf({ intent, side, amountSen = 0n, feeSen = 0n, fromSuspense = false, compensation }: Posting): Change {
  const none = { pending: 0n, available: 0n, suspense: fromSuspense ? -amountSen - feeSen : 0n };
  const isPending = side === Side.PENDING;
  if (side === Side.SUSPENSE) return { ...none, suspense: intent === Intent.CREDIT ? amountSen : -amountSen };
  switch (intent) {
    case Intent.CREDIT:
      return isPending ? { ...none, pending: amountSen } : { ...none, available: amountSen };
    case Intent.SETTLE:
      return { ...none, pending: -amountSen, available: amountSen };
    case Intent.REFUND:
      return isPending ? { ...none, pending: -amountSen, available: -feeSen } : { ...none, available: -amountSen - feeSen };
    case Intent.COMPENSATE:
      if (compensation !== Compensation.PAYMENT_WITHDRAWN) throw new Error(`money in compensates no ${compensation}`);
      return isPending ? { ...none, pending: -amountSen } : { ...none, available: -amountSen };
    default:
      throw new Error(`money in posts no ${intent}`);
  }
}
