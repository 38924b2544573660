import { z } from 'zod';
import type { Decision, Verdict } from '../bank-transfer/beneficiary.ts';
import type { Behaviour } from '../control/behaviours.ts';

type Forced = Exclude<Behaviour['outcome'], 'error'>;

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

/** How long a top-up stays pending that the wallet has not answered (contract §11). */
const SETTLES_AFTER_MS = 5_000;

const SUCCESS: Verdict = { outcome: 'success', afterMs: 0 };
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

/** What the wallet does with a top-up: by the rail's forced outcome, else by its limit and the magic number (contract §11). */
export function decisionOf(topup: { customerNumber: string; amountSen: bigint }, forced: Forced): Decision {
  switch (forced) {
    case 'success':
      return { verdict: SUCCESS, answers: true };
    case 'failed':
      return { verdict: REFUSED, answers: true };
    case 'timeout':
      return { verdict: { ...SUCCESS, afterMs: SETTLES_AFTER_MS }, answers: false };
    case undefined:
      if (topup.amountSen > LIMIT_SEN) return { verdict: OVER_LIMIT, answers: true };
      return decisionOfCustomer(topup.customerNumber);
    default:
      return forced satisfies never;
  }
}

/** Whether the wallet finds the customer of an inquiry. */
export function isCustomerFound(customerNumber: string, forced: Forced): boolean {
  return forced === 'success' || (forced !== 'failed' && !customerNumber.endsWith('0404'));
}

function decisionOfCustomer(customerNumber: string): Decision {
  switch (customerNumber.slice(-4)) {
    case '0404':
      return { verdict: NO_CUSTOMER, answers: true };
    case '0001':
      return { verdict: REFUSED, answers: true };
    case '0002':
      return { verdict: { ...SUCCESS, afterMs: SETTLES_AFTER_MS }, answers: false };
    case '0003':
      return { verdict: { ...REFUSED, afterMs: SETTLES_AFTER_MS }, answers: false };
    default:
      return { verdict: SUCCESS, answers: true };
  }
}
