import { hasCardNumber, isPlainText, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { StoredPayment } from '../payment/document.ts';
import { isPaymentId } from '../payment/own.ts';

const EVIDENCE_LENGTH_MAX = 1_000;

/** A payment of any merchant, as it is now. Refusals: transaction_not_found. */
export async function findPayment({ payments }: Pick<Context, 'payments'>, id: string): Promise<StoredPayment> {
  const found = isPaymentId(id) ? await payments.find(id, { linearizable: true }) : undefined;
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}

/** How operators know what they decide; it is stored, so it may name no card. Refusals: validation (evidence). */
export function readEvidence(evidence: string): string {
  if (evidence.trim() === '' || evidence.length > EVIDENCE_LENGTH_MAX)
    throw new RefusalError(refuseField('evidence', `has 1 to ${EVIDENCE_LENGTH_MAX} characters`));
  if (!isPlainText(evidence)) throw new RefusalError(refuseField('evidence', 'must not have control characters'));
  if (hasCardNumber(evidence)) throw new RefusalError(refuseField('evidence', 'must not have a card number'));
  return evidence;
}
