import type { CardBrand } from '@gerbang/core';

/** What a merchant has ordered; never changes. Sen, Unix milliseconds of business time. Of the card only what may be shown. */
export type PaymentOrder = {
  /** "99" and a ULID; what the acquirer knows the payment by too. */
  id: string;
  merchantId: string;
  accountId: string;
  /** Of the merchant. */
  partition: string;
  merchantName: string;
  amountSen: bigint;
  /** First six digits, six stars, last four. */
  maskedCard: string;
  brand: CardBrand;
  cardHolderName: string;
  /** 1: in full, 2: in installments. */
  installment: number;
  installmentMonths: number;
  customer: Customer;
  merchantReffNo: string;
  redirectUrl: string;
  createdAtMs: number;
  /** Where it is a charge of a plan. */
  recurring?: Recurring;
  /** Where it pays a session of a payment link. */
  link?: LinkSession;
};

/** By their references. A customer who was not authenticated when the session ends is not waited for. */
export type LinkSession = { linkReffNo: string; sessionReffNo: string; expiresAtMs: number };

/** `merchant`: without the customer, by a card that was kept. `networkTransactionId`: of the charge that the customer has agreed to. */
export type Recurring = { planId: string; cycle: number; initiatedBy: 'customer' | 'merchant'; networkTransactionId: string };

/** A hidden field of the form that the customer's browser posts to the issuer. */
export type FormField = { name: string; value: string };

export type Customer = { name: string; email: string; phone: string };

/**
 * A payment by card. created → authorising → (challenging → authorising →) authorised → capturing → crediting → captured →
 * settling → settled; failed from the first three. Cancelled before its capture: voiding → cancelled. After it: reserving →
 * refunding → refunded, or returning and back. `releasing`: it has failed here, and the acquirer has authorised it all the same, so
 * it is voided there. `withdrawing`, `withdrawn`: the acquirer has taken a captured payment back by itself; `contested` until
 * operators decide where the account has too little, `written-off` where they let suspense bear it.
 */
export type PaymentState =
  /** Nothing has gone to the acquirer. */
  | { status: 'created' }
  /** It has gone to the acquirer once, and never will again. */
  | { status: 'authorising'; sentAtMs: number; asked: Asked }
  | { status: 'challenging'; sentAtMs: number; url: string; fields?: readonly FormField[]; expiresAtMs: number; asked: Asked }
  | ({ status: 'authorised'; refused: RefusedCancel | undefined } & Authorised)
  | ({ status: 'capturing' | 'voiding'; asked: Asked } & Authorised)
  | ({ status: 'cancelled'; endedAtMs: number } & Authorised)
  /** The acquirer has captured it; the ledger is yet to credit it. */
  | ({ status: 'crediting' } & Captured)
  | ({ status: 'captured' | 'settled'; refused: RefusedCancel | undefined } & Captured)
  | ({ status: 'settling' } & Captured)
  /** The ledger is yet to give the refund to the rail. */
  | ({ status: 'reserving'; refund: Refund } & Captured)
  | ({ status: 'refunding'; refund: Refund; asked: Asked } & Captured)
  /** The acquirer has refused it; the ledger is yet to take it back. */
  | ({ status: 'returning'; refund: Refund; reason: string } & Captured)
  | ({ status: 'refunded'; refund: Refund; endedAtMs: number } & Captured)
  | { status: 'failed'; code: string; reason: string; endedAtMs: number }
  | { status: 'releasing'; code: string; reason: string; endedAtMs: number; asked: Asked }
  /** The ledger is yet to take it from the account, or from suspense where operators have written it off. */
  | ({ status: 'withdrawing'; reason: string; withdrawal: Withdrawal } & Captured)
  | ({ status: 'withdrawn' | 'contested' | 'written-off'; reason: string; endedAtMs: number; withdrawal: Withdrawal } & Captured);

/** How often the acquirer was asked without an outcome, and what for. */
export type Asked = { tries: number; waitingFor: string };

export type Authorised = { authorisation: Authorisation };
export type Authorisation = {
  acquirerReference: string;
  approvalCode: string;
  authorisedAtMs: number;
  captureAtMs: number;
  /** What the card network knows it by; empty where the acquirer does not say. */
  networkTransactionId: string;
  fees: FeeBreakdown;
};

/** amount = fee + net, fee = vendor fee + our margin; sen. `basisPoints`: the MDR, hundredths of a percent. */
export type FeeBreakdown = { feeSen: bigint; netSen: bigint; vendorFeeSen: bigint; basisPoints: number };

export type Captured = Authorised & { capture: Capture };
export type Capture = {
  capturedAtMs: number;
  settleAtMs: number;
  settledAtMs: number | undefined;
  refundAttempts: number;
  /** Attempts to take it from the account that operators have dismissed; none: 0. */
  withdrawalAttempts?: number;
  /** Absent where there are none. */
  disputes?: readonly Dispute[];
};

/** What a chargeback, by its id, claims of the payment: one that is open, or was lost. Together they are at most the amount. */
export type Dispute = { id: string; sen: bigint };

/** `attempt` is part of its keys and references, since ledger and acquirer answer the same attempt the same for ever. */
export type Refund = { attempt: number; fromPendingSen: bigint; fromAvailableSen: bigint };

/**
 * `attempt` is part of its key, since the ledger refuses the same attempt for ever. `said`: what the acquirer says that has become of
 * it; only a refund is a movement in its books.
 */
export type Withdrawal = { attempt: number; takenFrom: 'account' | 'suspense'; said: TakenBack };
export type TakenBack = 'failed' | 'voided' | 'refunded';

/** Why the last cancel was refused. */
export type RefusedCancel = { attempt: number; because: 'short-balance' | 'acquirer'; reason: string };

export type PaymentCommand =
  | { type: 'send' }
  /** The process that had the card has died before it was sent. */
  | { type: 'give-up' }
  /** It looks like card testing, and is not sent. */
  | { type: 'refuse' }
  | { type: 'wait'; waitingFor: string }
  /** The acquirer was not asked this time. */
  | { type: 'hold'; waitingFor: string }
  /** `pending`: the customer was authenticated, or need not be. */
  | { type: 'pending' }
  | { type: 'challenge'; url: string; fields?: readonly FormField[]; expiresAtMs: number }
  | { type: 'authorise'; authorisation: Authorisation }
  | { type: 'fail'; code: string; reason: string }
  | { type: 'begin-capture' }
  | { type: 'captured'; settleAtMs: number }
  /** The ledger has credited it. */
  | { type: 'credited' }
  | { type: 'begin-settling' }
  | { type: 'settled'; atMs: number }
  | { type: 'cancel'; voidMs: number; refunds: boolean }
  | { type: 'voided' }
  | { type: 'void-refused'; reason: string }
  /** The ledger has given the refund to the rail, or refuses to. */
  | { type: 'reserved' }
  | { type: 'reserve-refused' }
  | { type: 'refund-done' }
  | { type: 'refund-refused'; reason: string }
  | { type: 'returned' }
  /** The acquirer has ended what it had authorised, before it was captured. */
  | { type: 'lose'; code: string; reason: string }
  /** The acquirer has authorised what has failed here, and has given it up again. */
  | { type: 'late-authorised' }
  | { type: 'released' }
  /** The acquirer has taken back what it had captured. */
  | { type: 'withdraw'; said: TakenBack; reason: string }
  | { type: 'withdrawn' }
  | { type: 'contest' }
  /** Operators know how it stands at the acquirer, which has not told since `sinceMs`. `then`: as if the acquirer had told. */
  | { type: 'resolve'; outcome: Outcome; sinceMs: number; then: PaymentCommand; decision: Decision }
  /** The acquirer was asked about what operators have decided. */
  | { type: 'watch' }
  | { type: 'decide-contested'; choice: ContestedChoice; decision: Decision }
  /** A chargeback claims what still stands of it, up to this amount; one that is won gives it up. */
  | { type: 'dispute'; id: string; amountSen: bigint }
  | { type: 'end-dispute'; id: string };

/** How a payment stands at the acquirer, as operators have found out. */
export type Outcome = 'failed' | 'authorised' | 'captured' | 'voided' | 'refunded';

/** What operators decide of a contested payment: the account gives the money, suspense does, or the payment stands. */
export type ContestedChoice = 'withdraw' | 'write-off' | 'dismiss';

/** What two operators have decided, and how they know. */
export type Decision = { outcome: Outcome | ContestedChoice; evidence: string; proposer: string; approver: string };

/** What a merchant hears of. */
export type Published =
  | 'card-transaction.succeeded'
  | 'card-transaction.failed'
  | 'card-transaction.cancelled'
  | 'card-transaction.refunded';

/** `decision`: operators have made this change. */
export type PaymentEvent = { type: 'changed'; state: PaymentState; published: Published | undefined; decision?: Decision };

export function isAuthorised(state: PaymentState): state is Extract<PaymentState, Authorised> {
  return 'authorisation' in state;
}

export function isCaptured(state: PaymentState): state is Extract<PaymentState, Captured> {
  return 'capture' in state;
}

export const NEVER_ASKED: Asked = { tries: 0, waitingFor: '' };

/** The event of a change; `outcome` is what the merchant is notified of. */
export function to(state: PaymentState, outcome?: 'succeeded' | 'failed' | 'cancelled' | 'refunded'): PaymentEvent[] {
  return [{ type: 'changed', state, published: outcome && `card-transaction.${outcome}` }];
}
