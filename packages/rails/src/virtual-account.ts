import type { CallOptions, NotFoundOutcome, RefusedOutcome, UnknownOutcome } from './rail-call.ts';

/**
 * The port to a bank that holds virtual accounts itself. (A bank that only has a prefix for the gateway asks for each number when a customer pays, by the
 * rails listener, and needs none of this.) All calls may be repeated: the bank tells by `reference` that it has done them. Nothing throws for what the
 * bank or the network does.
 */
export type VirtualAccountRail = {
  createVirtualAccount(account: VirtualAccountRegistration, options: CallOptions): Promise<RegistrationResult>;
  /** Name, amounts and expiry, all of them anew. */
  updateVirtualAccount(account: VirtualAccountRegistration, options: CallOptions): Promise<RegistrationResult | NotFoundOutcome>;
  /** From then on the bank takes no payment for the number. */
  deleteVirtualAccount(account: VirtualAccountName, options: CallOptions): Promise<RegistrationResult | NotFoundOutcome>;
  close(): Promise<void>;
};

/** What a number is known by at the bank. */
export type VirtualAccountName = {
  /** Unique for ever: Gerbang's id of the virtual account (SNAP's trxId). */
  reference: string;
  /** The whole number, digits. */
  number: string;
  /** Its first digits, which the bank has given to the gateway: at most eight. */
  prefix: string;
  /** Short name of the bank, for a connection that serves several. */
  bankCode: string;
};

export type VirtualAccountRegistration = VirtualAccountName & {
  holderName: string;
  /** Sen: the exact amount, or the bounds of what a customer may choose. */
  amount: { kind: 'closed'; amountSen: bigint } | { kind: 'open'; minSen: bigint; maxSen: bigint };
  /** Payments after which the number is used up; absent = any number. */
  usageMax?: number | undefined;
  /** Unix milliseconds of business time; absent = never. */
  expiresAtMs?: number | undefined;
};

export type RegistrationResult = { outcome: 'succeeded' } | RefusedOutcome | UnknownOutcome;
