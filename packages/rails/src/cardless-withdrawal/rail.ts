import type { CallOptions, NotFoundOutcome, UnknownOutcome } from '../rail-call.ts';

/**
 * The port to a bank whose machines give cash for a code. SNAP has no such service (44 runs the other way), so the
 * rail is of our own shape, signed as SNAP's calls are. The bank alone decides whether a code was drawn, expired or was canceled
 * first, by its own time. Nothing throws for what the bank or the network does, and `signal` ends every wait.
 */
export type CardlessRail = {
  /**
   * Asks for a code. May be repeated without limit of time: the same reference is the same withdrawal, and its code the same.
   * `firstSend`: this request has never been sent before. Only then is a rejection of its form (400) final.
   */
  createCode(request: CardlessRequest, options: CallOptions & { firstSend?: boolean }): Promise<CardlessState>;
  /** How a withdrawal stands. Not found is not failed: the request may still be on its way. */
  inquire(withdrawal: CardlessName, options: CallOptions): Promise<CardlessState | NotFoundOutcome>;
  /**
   * From then on the code gives no cash. Gives how the withdrawal stands after it: canceled, or what came first. A bank may
   * cancel a reference that it does not know, and then refuses to make a code for it; one that does not answers `not_found`. May
   * be repeated.
   */
  cancel(withdrawal: CardlessName, options: CallOptions): Promise<CardlessState | NotFoundOutcome>;
  close(): Promise<void>;
};

export type CardlessName = {
  /** Unique for ever: Gerbang's transaction id. */
  partnerReference: string;
  /** Sen, as decimal digits: an answer about another amount is not believed. */
  amountSen: string;
};

/**
 * The exact request, as JSON-serializable values, so that it is persisted before the call and the same whenever it is sent again.
 */
export type CardlessRequest = CardlessName & {
  /** National code. */
  bankCode: string;
  phoneNumber: string;
  /** The merchant's own reference, which the bank keeps beside the withdrawal. */
  merchantReference: string;
  /** Gerbang's transaction id, which the bank keeps beside the code. */
  transactionId: string;
  /** Unix milliseconds of business time. */
  expiresAtMs: number;
};

/** `failed`: an explicit, final no. There is no code, nor will there be. */
export type CardlessState =
  | { outcome: 'active'; code: string }
  /** The bank has taken the request and has no code for it yet. */
  | { outcome: 'pending' }
  | { outcome: 'withdrawn'; railReference: string }
  | { outcome: 'canceled' }
  | { outcome: 'expired' }
  | { outcome: 'failed'; code: string; reason: string; phoneUnknown: boolean }
  | UnknownOutcome;
