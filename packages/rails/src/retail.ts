import type { CallOptions, NotFoundOutcome } from './rail-call.ts';
import type { RegistrationResult } from './virtual-account.ts';

/** The port to a chain of shops that takes cash for codes. All calls may be repeated. Nothing throws for what the chain or the network does. */
export type RetailRail = {
  /** Makes the code known at the tills. */
  registerCode(code: RetailCodeRegistration, options: CallOptions): Promise<RegistrationResult>;
  /** From then on no till takes money for it. */
  cancelCode(code: RetailCodeName, options: CallOptions): Promise<RegistrationResult | NotFoundOutcome>;
  close(): Promise<void>;
};

/** What a code is known by at the chain. */
export type RetailCodeName = {
  /** Unique for ever: Gerbang's transaction id. */
  reference: string;
  paymentCode: string;
  /** ALFAMART or INDOMARET. */
  retailCode: string;
};

export type RetailCodeRegistration = RetailCodeName & {
  customerName: string;
  amountSen: bigint;
  /** Unix milliseconds of business time. */
  expiresAtMs: number;
};
