import type { CallOptions, FailedOutcome, NotFoundOutcome, ReturnedOutcome, UnknownOutcome } from '../rail-call.ts';

/**
 * The port to a bank that executes transfers (architecture §5). Only an explicit final answer of the bank is `succeeded` or
 * `failed`; everything else (no answer in time, 5xx, a cut connection, an answer that can't be read) is `unknown`, and the
 * caller inquires. Nothing here throws for what the bank or the network does, and `signal` ends every wait.
 */
export type BankTransferRail = {
  /** Whose account this is. */
  inquireAccount(inquiry: AccountInquiry, options: CallOptions): Promise<AccountInquiryResult>;
  /** Sends the request; sending the very same one again on the same day is told apart by the bank. */
  transfer(request: BankTransferRequest, options: TransferOptions): Promise<BankTransferResult>;
  /** How a transfer ended. */
  inquireTransfer(request: BankTransferRequest, options: CallOptions): Promise<BankTransferInquiryResult>;
  close(): Promise<void>;
};

/**
 * `firstSend`: this request has never been sent before. Only then is a refusal final: of an earlier send it would say nothing.
 * Absent means that it may have been sent, and a refusal is `unknown`.
 */
export type TransferOptions = CallOptions & { firstSend?: boolean };

/** `partnerReference` is unique for each inquiry. */
export type AccountInquiry = { bankCode: string; accountNumber: string; partnerReference: string };

export type AccountInquiryResult = { outcome: 'found'; accountName: string } | NotFoundOutcome | UnknownOutcome;

/**
 * The exact request, as JSON-serializable values, so that it is persisted before the call and the same whenever it is sent again:
 * the same values make the same body, byte for byte.
 */
export type BankTransferRequest = {
  /** Unique for ever, and made anew alike for the same order. */
  partnerReference: string;
  /** Gerbang's transaction id, which the bank keeps beside the transfer; requests of earlier versions have none. */
  transactionId?: string | undefined;
  /** Numeric, at most 36 digits, unique per partner and day (SNAP's X-EXTERNAL-ID). */
  externalId: string;
  /** Sen, as decimal digits. */
  amountSen: string;
  beneficiaryBankCode: string;
  beneficiaryAccountNumber: string;
  /** Empty where the merchant has not given it. */
  beneficiaryAccountName: string;
  /** The merchant's own reference, which the bank keeps beside the transfer. */
  merchantReference: string;
  remark: string;
  /** Real time, Unix milliseconds: the day within which the bank tells repetitions apart. */
  createdAtMs: number;
};

export type BankTransferResult =
  | { outcome: 'succeeded'; railReference: string }
  | FailedOutcome
  | { outcome: 'pending' }
  | UnknownOutcome;

/** Not found is not failed: the request may still be on its way. */
export type BankTransferInquiryResult = BankTransferResult | ReturnedOutcome | NotFoundOutcome;
