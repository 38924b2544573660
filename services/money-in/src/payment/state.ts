import type { Mismatch } from '../payment-request/payment-request.ts';

/**
 * A payment that a rail has reported, as a pure decider. One that fits: received → accepted → paid → settled. One that does not:
 * refused where the rail has only asked; else suspending → suspended, and there an operator decides: crediting → credited, or
 * refunding → refunded. What an operator credits goes on as a payment of its own. One that the rail reverses after it was paid:
 * reversing → reversed, or contested where the account can't give it back, until an operator decides. One that the rail has
 * reversed before it reported it is withdrawn.
 */
export type PaymentState =
  | { status: 'received' }
  /** It has taken a use of its payment request, and its fee breakdown stands; the ledger is yet to credit it. */
  | { status: 'accepted'; fees: FeeBreakdown }
  | { status: 'paid'; fees: FeeBreakdown }
  | { status: 'settled'; fees: FeeBreakdown; settledAtMs: number }
  | { status: 'refused'; reason: Reason }
  /** The ledger is yet to take it into suspense. */
  | { status: 'suspending'; reason: Reason }
  | { status: 'suspended'; reason: Reason }
  | { status: 'crediting' | 'credited'; reason: Reason; target: Target; fees: FeeBreakdown }
  | { status: 'refunding' | 'refunded'; reason: Reason }
  /** The ledger is yet to take it back. */
  | { status: 'reversing'; fees: FeeBreakdown; reversal: Reversal; settledAtMs: number | undefined }
  | { status: 'reversed'; fees: FeeBreakdown; reversal: Reversal; settledAtMs: number | undefined }
  /** The rail has reversed it, and an operator decides what that means for the account. */
  | { status: 'contested'; fees: FeeBreakdown; reversal: Reversal; problem: Problem; settledAtMs: number | undefined }
  /** The rail has reported its reversal, and never that it was paid: nothing is booked. */
  | { status: 'withdrawn'; report: Report };

/**
 * Why money fits nothing. `withdrawn`: the rail had reported its reversal first. `unbelievable-time`: the rail's time of the
 * payment cannot be true.
 */
export type Reason = Mismatch | 'unknown' | 'withdrawn' | 'unbelievable-time';

/** The fees of a payment, sen; fixed when it is accepted (contract §5). amount = fee + net, fee = vendor fee + our margin. */
export type FeeBreakdown = {
  amountSen: bigint;
  feeSen: bigint;
  netSen: bigint;
  vendorFeeSen: bigint;
  ourMarginSen: bigint;
  basisPoints: number;
  settleAtMs: number;
};

/** Whose account an operator credits. */
export type Target = { merchantId: string; accountId: string; partition: string };

export type PaymentCommand =
  /** It fits, and has a use of its payment request. */
  | { type: 'accept'; fees: FeeBreakdown }
  /** It fits nothing. `taken`: the rail has the money already. */
  | { type: 'reject'; reason: Reason; taken: boolean }
  /** The ledger has credited it. */
  | { type: 'pay' }
  /** The ledger has it in suspense. */
  | { type: 'suspend' }
  /** The ledger has settled it. */
  | { type: 'settle' }
  | { type: 'credit'; target: Target; fees: FeeBreakdown }
  | { type: 'finish-credit' }
  | { type: 'refund' }
  | { type: 'finish-refund' }
  /** The rail has reversed it; `isWhole`: all of it. */
  | { type: 'reverse'; report: Report; isWhole: boolean }
  /** The ledger has taken it back. */
  | { type: 'finish-reversal' }
  /** The ledger can't take it back. */
  | { type: 'contest'; problem: Problem }
  /** An operator takes it from the account after all, or from suspense; or the rail was wrong. */
  | { type: 'withdraw'; from: Reversal['takenFrom'] }
  | { type: 'dismiss' }
  /** The rail reports it as paid, after it has reported its reversal. */
  | { type: 'receive'; paidAtMs: number };

export type PaymentEvent =
  | { type: 'accepted'; fees: FeeBreakdown }
  | { type: 'refused' | 'suspending'; reason: Reason }
  | { type: 'paid' | 'suspended' | 'credited' | 'refunding' | 'refunded' }
  | { type: 'settled'; settledAtMs: number }
  | { type: 'crediting'; target: Target; fees: FeeBreakdown }
  | { type: 'reversing'; reversal: Reversal }
  | { type: 'contested'; reversal: Reversal; problem: Problem }
  | { type: 'reversed' | 'dismissed' | 'received' }
  | { type: 'withdrawn'; report: Report };

/**
 * What a rail reports of a payment that it has reversed. A refund says that it was paid before; a failure may be of an attempt
 * that another one follows.
 */
export type Report = { kind: 'refunded' | 'canceled' | 'failed'; reportedAtMs: number };

/**
 * How a payment is reversed: who gives the money, and which attempt it is, since the ledger answers the same attempt the same for
 * ever.
 */
export type Reversal = Report & { takenFrom: 'account' | 'suspense'; attempt: number };

/**
 * Why a reversal is for an operator: the account has too little; the rail has reversed another amount; nothing of the payment was
 * ever credited.
 */
export type Problem = 'short-balance' | 'other-amount' | 'nothing-credited';
