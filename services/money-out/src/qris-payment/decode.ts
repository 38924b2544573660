import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { callWithin } from '@gerbang/rails';
import type { QrisProblem } from '@gerbang/rails/qris-payment';
import type { Context } from '../context.ts';

type Scan = { partnerReference: string; qrData: string; amountSen: bigint | undefined };

/** What is asked of the acquirer moves nothing, so it is asked again at once. */
const ATTEMPTS = 2;

/**
 * Has the acquirer decode a code under the reference that it will be paid by. Refusals: validation (qr_data, amount),
 * duplicate_reference, beneficiary_not_found, transaction_failed, vendor_inactive.
 */
export async function decodeAtRail({ rails, railTimeoutMs, log }: Context, scan: Scan): Promise<void> {
  const { partnerReference, qrData: payload, amountSen } = scan;
  for (let attempt = 1; ; attempt++) {
    const found = await callWithin(railTimeoutMs, (signal) =>
      rails.qrisPayment.decode({ partnerReference, payload, amountSen }, { signal }),
    );
    switch (found.outcome) {
      case 'found':
        return;
      case 'refused':
        throw refusalOf(found.problem, found.reason);
      case 'unknown':
        log.warn({ partner_reference: partnerReference, reason: found.reason }, 'the acquirer has not decoded a code');
        if (attempt < ATTEMPTS) break;
        throw new RefusalError(refuse('vendor_inactive', { message: 'The acquirer does not answer; try again later' }));
      default:
        found satisfies never;
    }
  }
}

function refusalOf(problem: QrisProblem, reason: string): RefusalError {
  switch (problem) {
    case 'expired':
      return new RefusalError(refuseField('qr_data', 'the code has expired'));
    case 'paid':
      return new RefusalError(refuseField('qr_data', 'the code has been paid already'));
    case 'invalid':
      return new RefusalError(refuseField('qr_data', 'the acquirer does not take this code'));
    case 'amount':
      return new RefusalError(refuseField('amount', 'the acquirer does not take this amount'));
    case 'merchant':
      return new RefusalError(
        refuse('beneficiary_not_found', { message: 'The acquirer does not know the merchant of the code' }),
      );
    case 'used':
      return new RefusalError(
        refuse('duplicate_reference', { message: 'The acquirer knows this reference with another code; use a new one' }),
      );
    case 'other':
      return new RefusalError(refuse('transaction_failed', { message: reason }));
    default:
      return problem satisfies never;
  }
}
