import { RefusalError, refuse } from '@gerbang/core';
import type { InquireQrisPaymentRequest } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { claimAndDecode } from '../claim.ts';
import { readCode, type Terms, termsOf } from '../code.ts';
import { newTransactionId, QRIS_ISSUER } from '../content.ts';
import { findKnown, isSame, type Known } from '../find-known.ts';
import { presentInquiry } from '../quote.ts';

/**
 * Asks about a code and records the answer under the reference; nothing is held. Asked again it is as it stands by then, paid
 * perhaps. Refusals: validation (qr_data, amount), product_not_allowed, those of the account, frozen, duplicate_reference,
 * beneficiary_not_found, transaction_failed, vendor_inactive.
 */
export async function inquireQrisPayment(context: Context, request: InquireQrisPaymentRequest) {
  const { merchantId, accountId, qrData, amountSen } = request;
  const terms = termsOf(readCode(qrData), { amountSen });
  await context.merchants.admit(merchantId, QRIS_ISSUER, accountId);
  const before = await findKnown(context, request);
  if (before !== undefined && !isSame(request, before)) throw new RefusalError(refuse('duplicate_reference'));
  const known = await ask(context, request, before, terms);
  return { transfer: 'transfer' in known ? toMessage(known.transfer) : await presentInquiry(context, known.inquiry) };
}

/** Asks the acquirer, unless it was asked before, and records that. */
async function ask(
  context: Context,
  request: InquireQrisPaymentRequest,
  before: Known | undefined,
  terms: Terms,
): Promise<Known> {
  const { merchantId, accountId, referenceNumber, qrData, amountSen } = request;
  const createdAtMs = context.clock.now();
  const transactionId = newTransactionId(createdAtMs);
  const wanted = { transactionId, merchantId, accountId, referenceNumber, qrData, amountSen, createdAtMs };
  const dueSen = terms.amountSen === undefined ? undefined : terms.amountSen + terms.tipSen;
  const known = await claimAndDecode(context, wanted, before, dueSen);
  if ('transfer' in known || known.inquiry.isDecoded) return known;
  return { ...known, inquiry: await context.inquiries.setDecoded(known.inquiry) };
}
