import { z } from 'zod';
import { type Decision, decideBy, type Forced, type Verdict } from '../bank-transfer/beneficiary.ts';

/** Whose wallet a request is about: the wallet by the rail's name of it, its customer by the phone number. */
export const customerFields = {
  customerNumber: z.string().regex(/^[0-9]{8,32}$/),
  additionalInfo: z.object({
    beneficiaryProvider: z.string().min(1).max(40),
    merchantReference: z.string().min(1).max(64).optional(),
    transactionId: z.string().min(1).max(64).optional(),
  }),
};

/** What a wallet holds at the most: Bank Indonesia's rule for e-money of verified customers. */
export const LIMIT_SEN = 20_000_000_00n;

const REFUSED: Verdict = { outcome: 'failed', responseCode: '4033805', message: 'Do Not Honor', afterMs: 0 };
const NO_CUSTOMER: Verdict = { outcome: 'failed', responseCode: '4043811', message: 'Invalid Customer', afterMs: 0 };
const OVER_LIMIT: Verdict = {
  outcome: 'failed',
  responseCode: '4033802',
  message: 'Exceeds Transaction Amount Limit',
  afterMs: 0,
};

/** DANA is known to write its customers' names so. */
export const NAME_PREFIXES: Readonly<Record<string, string>> = { DANA: 'DNID ' };

/** What the wallet does with a top-up: over its limit it refuses what nothing forces, else it decides as any rail. */
export function decisionOf(
  { customerNumber, amountSen }: { customerNumber: string; amountSen: bigint },
  forced: Forced,
): Decision {
  if (forced === undefined && amountSen > LIMIT_SEN) return { verdict: OVER_LIMIT, answers: true };
  return decideBy(customerNumber, forced, { refused: REFUSED, unknown: NO_CUSTOMER });
}
