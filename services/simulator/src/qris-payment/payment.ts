import { newUlid, type Qris, tipSen, toMoney } from '@gerbang/core';
import { z } from 'zod';
import { type Decision, decisionOf, type Verdict } from '../bank-transfer/beneficiary.ts';
import type { Context } from '../context.ts';
import { done, partnerReference, snapAmountSen, TRANSACTION_NOT_FOUND } from '../money-in/snap-fields.ts';
import { SnapRefusal } from '../snap/snap.ts';
import { type SnapCall, transaction } from '../snap/transaction.ts';
import { type CodeProblem, problemOf, readScanned, type ScannedCode, takeCode } from './code.ts';

export const QR_PAYMENT = '50';

const nothing = z.object({ value: z.literal('0.00'), currency: z.literal('IDR') }).transform(() => 0n);
const schema = z.object({
  partnerReferenceNo: partnerReference,
  merchantId: z.string().min(1).max(64),
  amount: snapAmountSen,
  additionalInfo: z
    .object({
      tipAmount: z.union([nothing, snapAmountSen]).default(0n),
      merchantReference: z.string().min(1).max(64).optional(),
      transactionId: z.string().min(1).max(64).optional(),
    })
    .default({ tipAmount: 0n }),
});
type Body = z.output<typeof schema>;

const INVALID_AMOUNT: CodeProblem = { http: 404, caseCode: '13', message: 'Invalid Amount' };

/**
 * POST /v1.0/qr/qr-mpm-payment: pays the code that was decoded under the same reference (SNAP 50). What becomes of it is said by
 * the forced outcome of the rail, or by the end of the merchant's PAN (contract §11). Refusals are booked too, so that an inquiry
 * tells them again. A number used before is 409 and books nothing.
 */
export const qrPayment = transaction(
  QR_PAYMENT,
  schema,
  () => 'qris',
  async (context, call: SnapCall<Body>) => {
    const { body, externalKey, forced } = call;
    if (context.inquiryIds.has(externalKey)) throw new SnapRefusal(409, '00', 'Conflict');
    const payload = await context.qrisBooks.findScan(body.partnerReferenceNo);
    if (payload === undefined) return TRANSACTION_NOT_FOUND;
    const code = await readScanned(context, payload);
    const { verdict, answers } = await decide(context, code, body, forced);
    const referenceNo = newUlid(Date.now());
    // Both sides of a code of ours have the same number.
    const rrn = (code.ours?.referenceNo ?? referenceNo).slice(-12);
    const { partnerReferenceNo, amount, additionalInfo } = body;
    const booked = await context.qrisBooks.book({
      partnerReference: partnerReferenceNo,
      merchantReference: additionalInfo.merchantReference ?? partnerReferenceNo,
      transactionId: additionalInfo.transactionId ?? partnerReferenceNo,
      externalKey,
      amountSen: amount,
      payload,
      referenceNo,
      rrn,
      verdict,
    });
    if (booked === 'external-id-used') throw new SnapRefusal(409, '00', 'Conflict');
    if (booked === 'reference-used') throw new SnapRefusal(409, '01', 'Duplicate partnerReferenceNo');
    if (!answers) return 'silence';
    if (verdict.outcome === 'failed') {
      const { responseCode, message } = verdict;
      return { http: Number(responseCode.slice(0, 3)), caseCode: responseCode.slice(5), message };
    }
    return done({ referenceNo, partnerReferenceNo, amount: toMoney(amount), additionalInfo: { rrn } });
  },
);

async function decide(
  context: Context,
  code: ScannedCode,
  { partnerReferenceNo, amount, additionalInfo }: Body,
  forced: SnapCall<Body>['forced'],
): Promise<Decision> {
  const problem = fits(code.qris, amount, additionalInfo.tipAmount)
    ? await problemOf(context, code, partnerReferenceNo)
    : INVALID_AMOUNT;
  if (problem !== undefined) return { verdict: refusedBy(problem), answers: true };
  const pan = code.qris.accounts.find((account) => account.pan !== undefined)?.pan ?? '';
  const decision = decisionOf(pan, forced);
  if (decision.verdict.outcome === 'failed') return { ...decision, verdict: ofThisService(decision.verdict) };
  // The code is taken before the payment is booked: what dies in between is sent again by the payer, and has the code already.
  const taken = await takeCode(context, code, {
    partnerReference: partnerReferenceNo,
    amountSen: amount,
    tipSen: additionalInfo.tipAmount,
    tellAfterMs: decision.verdict.afterMs,
  });
  return taken === undefined ? decision : { verdict: refusedBy(taken), answers: true };
}

/** Whether amount and tip are what the code asks for. */
function fits({ amountSen, tip }: Qris, grossSen: bigint, tipPaidSen: bigint): boolean {
  const baseSen = grossSen - tipPaidSen;
  if (baseSen <= 0n || (amountSen !== undefined && baseSen !== amountSen)) return false;
  return tipSen(tip, baseSen, tipPaidSen) === tipPaidSen;
}

function refusedBy({ http, caseCode, message }: CodeProblem): Verdict {
  return { outcome: 'failed', responseCode: `${http}${QR_PAYMENT}${caseCode}`, message, afterMs: 0 };
}

/** The verdicts of magic beneficiaries are those of transfers. */
function ofThisService(verdict: Extract<Verdict, { outcome: 'failed' }>): Verdict {
  const { responseCode } = verdict;
  return { ...verdict, responseCode: `${responseCode.slice(0, 3)}${QR_PAYMENT}${responseCode.slice(5)}` };
}
