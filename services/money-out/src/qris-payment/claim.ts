import { RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import { partnerReferenceOf } from '../transfer/rail-reference.ts';
import { decodeAtRail } from './decode.ts';
import { findKnown, isSame, type Known } from './find-known.ts';
import type { NewInquiry } from './inquiry.ts';

/**
 * What the reference stands for, with the code decoded at the acquirer: SNAP's payment names no code, only the reference under
 * which it was decoded. So a reference is claimed for one code before the acquirer gets one. `known` is what the reference
 * stood for before; `dueSen` is what is to be paid, tip included, as far as that is known. Refusals: those of `decodeAtRail`, and
 * duplicate_reference where the reference is another code's.
 */
export async function claimAndDecode(
  context: Context,
  wanted: NewInquiry,
  known: Known | undefined,
  dueSen: bigint | undefined,
): Promise<Known> {
  if (known !== undefined && 'transfer' in known) return known;
  const inquiry = known?.inquiry ?? (await context.inquiries.claim(wanted));
  // Where another request was faster, the reference is that one's.
  if (!isSame(wanted, inquiry)) throw new RefusalError(refuse('duplicate_reference'));
  const { accountId, referenceNumber, qrData, amountSen } = inquiry;
  const claimed = { qrData, amountSen, inquiry };
  if (inquiry.isDecoded) return claimed;
  try {
    const partnerReference = partnerReferenceOf(accountId, referenceNumber);
    await decodeAtRail(context, { partnerReference, qrData, amountSen: dueSen });
    return claimed;
  } catch (error) {
    // Another request with this reference may have paid the code in between.
    const again = await findKnown(context, wanted);
    if (again !== undefined && 'transfer' in again) return again;
    // Without an answer the acquirer may know the reference by this code.
    if (error instanceof RefusalError && error.refusal.refused !== 'vendor_inactive') await context.inquiries.forget(inquiry);
    throw error;
  }
}
