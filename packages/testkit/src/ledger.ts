import { create } from '@bufbuild/protobuf';
import { type RefusalCode, RefusalError, refuse, refuseField } from '@gerbang/core';
import { Compensation, Intent, PostResponseSchema, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';

type Posting = {
  postingKey?: string;
  intent?: Intent;
  side?: Side;
  amountSen?: bigint;
  feeSen?: bigint;
  vendorFeeSen?: bigint;
  fromSuspense?: boolean;
  compensation?: Compensation;
};
/** Sen. `owed`: what available was short of when chargebacks were reserved. `lost`, `fees`: what lost ones have cost. */
type Books = Record<'pending' | 'available' | 'suspense' | 'reserve' | 'owed' | 'lost' | 'fees', bigint>;
type Change = Partial<Books>;

export type ContractLedger = ReturnType<typeof newLedger>;

/**
 * The ledger of money in as its contract has it (ledger.proto): once per posting key for ever, refusals too; another content under a
 * key is a conflict, and amounts that no posting may have are refused as invalid. `balance`: of all accounts together. `suspense`: of the rail. `disputed`: chargebacks. `posted`: amounts by
 * key, refusals left out.
 */
export function newLedger() {
  const contents = new Map<string, string>();
  const refused = new Map<string, RefusalCode>();
  const posted = new Map<string, bigint>();
  const balance = { pending: 0n, available: 0n };
  const suspense = { sen: 0n };
  const disputed = { reserve: 0n, owed: 0n, lost: 0n, fees: 0n };
  const book = (key: string, request: Posting) => {
    const change = changeOf(request, { ...balance, ...disputed });
    const after = { pending: balance.pending + (change.pending ?? 0n), available: balance.available + (change.available ?? 0n) };
    if (after.available < 0n || after.pending < 0n) return refused.set(key, 'insufficient_balance');
    Object.assign(balance, after);
    suspense.sen += change.suspense ?? 0n;
    for (const name of ['reserve', 'owed', 'lost', 'fees'] as const) disputed[name] += change[name] ?? 0n;
    if (disputed.reserve < 0n) throw new Error('more is taken from the reserve than is there');
    return posted.set(key, request.amountSen ?? 0n);
  };
  return {
    balance,
    suspense,
    disputed,
    posted,
    /** The booked keys without the transaction's id. */
    keys: () => [...posted.keys()].map((key) => key.slice(key.indexOf(':') + 1)),
    post: async (request: Posting) => {
      readAmounts(request);
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

/** Intents that take a fee, or give it back. */
const OF_FEES: readonly (Intent | undefined)[] = [Intent.CAPTURE, Intent.CREDIT, Intent.COMPENSATE, Intent.FORFEIT];

/** Refuses what the ledger refuses before it looks at the key, by the same rules. */
function readAmounts({ intent, side, compensation, amountSen = 0n, feeSen = 0n, vendorFeeSen = 0n }: Posting): void {
  const isOfSuspense = side === Side.SUSPENSE;
  const isOfPayment = intent === Intent.CREDIT || compensation === Compensation.PAYMENT_WITHDRAWN;
  const isAllFee = isOfPayment && amountSen === 0n && feeSen > 0n;
  if (amountSen <= 0n && !isAllFee) throw wrong('amount_sen', 'must be more than 0');
  if (feeSen < 0n) throw wrong('fee_sen', 'must be 0 or more');
  if (isOfSuspense && feeSen !== 0n) throw wrong('fee_sen', 'must be 0: nobody bears it');
  if (vendorFeeSen < 0n) throw wrong('vendor_fee_sen', 'must be 0 or more');
  if (vendorFeeSen > 0n && (!OF_FEES.includes(intent) || isOfSuspense))
    throw wrong('vendor_fee_sen', 'must be 0 where no fee is taken or given back');
}

function wrong(field: string, message: string): RefusalError {
  return new RefusalError(refuseField(field, message));
}

/** What an intent of money in does. */
function changeOf(posting: Posting, now: Pick<Books, 'available' | 'owed'>): Change {
  const { intent, side, amountSen = 0n, feeSen = 0n, compensation } = posting;
  const none: Change = posting.fromSuspense === true ? { suspense: -amountSen - feeSen } : {};
  const isPending = side === Side.PENDING;
  if (side === Side.SUSPENSE) return { suspense: intent === Intent.CREDIT ? amountSen : -amountSen };
  switch (intent) {
    case Intent.CREDIT:
      return isPending ? { ...none, pending: amountSen } : { ...none, available: amountSen };
    case Intent.SETTLE:
      return { ...none, pending: -amountSen, ...repaying(amountSen, now) };
    case Intent.REFUND:
      return isPending ? { ...none, pending: -amountSen, available: -feeSen } : { ...none, available: -amountSen - feeSen };
    case Intent.COMPENSATE:
      if (compensation !== Compensation.PAYMENT_WITHDRAWN) throw new Error(`money in compensates no ${compensation}`);
      return isPending ? { ...none, pending: -amountSen } : { ...none, available: -amountSen };
    case Intent.RESERVE:
      return reserving(amountSen + feeSen, now);
    case Intent.RESTORE:
      return { reserve: -amountSen - feeSen, ...repaying(amountSen + feeSen, now) };
    case Intent.FORFEIT:
      return { reserve: -amountSen - feeSen, lost: amountSen, fees: feeSen };
    default:
      throw new Error(`money in posts no ${intent}`);
  }
}

/** What comes to available repays first what is owed. */
function repaying(sen: bigint, { owed }: Pick<Books, 'owed'>): Change {
  const repaidSen = sen < owed ? sen : owed;
  return { owed: -repaidSen, available: sen - repaidSen };
}

function reserving(sen: bigint, { available }: Pick<Books, 'available'>): Change {
  const takenSen = available < sen ? available : sen;
  return { available: -takenSen, owed: sen - takenSen, reserve: sen };
}
