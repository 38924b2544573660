import type { CallOptions, NotFoundOutcome, RefusedOutcome, UnknownOutcome } from '../rail-call.ts';
import type { CardData } from './card-data.ts';
import type { ChargebackInquiry } from './chargeback.ts';

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

/** A hidden field of a form. */
export type FormField = { name: string; value: string };

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
  /** The issuer wants the customer to be authenticated at this address; where there are fields, the browser has to post them there. */
  | { outcome: 'challenge'; url: string; fields?: readonly FormField[] }
  /** The acquirer has it, and does not know the issuer's answer yet. */
  | { outcome: 'pending' }
  | RefusedOutcome;

export type AuthorisationResult = AuthorisationState | UnknownOutcome;
export type InquiryResult = AuthorisationState | NotFoundOutcome | UnknownOutcome;
export type DoneResult = { outcome: 'done' } | RefusedOutcome | UnknownOutcome;

/**
 * A call that may have been made before. `tries`: how often without an outcome, as far as we know; none is the first time. Protocols
 * that have a word for a repetition use it.
 */
export type Repeatable = { tries?: number };

/** A payment that the acquirer has authorised. One without inquiries also wants to hear what it has answered. */
export type AuthorisedPayment = Repeatable & { reference: string; amountSen: string; approvalCode?: string };

/**
 * An acquirer of cards. Only `authorise` has the card: that call can not be made again, and what has become of it is told by
 * `resolve`. All other calls are idempotent by their references. Nothing here throws.
 */
export type CardRail = {
  authorise(request: AuthorisationRequest, card: CardData, options: CallOptions): Promise<AuthorisationResult>;
  /**
   * Ends the doubt about an authorisation without an outcome. An acquirer that answers inquiries says how it stands. From any other
   * it is taken back, so that no charge stands: `voided`. `not_found`: it may still be on its way.
   */
  resolve(request: Repeatable & { reference: string; amountSen: string }, options: CallOptions): Promise<InquiryResult>;
  /** Takes the authorised amount. */
  capture(request: AuthorisedPayment, options: CallOptions): Promise<DoneResult>;
  /** Gives up an authorisation that was not captured, also one whose customer is still being authenticated. */
  void(request: AuthorisedPayment, options: CallOptions): Promise<DoneResult>;
  /** Gives back what was captured. `refundReference` is ours, and tells a repetition from another refund. */
  refund(
    request: Repeatable & { reference: string; refundReference: string; amountSen: string },
    options: CallOptions,
  ): Promise<DoneResult>;
  /** How a payment stands, without changing it. Undefined where the acquirer answers no inquiries, as by ISO 8583:1987. */
  inquire: Inquire | undefined;
  /** Absent where the acquirer can't be asked for its chargebacks: what it reports is believed then, since it is signed. */
  inquireChargeback?(request: { caseId: string }, options: CallOptions): Promise<ChargebackInquiry>;
  close(): Promise<void>;
};

export type Inquire = (request: { reference: string }, options: CallOptions) => Promise<InquiryResult>;
