import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { SnapAnswer } from './snap.ts';

type Said = Pick<SnapAnswer, 'http' | 'caseCode' | 'message'>;

const DONE: Said = { http: 200, caseCode: '00', message: 'Successful' };

/** What money-in has decided of a bill (a virtual account or a retail code), in SNAP's words. */
export function answerOfBill(decision: RailDecision): Said {
  switch (decision) {
    case RailDecision.ACCEPTED:
    case RailDecision.DUPLICATE:
    // The money has arrived, and that is all the rail asks.
    case RailDecision.SUSPENDED:
      return DONE;
    case RailDecision.UNKNOWN:
      return { http: 404, caseCode: '12', message: 'Invalid Bill/Virtual Account [Not Found]' };
    case RailDecision.INACTIVE:
      return { http: 404, caseCode: '12', message: 'Invalid Bill/Virtual Account [Inactive]' };
    case RailDecision.WRONG_AMOUNT:
      return { http: 404, caseCode: '13', message: 'Invalid Amount' };
    case RailDecision.ALREADY_PAID:
      return { http: 404, caseCode: '14', message: 'Paid Bill' };
    case RailDecision.INCONSISTENT:
      return { http: 404, caseCode: '18', message: 'Inconsistent Request' };
    case RailDecision.EXPIRED:
      return { http: 404, caseCode: '19', message: 'Invalid Bill/Virtual Account [Expired]' };
    default:
      throw new Error(`money-in has decided ${decision}, which is no decision`);
  }
}

/** What money-in has decided of a transaction that the rail holds (a QRIS code, a checkout), in SNAP's words. */
export function answerOfTransaction(decision: RailDecision): Said {
  if (decision === RailDecision.UNKNOWN) return { http: 404, caseCode: '01', message: 'Transaction Not Found' };
  return answerOfBill(decision);
}

/** What money-in has decided of a reversal, in SNAP's words. A payment that it does not know of has nothing to take back. */
export function answerOfReversal(decision: RailDecision): Said {
  return decision === RailDecision.UNKNOWN ? DONE : answerOfBill(decision);
}
