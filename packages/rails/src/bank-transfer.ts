import { createHash } from 'node:crypto';
import { z } from 'zod';

/**
 * Exactly what is sent to the bank, as it is persisted before the first call (architecture §5): sent again, it makes the same body byte for byte
 * under the same external id. Serializable as JSON. Times are real time: the bank has no business clock.
 */
export const bankTransferRequestSchema = z.object({
  /** Our reference at the bank, for ever unique: the transaction id. */
  partnerReference: z.string().min(1).max(64),
  /** SNAP's X-EXTERNAL-ID: unique per partner and Jakarta day; see `externalIdOf`. */
  externalId: z.string().regex(/^[0-9]{1,36}$/),
  /** The merchant's reference number, for reconciliation. */
  merchantReference: z.string().max(64),
  /** Sen as decimal digits, greater than zero. */
  amountSen: z.string().regex(/^[1-9][0-9]{0,14}$/),
  /** The beneficiary's bank: its three-digit national code. */
  bankCode: z.string().min(1).max(8),
  accountNumber: z.string().regex(/^[0-9]{1,34}$/),
  /** The holder's name as the merchant gave it; empty where it was not given. */
  accountName: z.string().max(100),
  description: z.string().max(100),
  /** When the request was made, Unix milliseconds; it becomes the transaction date. */
  createdAtMs: z.number().int().nonnegative(),
});

export type BankTransferRequest = z.infer<typeof bankTransferRequestSchema>;

/** An explicit, final no of the bank: no money has moved nor will it. `code` is the bank's, `reason` its words. */
export type BankTransferFailed = { outcome: 'failed'; code: string; reason: string; beneficiaryUnknown: boolean };

/**
 * Not an explicit final answer: a timeout, a cut connection, 5xx, 429, 401 with a fresh token, a duplicate (409), an answer that can't be parsed or
 * that contradicts itself or the request. The money may have moved: inquire. `reason` is for operators and has no secrets.
 */
export type BankTransferUnknown = { outcome: 'unknown'; reason: string };

export type BankTransferResult =
  | { outcome: 'succeeded'; railReference: string }
  | BankTransferFailed
  | { outcome: 'pending' }
  | BankTransferUnknown;

/** `not_found`: the bank does not know the reference now. That is not a failure: the request may still be on its way. */
export type BankTransferInquiryResult = BankTransferResult | { outcome: 'not_found' };

export type AccountInquiryResult = { outcome: 'found'; accountName: string } | { outcome: 'not_found' } | BankTransferUnknown;

/** Whose account is it? `partnerReference` is unique for each inquiry. */
export type AccountInquiry = { bankCode: string; accountNumber: string; partnerReference: string };

export type RailCallOptions = { signal: AbortSignal };

/**
 * The port to a bank that pays to accounts at any bank. Its calls never reject for what the bank or the network does; each answer is one of the
 * outcomes, and `signal` ends every wait (as `unknown`).
 */
export type BankTransferRail = {
  inquireAccount(inquiry: AccountInquiry, options: RailCallOptions): Promise<AccountInquiryResult>;
  /**
   * Sends the transfer. `firstSend` says that this request has never been sent before: only then is a rejection of its form (SNAP 400) final, for
   * after an earlier send it says nothing of that one; without it such a rejection is `unknown`.
   */
  transfer(request: BankTransferRequest, options: RailCallOptions & { firstSend?: boolean }): Promise<BankTransferResult>;
  /** Asks how a transfer that was sent has ended. */
  inquireTransfer(request: BankTransferRequest, options: RailCallOptions): Promise<BankTransferInquiryResult>;
};

/** The external id of a reference: 36 digits, the same whenever it is made again, and others for other references. */
export function externalIdOf(partnerReference: string): string {
  const digest = createHash('sha256').update(partnerReference).digest('hex');
  return (BigInt(`0x${digest}`) % 10n ** 36n).toString().padStart(36, '0');
}
