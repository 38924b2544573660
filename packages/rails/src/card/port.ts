import type { CallOptions, NotFoundOutcome, RefusedOutcome, UnknownOutcome } from '../rail-call.ts';
import type { CardData } from './card-data.ts';

/**
 * What an acquirer is asked to authorise, without the card. `reference` is ours: the acquirer authorises it once, however often it
 * is sent. 1 month: paid at once.
 */
export type AuthorisationRequest = {
  reference: string;
  /** Whole number of sen. */
  amountSen: string;
  installmentMonths: number;
  merchantReference: string;
  merchantName: string;
  /** Where the customer comes back to after 3DS. */
  returnUrl: string;
  /** A charge without its customer, of a card that was kept: it has no security code, and no issuer authenticates anyone. */
  initiated?: 'merchant';
  /** The network's id of the charge by which the customer has agreed to such charges, where there is one. */
  networkTransactionId?: string;
};

/** How an authorisation stands at the acquirer. `code` and `reason` of a decline are the acquirer's, and may be shown. */
export type AuthorisationState =
  | {
      outcome: 'authorised';
      acquirerReference: string;
      approvalCode: string;
      authorisedAtMs: number | undefined;
      /** What the network knows it by; later charges of the same card refer to it. */
      networkTransactionId?: string;
    }
  | { outcome: 'captured'; acquirerReference: string }
  | { outcome: 'voided' }
  | { outcome: 'refunded' }
  /** The issuer wants the customer to be authenticated at this address. */
  | { outcome: 'challenge'; url: string }
  /** The acquirer has it, and does not know the issuer's answer yet. */
  | { outcome: 'pending' }
  | RefusedOutcome;

export type AuthorisationResult = AuthorisationState | UnknownOutcome;
export type InquiryResult = AuthorisationState | NotFoundOutcome | UnknownOutcome;
export type DoneResult = { outcome: 'done' } | RefusedOutcome | UnknownOutcome;

/**
 * An acquirer of cards. Only `authorise` has the card: that call can not be made again, and its outcome is
 * inquired by our reference. All other calls are idempotent by their references. Nothing here throws.
 */
export type CardRail = {
  authorise(request: AuthorisationRequest, card: CardData, options: CallOptions): Promise<AuthorisationResult>;
  /** Takes the authorised amount. */
  capture(request: { reference: string; amountSen: string }, options: CallOptions): Promise<DoneResult>;
  /** Gives up an authorisation that was not captured, also one whose customer is still being authenticated. */
  void(request: { reference: string }, options: CallOptions): Promise<DoneResult>;
  /** Gives back what was captured. `refundReference` is ours, and tells a repetition from another refund. */
  refund(request: { reference: string; refundReference: string; amountSen: string }, options: CallOptions): Promise<DoneResult>;
  inquire(request: { reference: string }, options: CallOptions): Promise<InquiryResult>;
  close(): Promise<void>;
};
