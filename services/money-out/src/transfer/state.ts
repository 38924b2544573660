/**
 * How a transfer stands (architecture §5). The funds of a `created` transfer may be held or not, and its request may have been
 * sent or not: the ledger can still refuse the hold, and then the transfer vanishes. `sent` and `canceling` hold the funds until
 * the rail, or two operators, decide the outcome. The other states are ends; only a correction, which has its own posting, leads
 * from one end to another.
 */
export type TransferState = Created | Held | Ended;

export type Created = {
  status: 'created';
  /** The exact request, persisted before the rail is called, so that it is the same whenever it is sent again. */
  request: string;
};

/** The ledger holds the gross amount. */
export type Held = Sent | Canceling;
export type Sent = HeldFields & { status: 'sent' };
/** Gerbang wants it canceled; the rail has not answered yet. */
export type Canceling = HeldFields & { status: 'canceling'; cancelReason: CancelReason };

export type Ended = Succeeded | Released;
/**
 * The ledger has captured. `returned`: the rail has reported since that the money came back; the ledger does not know it yet.
 * `refund`: operators want it back, and the rail has not answered yet.
 */
export type Succeeded = EndedFields & {
  status: 'succeeded';
  balanceAfterSen: bigint;
  railReference: string;
  receipt: Receipt;
  returned: { reason: string } | undefined;
  refund: RefundRequest | undefined;
};

/** The merchant has the money. `paid`: the rail has reported since that it paid all the same; operators decide. */
export type Released = (Failed | Canceled | Refunded) & { paid: PaidReport | undefined };
export type Failed = EndedFields & { status: 'failed'; failure: Failure };
export type Canceled = EndedFields & { status: 'canceled'; cancelReason: CancelReason };
/** The rail has paid and the money came back. */
export type Refunded = EndedFields & { status: 'refunded'; balanceAfterSen: bigint; railReference: string; reason: string };

/** What is found out when the ledger accepts a transfer, and holds ever after. */
export type AcceptedFields = {
  /** The reference of an earlier order of the same payment (contract §6). */
  possibleDuplicateOf: string | undefined;
};

type HeldFields = AcceptedFields & {
  balanceAfterSen: bigint;
  request: string;
  /** How often the rail left the outcome open. */
  inquiries: number;
  /** Why the outcome is not known yet; empty before the first answer. */
  pendingReason: string;
  receipt: Receipt;
  /** When it went to the operators, business time. */
  unresolvedAtMs: number | undefined;
  proposal: Proposal | undefined;
};

type EndedFields = AcceptedFields & {
  /** When it came to this end, business time. */
  processedAtMs: number;
  /** Compensations that the ledger has booked or refused. The next one has the next number in its posting key. */
  compensations: number;
  proposal: Proposal | undefined;
};

/** What the rail gives for those who use the transfer, for instance a code to draw cash with. */
export type Receipt = Readonly<Record<string, string>>;

export type CancelReason = 'canceled' | 'expired';

/** `code` is the rail's, `reason` its words. */
export type Failure = { code: string; reason: string; cause: FailureCause };
export type FailureCause = 'recipient_unknown' | 'recipient_limit' | 'other';

/**
 * A rail's report that it has paid a transfer whose funds were released. `isApproved`: two operators agree, and the posting is
 * due.
 */
export type PaidReport = { railReference: string; reason: string; reportedAtMs: number; isApproved: boolean };

/** `reason`: why the rail has not answered yet, after so many attempts; empty before the first one. */
export type RefundRequest = { askedAtMs: number; attempts: number; reason: string };

/** What one operator proposes; another one has to agree. `operator`: the id. */
export type Proposal = { operator: string; outcome: Resolution; proposedAtMs: number };
/** What has happened at the rail, or what the rail is asked to do: not to pay any more, or to give the payment back. */
export type Resolution = 'succeeded' | 'failed' | 'cancel' | 'refund';

/** Whether only a correction can change the transfer. */
export function isEnded(state: TransferState): state is Ended {
  return state.status !== 'created' && !isHeld(state);
}

export function isHeld(state: TransferState): state is Held {
  return state.status === 'sent' || state.status === 'canceling';
}

/** The compensation that the ledger has to book: `number` makes its posting key. */
export type DueCompensation = { kind: 'returned' | 'paid'; number: number };

export function dueCompensation(state: TransferState): DueCompensation | undefined {
  if (!isEnded(state)) return undefined;
  const number = state.compensations + 1;
  if (state.status === 'succeeded') return state.returned && { kind: 'returned', number };
  return state.paid?.isApproved ? { kind: 'paid', number } : undefined;
}
