import type { CallOptions, UnknownOutcome } from '../rail-call.ts';

/**
 * The port to an aggregator of billers that sells prepaid products: electricity tokens, mobile credit. SNAP has no such service,
 * so the rail is of our own shape, signed as SNAP's calls are. Nothing throws for what the rail or the network does, and `signal`
 * ends every wait.
 */
export type PrepaidRail = {
  /** Whose number it is. It moves nothing. */
  inquire(question: PrepaidQuestion, options: CallOptions): Promise<PrepaidInquiryResult>;
  /**
   * Buys, once per reference without limit of time: the same request again is answered with what has become of the first one.
   * `firstSend`: this request was never sent before. Only then is a refusal final that does not name the purchase: after an
   * unanswered send it may be about the repetition alone.
   */
  purchase(request: PrepaidRequest, options: CallOptions & { firstSend: boolean }): Promise<PrepaidPurchaseResult>;
  close(): Promise<void>;
};

export type PrepaidQuestion = {
  /** Unique for ever; the purchase has the same. */
  partnerReference: string;
  /** The rail's code of the product. */
  railCode: string;
  customerNumber: string;
};

/** The exact request, as JSON-serializable values, so that it is persisted before the call and the same whenever it is sent. */
export type PrepaidRequest = PrepaidQuestion & {
  /** Gerbang's transaction id, which the rail keeps beside the purchase. */
  transactionId: string;
  /** What the customer gets, sen as decimal digits. */
  amountSen: string;
  /** A success has to bring a token. */
  givesToken: boolean;
};

/** `unavailable`: the rail does not sell this product now, for instance in the nightly cut-off or where one biller is down. */
export type PrepaidInquiryResult =
  | { outcome: 'found'; customerName: string }
  | { outcome: 'customer_unknown' }
  | { outcome: 'customer_blocked' }
  | { outcome: 'unavailable'; reason: string }
  | UnknownOutcome;

/** `failed`: an explicit, final no. `token` is of 20 digits; undefined where the product gives none. */
export type PrepaidPurchaseResult =
  | { outcome: 'succeeded'; railReference: string; serialNumber: string; token: string | undefined }
  | { outcome: 'pending' }
  | { outcome: 'failed'; code: string; reason: string; isDepositShort: boolean }
  | UnknownOutcome;
