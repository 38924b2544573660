import type { PaymentCommand, PaymentState } from './state.ts';

/** What an authorisation has come to. `code`: of a decline the acquirer's; `unknown`: its first answer is none, or still pending. */
export type AuthorisationOutcome = { outcome: 'approved' | 'declined' | 'unknown'; code: string };
export type AuthenticationOutcome = 'challenged' | 'authenticated' | 'refused' | 'expired';

/** Failures that are no word of the issuer: they are not declines. */
const NO_DECLINE = new Set(['AUTHENTICATION_EXPIRED', 'NOT_SENT', 'NOT_RECEIVED', 'VOIDED', 'REFUNDED', 'RISK_DECLINED']);
/** The acquirer's code where the customer was not authenticated (docs/rails.md, Cards). */
const NOT_AUTHENTICATED = '3DS';

/**
 * Explicit refusals that are the acquirer's or our fault, and tell a tester nothing of the card: of ISO 8583 an invalid merchant (03),
 * transaction (12) or amount (13), a wrong format (30), a function that is not supported (40), a terminal that may not (58); of REST
 * what is wrong with the request. A code that is not here may be the issuer's.
 */
const ACQUIRERS_REFUSALS = new Set(['03', '12', '13', '30', '40', '58', 'invalid_request', 'forbidden', 'not_found']);

/** Whether an outcome is a decline that counts against card testing. Metrics have the others as declined, too: operators have to see them. */
export function isCountedDecline({ outcome, code }: AuthorisationOutcome): boolean {
  return outcome === 'declined' && !ACQUIRERS_REFUSALS.has(code);
}

/** What a change of a payment that stood so says of its authorisation, once for each payment; undefined where it says nothing new. */
export function authorisationOutcome(before: PaymentState, command: PaymentCommand): AuthorisationOutcome | undefined {
  if (before.status !== 'authorising' && before.status !== 'challenging') return undefined;
  const isFirst = before.status === 'authorising' && before.asked.tries === 0;
  switch (command.type) {
    case 'authorise':
      return { outcome: 'approved', code: '' };
    case 'fail':
      return NO_DECLINE.has(command.code) ? undefined : { outcome: 'declined', code: command.code };
    case 'wait':
      return isFirst ? { outcome: 'unknown', code: 'NO_ANSWER' } : undefined;
    case 'pending':
      return isFirst ? { outcome: 'unknown', code: 'PENDING' } : undefined;
    default:
      return undefined;
  }
}

/** The same of its 3-D Secure: what is frictionless is not seen here. */
export function authenticationOutcome(before: PaymentState, command: PaymentCommand): AuthenticationOutcome | undefined {
  const isChallenging = before.status === 'challenging';
  if (before.status !== 'authorising' && !isChallenging) return undefined;
  switch (command.type) {
    case 'challenge':
      return isChallenging ? undefined : 'challenged';
    case 'pending':
    case 'authorise':
      return isChallenging ? 'authenticated' : undefined;
    case 'fail':
      if (command.code === NOT_AUTHENTICATED) return 'refused';
      if (command.code === 'AUTHENTICATION_EXPIRED') return 'expired';
      return isChallenging && !NO_DECLINE.has(command.code) ? 'authenticated' : undefined;
    default:
      return undefined;
  }
}
