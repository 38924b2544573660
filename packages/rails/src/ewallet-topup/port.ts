import type { CallOptions, FailedOutcome, NotFoundOutcome, ReturnedOutcome, UnknownOutcome } from '../rail-call.ts';
import type { EwalletTopupChannel } from './channels.ts';

/**
 * The port to the e-wallets, to whose customers money is sent (architecture §5). Only an explicit final answer is `succeeded` or
 * `failed`; everything else is `unknown`, and the caller inquires. Nothing here throws for what a wallet or the network does, and
 * `signal` ends every wait.
 */
export type EwalletTopupRail = {
  /** Whose wallet this is. Nothing is moved. */
  inquireWallet(wallet: Wallet, options: CallOptions): Promise<WalletInquiryResult>;
  /**
   * Sends the request; the wallet distinguishes the very same one, sent again on the same day. `firstSend`: it has never been sent
   * before. Only then is a refusal final: of an earlier send it would say nothing.
   */
  topUp(request: EwalletTopupRequest, options: CallOptions & { firstSend: boolean }): Promise<EwalletTopupResult>;
  /** How a top-up ended. */
  inquireTopup(request: EwalletTopupRequest, options: CallOptions): Promise<EwalletTopupInquiryResult>;
  close(): Promise<void>;
};

/** `phoneNumber`: country code and number, digits only (6281234567890). */
export type Wallet = { channel: EwalletTopupChannel; phoneNumber: string };

export type WalletInquiryResult =
  | { outcome: 'found'; name: string }
  /** There is no such wallet, or it takes no money. */
  | { outcome: 'not_found' }
  /** Not even the smallest amount. */
  | { outcome: 'over_limit' }
  | UnknownOutcome;

/**
 * The exact request, as JSON-serializable values, so that it is persisted before the call and the same whenever it is sent again:
 * the same values make the same body, byte for byte.
 */
export type EwalletTopupRequest = Wallet & {
  /** Unique for ever: made of the account and the merchant's reference. */
  partnerReference: string;
  /** Numeric, at most 36 digits, unique per partner and day (SNAP's X-EXTERNAL-ID). */
  externalId: string;
  /** Sen, as decimal digits. */
  amountSen: string;
  /** Gerbang's transaction id, which the wallet keeps beside the top-up. */
  transactionId: string;
  /** The merchant's own reference, which the rail keeps beside the top-up. */
  merchantReference: string;
  notes: string;
  /** Real time, Unix milliseconds: the day within which a wallet recognizes repetitions. */
  createdAtMs: number;
};

export type EwalletTopupResult =
  | { outcome: 'succeeded'; railReference: string }
  | FailedOutcome
  | { outcome: 'pending' }
  | UnknownOutcome;

/** Not found is not failed: the request may still be on its way. */
export type EwalletTopupInquiryResult = EwalletTopupResult | ReturnedOutcome | NotFoundOutcome;
