import type { Context } from '../context.ts';
import { done, TRANSACTION_NOT_FOUND } from '../money-in/snap-fields.ts';
import type { SnapAnswer } from '../snap/snap.ts';

const NOT_ALLOWED: SnapAnswer = { http: 405, caseCode: '01', message: 'Requested Operation Is Not Allowed' };
const INVALID_STATUS: SnapAnswer = { http: 404, caseCode: '00', message: 'Invalid Transaction Status' };

/**
 * Cancels a payment of a code that is pending (SNAP 77): its status is 05 then. One that was made or has failed is refused. So is
 * one of a code that was made here: its merchant's acquirer has it booked already.
 */
export async function cancelPayment(context: Context, partnerReference: string): Promise<SnapAnswer> {
  const { qrisBooks, paymentRequests } = context;
  const entry = await qrisBooks.find(partnerReference);
  if (entry === undefined) return TRANSACTION_NOT_FOUND;
  if ((await paymentRequests.findByPayload(entry.payload)) !== undefined) return NOT_ALLOWED;
  const after = await qrisBooks.cancel(partnerReference);
  return after?.status === 'canceled' ? done({ originalPartnerReferenceNo: partnerReference }) : INVALID_STATUS;
}
