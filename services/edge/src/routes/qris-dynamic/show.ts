import { qrisTransactionSchema } from '@gerbang/present';
import { qrPng, qrSvg } from '@gerbang/present/codes';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { dataOf } from './generate.ts';
import { findQris, qrisParams } from './inquiry-status.ts';

const query = z.object({
  format: z
    .enum(['svg', 'png'], 'must be svg or png')
    .meta({ description: 'The code as a picture to print or to show, in place of the transaction.' })
    .optional(),
});

/**
 * GET qris-dynamic/{account_id}/show/{id}: as inquiry-status (merchant-api.md, QRIS money in); with `?format=svg|png` the code as
 * a picture to print or to show. Refusals: validation (format), those of money-in.
 */
export const showQris = operation({
  id: 'showQris',
  summary: 'Show a QRIS transaction',
  description: 'Refused with 403 where the merchant or the account is frozen.',
  input: z.object({ params: qrisParams, query }),
  data: qrisTransactionSchema,
  refusals: ['transaction_not_found', 'frozen'],
  otherContent: {
    'image/svg+xml': 'The code as a picture, with `?format=svg`.',
    'image/png': 'The code as a picture, with `?format=png`.',
  },
  async handle(context, { caller, params, query: { format } }) {
    const transaction = await findQris(context, caller, params);
    if (transaction === undefined || format === undefined) return { data: dataOf(transaction) };
    return format === 'svg'
      ? { image: qrSvg(transaction.qrData, 'QRIS'), type: 'image/svg+xml' }
      : { image: qrPng(transaction.qrData), type: 'image/png' };
  },
});
