/**
 * The port to a bank that executes transfers (architecture §5). Only an explicit final answer of the bank is `succeeded` or `failed`; whatever else
 * happens (no answer in time, 5xx, a cut connection, an answer that can't be read) is `unknown`, and the caller inquires. Nothing here throws for
 * what the bank does.
 */
export type BankTransferRail = {
  /** Whose account this is. */
  inquireAccount(inquiry: AccountInquiry, options: CallOptions): Promise<AccountInquiryResult>;
  /** Sends the request; sending the very same one again on the same day is told apart by the bank. */
  transfer(request: BankTransferRequest, options: CallOptions): Promise<BankTransferResult>;
  /** How a transfer ended. */
  inquireTransfer(request: BankTransferRequest, options: CallOptions): Promise<BankTransferInquiryResult>;
  close(): Promise<void>;
};

export type CallOptions = { signal: AbortSignal };

export type AccountInquiry = { bankCode: string; accountNumber: string; partnerReference: string };

export type AccountInquiryResult =
  | { outcome: 'found'; accountName: string }
  | { outcome: 'not_found' }
  | { outcome: 'unknown'; reason: string };

/** The exact request, as JSON-serializable values, so that it is persisted before the call and the same whenever it is sent again. */
export type BankTransferRequest = {
  /** Unique for ever: Gerbang's transaction id. */
  partnerReference: string;
  /** Numeric, at most 36 digits, unique per partner and day (SNAP's X-EXTERNAL-ID). */
  externalId: string;
  /** Sen, as decimal digits. */
  amountSen: string;
  beneficiaryBankCode: string;
  beneficiaryAccountNumber: string;
  beneficiaryAccountName: string;
  /** The merchant's own reference, which the bank keeps beside the transfer. */
  merchantReference: string;
  remark: string;
  /** Real time, Unix milliseconds: the day within which the bank tells repetitions apart. */
  createdAtMs: number;
};

export type BankTransferResult =
  | { outcome: 'succeeded'; railReference: string }
  | { outcome: 'failed'; code: string; reason: string; beneficiaryUnknown: boolean }
  | { outcome: 'pending' }
  | { outcome: 'unknown'; reason: string };

/** Not found is not failed: the request may still be on its way. */
export type BankTransferInquiryResult = BankTransferResult | { outcome: 'not_found' };
