import { decodeQris, isRefusal, type Qris } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { SnapRefusal } from '../snap/snap.ts';

/** A code that someone wants to pay; `ours`: the acquirer has made it itself, for money in. */
export type ScannedCode = { payload: string; qris: Qris; ours: PaymentRequest | undefined };

/** Why a code can't be paid: a case of SNAP. */
export type CodeProblem = { http: 403 | 404; caseCode: string; message: string };

const EXPIRED: CodeProblem = { http: 403, caseCode: '00', message: 'Transaction Expired' };
const WITHDRAWN: CodeProblem = { http: 404, caseCode: '12', message: 'Invalid Bill' };
const PAID: CodeProblem = { http: 404, caseCode: '14', message: 'Paid Bill' };

/** Reads a code; refuses with 400 01 what is none. */
export async function readScanned({ paymentRequests }: Context, payload: string): Promise<ScannedCode> {
  const qris = decodeQris(payload);
  if (isRefusal(qris)) throw new SnapRefusal(400, '01', 'Invalid Field Format {qrContent}');
  return { payload, qris, ours: await paymentRequests.findByPayload(payload) };
}

/** What is wrong with a code for the payer who has this reference; undefined when nothing. */
export async function problemOf(
  { clock, receipts, qrisBooks }: Context,
  { payload, qris, ours }: ScannedCode,
  partnerReference: string,
): Promise<CodeProblem | undefined> {
  if (ours === undefined) {
    const payer = qris.type === 'mpm-dynamic' ? await qrisBooks.claimedBy(payload) : undefined;
    return payer === undefined || payer === partnerReference ? undefined : PAID;
  }
  const receipt = await receipts.find('qris', ours.referenceNo);
  if (receipt?.status === 'canceled') return WITHDRAWN;
  if (receipt !== undefined) return receipt.paidBy === partnerReference ? undefined : PAID;
  return ours.expiresAtMs !== undefined && clock.now() >= ours.expiresAtMs ? EXPIRED : undefined;
}

/** Takes a code for one payment for the payer who has this reference; what is wrong where another payer was faster. */
export async function takeCode(
  { clock, receipts, qrisBooks }: Context,
  { payload, qris, ours }: ScannedCode,
  paid: { partnerReference: string; amountSen: bigint; tipSen: bigint; tellAfterMs: number },
): Promise<CodeProblem | undefined> {
  const { partnerReference, amountSen, tipSen, tellAfterMs } = paid;
  if (ours === undefined) {
    if (qris.type === 'mpm-static') return undefined;
    return (await qrisBooks.claim(payload, partnerReference)) === partnerReference ? undefined : PAID;
  }
  // Its books are those of money in, and the gateway is notified as of any other payer's payment.
  const receipt = {
    rail: 'qris' as const,
    railReference: ours.referenceNo,
    requestReference: ours.reference,
    number: '',
    amountSen,
    tipSen,
    paidAtMs: clock.now(),
    status: 'success' as const,
    reason: '',
    paidBy: partnerReference,
  };
  if (await receipts.add(receipt, Date.now() + tellAfterMs)) return undefined;
  return (await receipts.find('qris', ours.referenceNo))?.paidBy === partnerReference ? undefined : PAID;
}
