import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { RefusalError, refuse, refuseField } from '@gerbang/core';
import {
  type CreditQrisPaymentRequest,
  type CreditQrisPaymentResponse,
  CreditQrisPaymentResponseSchema,
} from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import type { StoredTransfer } from '../../transfer/document.ts';
import { toMessage } from '../../transfer/message.ts';
import { orderTransfer } from '../../transfer/place.ts';
import { isRefused } from '../../transfer/posting.ts';
import { claimAndDecode } from '../claim.ts';
import { completeTermsOf, readCode, termsOf } from '../code.ts';
import { contentHash, newTransactionId, QRIS_ISSUER, type QrisPaymentDetails } from '../content.ts';
import { toDetailFields } from '../document.ts';
import { findKnown, isSame, type Known } from '../find-known.ts';

/**
 * Pays a code, once per account and reference, inquired before or not. Refusals: validation (qr_data, amount, tip),
 * product_not_allowed, those of the account, frozen, duplicate_reference, beneficiary_not_found, transaction_failed,
 * vendor_inactive, account_limit, insufficient_balance, idempotency_key_reused, idempotency_key_running.
 */
export async function creditQrisPayment(context: Context, request: CreditQrisPaymentRequest) {
  if (request.qrData !== '') termsOf(readCode(request.qrData), request);
  const { answer, replayed } = await createOnce<CreditQrisPaymentResponse>(context.idempotencyKeys, request, {
    allocate: () => newTransactionId(context.clock.now()),
    async create(transactionId) {
      const paid = await order(context, request, transactionId);
      return create(CreditQrisPaymentResponseSchema, { transfer: toMessage(paid) });
    },
    encode: (response) => toBinary(CreditQrisPaymentResponseSchema, response),
    decode: (bytes) => fromBinary(CreditQrisPaymentResponseSchema, bytes),
  });
  return { ...answer, replayed };
}

async function order(context: Context, request: CreditQrisPaymentRequest, newId: string): Promise<StoredTransfer> {
  await context.merchants.admit(request.merchantId, QRIS_ISSUER, request.accountId);
  const known = await findKnown(context, request);
  const details = detailsOf(request, known);
  const { merchantId, accountId, referenceNumber } = request;
  const { qrData, amountSen } = details;
  const createdAtMs = context.clock.now();
  const wanted = { transactionId: newId, merchantId, accountId, referenceNumber, qrData, amountSen, createdAtMs };
  const decoded = await claimAndDecode(context, wanted, known, amountSen + details.tipSen);
  try {
    return await orderTransfer(context, context.products.qrisPayment, {
      transactionId: transactionIdOf(decoded),
      merchantId,
      accountId,
      referenceNumber,
      amountSen: amountSen + details.tipSen,
      description: '',
      contentHash: contentHash(details),
      details: toDetailFields(details),
    });
  } catch (error) {
    // The reference stays free, but the ledger keeps its refusal under the transaction's id for ever.
    if ('inquiry' in decoded && isRefused(error, ['insufficient_balance'])) {
      await context.inquiries.renew(decoded.inquiry, newTransactionId(context.clock.now()));
    }
    throw error;
  }
}

/** What is ordered: what the request leaves out is as it was inquired, or ordered before under this reference. */
function detailsOf(request: CreditQrisPaymentRequest, known: Known | undefined): QrisPaymentDetails {
  const qrData = request.qrData || known?.qrData;
  if (qrData === undefined) {
    throw new RefusalError(refuseField('qr_data', 'is required: the reference has not been inquired'));
  }
  const amountSen = request.amountSen ?? known?.amountSen;
  if (known !== undefined && !isSame({ qrData, amountSen }, known)) throw new RefusalError(refuse('duplicate_reference'));
  return { qrData, ...completeTermsOf(readCode(qrData), { amountSen, tipSen: request.tipSen }) };
}

function transactionIdOf(known: Known): string {
  return 'transfer' in known ? known.transfer.order.transactionId : known.inquiry.transactionId;
}
