import { newUlid } from '@gerbang/core';
import { z } from 'zod';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { type SnapAnswer, SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { DO_NOT_HONOR, done, partnerReference, snapAmountSen, snapTimeMs, takeExternalId } from './snap-fields.ts';

export const CREATE_VA = '27';
export const UPDATE_VA = '28';
export const DELETE_VA = '31';

const name = z.object({
  partnerServiceId: z.string().regex(/^ *\d{1,8}$/),
  customerNo: z.string().regex(/^\d{1,20}$/),
  virtualAccountNo: z.string().regex(/^ *\d{1,28}$/),
  trxId: partnerReference,
  additionalInfo: z.object({ channel: z.string().regex(/^(?:VA|RETAIL)_[A-Z]{1,20}$/) }),
});
const registration = name.extend({
  virtualAccountName: z.string().min(1).max(255),
  virtualAccountTrxType: z.enum(['C', 'O']),
  totalAmount: snapAmountSen.optional(),
  expiredDate: snapTimeMs.optional(),
  additionalInfo: name.shape.additionalInfo.extend({
    minAmount: snapAmountSen.optional(),
    maxAmount: snapAmountSen.optional(),
    maxUsage: z.number().int().positive().optional(),
  }),
});
type Registration = z.output<typeof registration>;

const NO_BILL: SnapAnswer = { http: 404, caseCode: '12', message: 'Invalid Bill/Virtual Account [Not Found]' };

/** Chains of shops use the same services under channels of their own. */
const railOf = ({ additionalInfo }: z.output<typeof name>): 'va' | 'retail' =>
  additionalInfo.channel.startsWith('RETAIL_') ? 'retail' : 'va';

/**
 * POST /v1.0/transfer-va/create-va: the bank holds the number from now on (SNAP 27). The same trxId with the same content is
 * answered alike.
 */
export const createVa = transaction(CREATE_VA, registration, railOf, async (context, { body, externalKey, forced }) => {
  if (forced === 'failed') return DO_NOT_HONOR;
  const paymentRequest = toPaymentRequest(body, externalKey);
  const added = await context.paymentRequests.add(paymentRequest);
  if (added === 'external-id-used') throw new SnapRefusal(409, '00', 'Conflict');
  if (added !== 'added' && !isAlike(added, paymentRequest)) throw new SnapRefusal(409, '01', 'Conflict {trxId}');
  return forced === 'timeout' ? 'silence' : done({ virtualAccountData: echo(body) });
});

/** PUT /v1.0/transfer-va/update-va: amounts and expiry anew (SNAP 28). */
export const updateVa = transaction(UPDATE_VA, registration, railOf, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  if (forced === 'failed') return DO_NOT_HONOR;
  const known = await context.paymentRequests.find(railOf(body), body.trxId);
  const paymentRequest = toPaymentRequest(body, externalKey);
  if (known === undefined || known.number !== paymentRequest.number || known.canceled) return NO_BILL;
  await context.paymentRequests.change({ ...paymentRequest, referenceNo: known.referenceNo, externalKey: known.externalKey });
  return forced === 'timeout' ? 'silence' : done({ virtualAccountData: echo(body) });
});

/** DELETE /v1.0/transfer-va/delete-va: the bank takes no payment for the number any more (SNAP 31). */
export const deleteVa = transaction(DELETE_VA, name, railOf, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  if (forced === 'failed') return DO_NOT_HONOR;
  const known = await context.paymentRequests.find(railOf(body), body.trxId);
  if (known === undefined || known.number !== numberOf(body)) return NO_BILL;
  await context.paymentRequests.cancel(known.rail, known.reference);
  return forced === 'timeout' ? 'silence' : done({ virtualAccountData: echo(body) });
});

function numberOf({ partnerServiceId, customerNo, virtualAccountNo }: z.output<typeof name>): string {
  const number = virtualAccountNo.trim();
  if (number !== partnerServiceId.trim() + customerNo)
    throw new SnapRefusal(400, '01', 'Invalid Field Format {virtualAccountNo}');
  return number;
}

function toPaymentRequest(body: Registration, externalKey: string): PaymentRequest {
  const { minAmount: minSen, maxAmount: maxSen, maxUsage: usageMax } = body.additionalInfo;
  const isClosed = body.virtualAccountTrxType === 'C';
  if (isClosed && body.totalAmount === undefined) throw new SnapRefusal(400, '02', 'Invalid Mandatory Field {totalAmount}');
  return {
    rail: railOf(body),
    reference: body.trxId,
    referenceNo: newUlid(Date.now()),
    externalKey,
    number: numberOf(body),
    payload: '',
    amountSen: isClosed ? body.totalAmount : undefined,
    bounds: !isClosed && minSen !== undefined && maxSen !== undefined ? { minSen, maxSen } : undefined,
    tip: undefined,
    usageMax,
    returnUrl: '',
    expiresAtMs: body.expiredDate,
    canceled: false,
  };
}

function isAlike(one: PaymentRequest, other: PaymentRequest): boolean {
  return (
    one.number === other.number &&
    one.amountSen === other.amountSen &&
    one.bounds?.minSen === other.bounds?.minSen &&
    one.bounds?.maxSen === other.bounds?.maxSen &&
    one.expiresAtMs === other.expiresAtMs
  );
}

function echo({ partnerServiceId, customerNo, virtualAccountNo, trxId }: z.output<typeof name>): object {
  return { partnerServiceId, customerNo, virtualAccountNo, trxId };
}
