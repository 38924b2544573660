import { type Refusal, refuse } from '@gerbang/core';

/** Whose outcome it is; never changes. Sen, Unix milliseconds of business time. */
export type DiscrepancyOrder = {
  /** The charge's, or its refund's. */
  id: string;
  chargeId: string;
  /** Undefined for the charge itself. */
  refundId: string | undefined;
  merchantId: string;
  accountId: string;
  partition: string;
  referenceNumber: string;
  amountSen: bigint;
  createdAtMs: number;
};

/**
 * Whether the bank and Gerbang agree on the outcome of a charge or a refund. What operators have decided is watching, until the bank
 * agrees or says nothing for too long; what the bank tells otherwise is booking → open → moving → decided.
 */
export type DiscrepancyState =
  /** `inquiries`: how often the bank was asked and did not tell. */
  | { status: 'watching'; inquiries: number }
  | { status: 'closed'; reason: 'agreed' | 'unanswered'; endedAtMs: number }
  /** The ledger is yet to book it in suspense. */
  | ({ status: 'booking' } & Told)
  /** An operator decides. */
  | ({ status: 'open' } & Told)
  /** The ledger is yet to move the money as decided. */
  | ({ status: 'moving'; decision: Decision } & Told)
  | ({ status: 'decided'; decision: Decision; endedAtMs: number } & Told);

/** `refusals`: how often the account had too little; each try has a posting key of its own. */
type Told = { kind: Kind; toldAtMs: number; refusals: number };

/**
 * Surplus: the bank has taken a charge that has failed here, or has not given a refund that has succeeded here, so suspense has its
 * money. Shortfall: the opposite, and suspense lacks it.
 */
export type Kind = 'surplus' | 'shortfall';

/** Of a surplus: credit, refund. Of a shortfall: withdraw, bear. */
export type Choice = 'credit' | 'refund' | 'withdraw' | 'bear';
export type Decision = { choice: Choice; sums: Sums };

/** What the account gets or gives, sen; net + fee = amount where it has a part in it. */
export type Sums = { netSen: bigint; feeSen: bigint; vendorFeeSen: bigint };

export type DiscrepancyCommand =
  /** Operators are about to decide an outcome. */
  | { type: 'watch' }
  /** The bank was asked and does not tell. */
  | { type: 'wait' }
  | { type: 'agree' }
  /** The bank tells another outcome. */
  | { type: 'tell'; kind: Kind }
  /** The ledger has it in suspense. */
  | { type: 'book' }
  | { type: 'decide'; decision: Decision }
  /** The account had too little at this attempt. */
  | { type: 'refuse'; attempt: number }
  /** The ledger has moved it. */
  | { type: 'finish' };

export type DiscrepancyEvent = { type: 'changed'; state: DiscrepancyState };

/** Four times a day for a fortnight. */
export const ASK_EVERY_MS = 6 * 3_600_000;
const ASKS_MAX = 56;

const CHOICES: Readonly<Record<Kind, readonly Choice[]>> = { surplus: ['credit', 'refund'], shortfall: ['withdraw', 'bear'] };

/** Decides a command. An empty list: it has been done before, or what it is about is over. Refusals: bad_request. */
export function decideDiscrepancy(
  state: DiscrepancyState,
  command: DiscrepancyCommand,
  nowMs: number,
): DiscrepancyEvent[] | Refusal {
  const { status } = state;
  switch (command.type) {
    case 'watch':
      return status === 'closed' ? to({ status: 'watching', inquiries: 0 }) : [];
    case 'wait': {
      if (status !== 'watching') return [];
      const inquiries = state.inquiries + 1;
      return to(inquiries < ASKS_MAX ? { status, inquiries } : { status: 'closed', reason: 'unanswered', endedAtMs: nowMs });
    }
    case 'agree':
      return status === 'watching' ? to({ status: 'closed', reason: 'agreed', endedAtMs: nowMs }) : [];
    case 'tell':
      if (status !== 'watching' && status !== 'closed') return [];
      return to({ status: 'booking', kind: command.kind, toldAtMs: nowMs, refusals: 0 });
    case 'book':
      return status === 'booking' ? to({ ...state, status: 'open' }) : [];
    case 'decide':
      return choose(state, command.decision);
    case 'refuse': {
      // A replica that comes late says nothing of a later attempt.
      if (status !== 'moving' || command.attempt !== attemptOf(state)) return [];
      const { decision, ...told } = state;
      return to({ ...told, status: 'open', refusals: state.refusals + 1 });
    }
    case 'finish':
      return status === 'moving' ? to({ ...state, status: 'decided', endedAtMs: nowMs }) : [];
    default:
      return command satisfies never;
  }
}

/** Which attempt to move the money it is: the ledger answers the same attempt the same for ever. */
export function attemptOf({ refusals }: { refusals: number }): number {
  return refusals + 1;
}

function choose(state: DiscrepancyState, decision: Decision): DiscrepancyEvent[] | Refusal {
  if (state.status === 'moving' || state.status === 'decided')
    return state.decision.choice === decision.choice ? [] : wrong(`It is decided already: ${state.decision.choice}`);
  if (state.status !== 'open') return wrong('It does not wait for a decision');
  const choices = CHOICES[state.kind];
  if (!choices.includes(decision.choice)) return wrong(`A ${state.kind} can be decided as ${choices.join(' or ')}`);
  if (decision.choice === 'withdraw' && decision.sums.netSen === 0n) return wrong('The account has got nothing of it');
  return to({ ...state, status: 'moving', decision });
}

function to(state: DiscrepancyState): DiscrepancyEvent[] {
  return [{ type: 'changed', state }];
}

function wrong(message: string): Refusal {
  return refuse('bad_request', { message });
}
