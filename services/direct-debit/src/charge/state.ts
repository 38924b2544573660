import type { Otp } from '../otp/otp.ts';

/** What a merchant has ordered; never changes. Sen, Unix milliseconds of business time. */
export type ChargeOrder = {
  /** UUID, the same whenever it is made again for an account and a reference. */
  id: string;
  merchantId: string;
  accountId: string;
  /** Of the merchant. */
  partition: string;
  bindingId: string;
  bankCode: string;
  customerId: string;
  referenceNumber: string;
  amountSen: bigint;
  description: string;
  /** SHA-256 of the validated content: what makes two orders under one reference the same one. */
  contentHash: string;
  /** The exact request to the bank, without secrets, as JSON. */
  request: string;
  /** By our limit; or the bank has asked for one, which is the one thing here that changes. */
  requiresOtp: boolean;
  createdAtMs: number;
};

/**
 * A charge: created → (awaiting-otp →) sending → crediting → paid → settling → settled; failed from any of them before the bank
 * has taken it, expired where its OTP was not given in time.
 */
export type ChargeState =
  | { status: 'created' }
  | { status: 'awaiting-otp'; otp: Otp }
  /** `sends`: how often the request has gone to the bank, counted before it goes; 0: the bank has nothing of it. */
  | {
      status: 'sending';
      chargeToken: string | undefined;
      sends: number;
      inquiries: number;
      waitingFor: string;
      proposal: Proposal | undefined;
    }
  /** The bank has charged the customer; the ledger is yet to credit it. */
  | ({ status: 'crediting' } & Charged)
  | ({ status: 'paid' } & Charged)
  /** The ledger is yet to settle so much. */
  | ({ status: 'settling'; settleSen: bigint } & Charged)
  | ({ status: 'settled'; settledAtMs: number } & Charged)
  | { status: 'failed'; code: string; reason: string; endedAtMs: number }
  | { status: 'expired'; endedAtMs: number };

export type Charged = { railReference: string; chargedAtMs: number; fees: FeeBreakdown; refunds: readonly Refund[] };

/** amount = fee + net, fee = vendor fee + our margin; sen. */
export type FeeBreakdown = { feeSen: bigint; netSen: bigint; vendorFeeSen: bigint; settleAtMs: number };

/**
 * A refund: reserving → sending → succeeded, or returning → failed. The ledger gives its money to the rail before the bank is
 * asked, and takes it back where the bank refuses.
 */
export type Refund = {
  /** UUID. */
  id: string;
  referenceNumber: string;
  contentHash: string;
  amountSen: bigint;
  /** Parts of the amount: what was in pending, and what was available. */
  fromPendingSen: bigint;
  fromAvailableSen: bigint;
  /** The exact request to the bank, as JSON. */
  request: string;
  createdAtMs: number;
  stage: RefundStage;
};

export type RefundStage =
  | { status: 'reserving' }
  | {
      status: 'sending';
      sends: number;
      inquiries: number;
      waitingFor: string;
      dueAtMs: number;
      proposal: Proposal | undefined;
    }
  | { status: 'succeeded'; railReference: string; endedAtMs: number }
  /** `toPending`: the charge has not settled, so what was in pending goes back there. */
  | { status: 'returning'; toPending: boolean; code: string; reason: string }
  | { status: 'failed'; toPending: boolean; code: string; reason: string; endedAtMs: number };

/** What one operator proposes as the outcome that the bank does not tell; another one has to agree. `operator`: the id. */
export type Proposal = { operator: string; outcome: Resolution; proposedAtMs: number };
export type Resolution = 'succeeded' | 'failed';

export type ChargeCommand =
  | { type: 'ask-otp' }
  | { type: 'resend-otp' }
  | { type: 'otp-sent'; chargeToken: string }
  /** Before the bank is asked about an OTP. */
  | { type: 'count-attempt' }
  | { type: 'otp-wrong' }
  | { type: 'otp-accepted' }
  | { type: 'expire' }
  /** Before the request goes to the bank, for the first time or again after so many sends. */
  | { type: 'send'; after: number }
  /** The bank has refused to look at the send, so it has nothing of it. */
  | { type: 'take-back'; send: number; waitingFor: string }
  | { type: 'wait'; waitingFor: string }
  /** The bank has refused it. `send`: by the answer to that send; undefined: by an inquiry. */
  | { type: 'fail'; code: string; reason: string; send: number | undefined }
  | { type: 'charged'; railReference: string; chargedAtMs: number; fees: FeeBreakdown }
  /** The ledger has credited it. */
  | { type: 'pay' }
  | { type: 'begin-settling' }
  /** The ledger has settled it. */
  | { type: 'settle'; atMs: number }
  | { type: 'refund'; refund: NewRefund }
  /** The ledger refuses the reservation. */
  | { type: 'drop-refund'; id: string }
  | { type: 'send-refund'; id: string; after: number }
  | { type: 'refund-wait'; id: string; waitingFor: string }
  | { type: 'refund-succeeded'; id: string; railReference: string }
  | { type: 'refund-refused'; id: string; code: string; reason: string; send: number | undefined }
  /** The ledger has taken it back. */
  | { type: 'refund-returned'; id: string }
  /** An operator proposes an outcome. `refundId`: of that refund, else of the charge. */
  | { type: 'propose'; refundId: string | undefined; proposal: Proposal; orderedAtMs: number }
  /** Another one agrees. `decided`: the command that the bank's answer would have been. */
  | { type: 'approve'; refundId: string | undefined; proposal: Proposal; orderedAtMs: number; decided: OutcomeCommand };

/** What says how a charge or a refund has come out. */
export type OutcomeCommand = Extract<ChargeCommand, { type: 'charged' | 'fail' | 'refund-succeeded' | 'refund-refused' }>;

export type NewRefund = Pick<Refund, 'id' | 'referenceNumber' | 'contentHash' | 'request'> & { amountSen: bigint };

export type ChargeEvent = { type: 'changed'; state: ChargeState; published: PublishedCharge | undefined };

/** What a merchant hears of. */
export type PublishedCharge =
  | { event: 'charge.succeeded' | 'charge.failed' }
  | { event: 'refund.succeeded' | 'refund.failed'; refundId: string };

/** The bank has taken the money. */
export type ChargedState = Extract<ChargeState, Charged>;

export function isCharged(state: ChargeState): state is ChargedState {
  return 'refunds' in state;
}

/** What of the charge has been given back, or may be yet. */
export function refundedSen({ refunds }: Charged): bigint {
  return refunds.reduce((sum, { amountSen, stage }) => (isGivenBack(stage) ? sum + amountSen : sum), 0n);
}

/** What refunds have taken out of pending for good. */
export function outOfPendingSen({ refunds }: Charged): bigint {
  return refunds.reduce((sum, { fromPendingSen, stage }) => (isOutOfPending(stage) ? sum + fromPendingSen : sum), 0n);
}

function isGivenBack({ status }: RefundStage): boolean {
  return status === 'reserving' || status === 'sending' || status === 'succeeded';
}

function isOutOfPending(stage: RefundStage): boolean {
  return isGivenBack(stage) || !('toPending' in stage && stage.toPending);
}
