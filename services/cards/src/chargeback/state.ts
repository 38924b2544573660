/** What an acquirer has opened; never changes. Sen, Unix milliseconds of business time. */
export type ChargebackOrder = {
  /** A ULID made from the case, so that a repeated report finds it. */
  id: string;
  /** Merchant, account, partition and reference of the merchant are empty where the payment is unknown. */
  merchantId: string;
  accountId: string;
  partition: string;
  merchantReffNo: string;
  /** What the acquirer calls the payment: its id, where it is known. */
  reference: string;
  /** The acquirer's. */
  caseId: string;
  stage: Stage;
  amountSen: bigint;
  /** Of the card network; text of strangers. */
  reasonCode: string;
  reason: string;
  /** Until when the merchant's evidence has to be there. */
  respondByMs: number | undefined;
  createdAtMs: number;
};

/** A pre-arbitration of a case is a chargeback of its own. */
export type Stage = 'chargeback' | 'pre-arbitration';

/** What was taken from the account: of the amount what stood of the payment, and our fee. */
export type Reserve = { reservedSen: bigint; feeSen: bigint };

export const NO_RESERVE: Reserve = { reservedSen: 0n, feeSen: 0n };

/**
 * opened → reserving → reserved → restoring → won, or forfeiting → lost. `unmatched`: the payment is unknown; it goes to
 * restoring or forfeiting at once.
 */
export type ChargebackState =
  | { status: 'unmatched' }
  /** What stands of the payment is yet to be claimed; it waits while the payment's own money is on its way. */
  | { status: 'opened'; tries: number; waitingFor: string }
  /** The ledger is yet to move it: to the reserve, back to the account, or to the acquirer. */
  | { status: 'reserving' | 'restoring' | 'forfeiting'; reserve: Reserve }
  | { status: 'reserved'; reserve: Reserve }
  | { status: 'won' | 'lost'; reserve: Reserve; endedAtMs: number };

export type Outcome = 'won' | 'lost';

export type ChargebackCommand =
  | { type: 'wait'; waitingFor: string }
  | { type: 'claim'; reserve: Reserve }
  /** The ledger has moved it. */
  | { type: 'reserved' }
  | { type: 'end'; outcome: Outcome }
  | { type: 'ended' };

/** What a merchant hears of. */
export type ChargebackPublished = 'card-chargeback.opened' | 'card-chargeback.won' | 'card-chargeback.lost';

export type ChargebackEvent = { type: 'changed'; state: ChargebackState; published: ChargebackPublished | undefined };

/** A chargeback as it begins. */
export function beginChargeback({ merchantId }: ChargebackOrder): ChargebackState {
  return merchantId === '' ? { status: 'unmatched' } : { status: 'opened', tries: 0, waitingFor: '' };
}

export function reserveOf(state: ChargebackState): Reserve {
  return 'reserve' in state ? state.reserve : NO_RESERVE;
}
