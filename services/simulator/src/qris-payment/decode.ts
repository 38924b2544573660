import { newUlid, toMoney } from '@gerbang/core';
import { z } from 'zod';
import { done, partnerReference, snapAmountSen, snapTimeMs, takeExternalId } from '../money-in/snap-fields.ts';
import { SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { problemOf, readScanned } from './code.ts';

export const QR_DECODE = '48';

const schema = z.object({
  partnerReferenceNo: partnerReference,
  qrContent: z.string().min(1).max(1_024),
  amount: snapAmountSen.optional(),
  merchantId: z.string().min(1).max(64),
  scanTime: snapTimeMs,
});

/**
 * POST /v1.0/qr/qr-mpm-decode: whose code it is, and whether it can be paid (SNAP 48). The code is kept under the reference, by
 * which it is paid; another code under the same reference is refused. A forced outcome of the rail changes nothing here but an error.
 */
export const qrDecode = transaction(
  QR_DECODE,
  schema,
  () => 'qris',
  async (context, { body, externalKey }) => {
    takeExternalId(context, externalKey);
    const { partnerReferenceNo, qrContent, amount } = body;
    const code = await readScanned(context, qrContent);
    const problem = await problemOf(context, code, partnerReferenceNo);
    if (problem !== undefined) return problem;
    const { qris } = code;
    if (qris.amountSen !== undefined && amount !== undefined && amount < qris.amountSen) {
      return { http: 404, caseCode: '13', message: 'Invalid Amount' };
    }
    if (!(await context.qrisBooks.scan(partnerReferenceNo, qrContent))) {
      throw new SnapRefusal(404, '18', 'Inconsistent Request {qrContent}');
    }
    const amountSen = amount ?? qris.amountSen;
    return done({
      referenceNo: newUlid(Date.now()),
      partnerReferenceNo,
      merchantName: qris.merchantName,
      merchantCategory: qris.merchantCategoryCode,
      merchantLocation: qris.merchantCity,
      merchantInfos: qris.accounts.flatMap(({ pan, globallyUniqueId }) =>
        pan === undefined ? [] : [{ merchantPAN: pan, acquirerName: globallyUniqueId }],
      ),
      ...(amountSen !== undefined && { transactionAmount: toMoney(amountSen) }),
    });
  },
);
