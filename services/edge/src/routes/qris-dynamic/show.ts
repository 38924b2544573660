import { qrPng, qrSvg } from '@gerbang/present/codes';
import { z } from 'zod';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { dataOf } from './generate.ts';
import { findQris } from './inquiry-status.ts';

const query = z.object({ format: z.enum(['svg', 'png'], 'must be svg or png').optional() });

/**
 * GET qris-dynamic/{account_id}/show/{id}: as inquiry-status (merchant-api.md, QRIS money in); with `?format=svg|png` the code as
 * a picture to print or to show. Refusals: validation (format), those of money-in.
 */
export const showQris: Handler = async (context, call) => {
  const { format } = validate(query, call.query);
  const transaction = await findQris(context, call);
  if (transaction === undefined || format === undefined) return { data: dataOf(transaction) };
  return format === 'svg'
    ? { image: qrSvg(transaction.qrData, 'QRIS'), type: 'image/svg+xml' }
    : { image: qrPng(transaction.qrData), type: 'image/png' };
};
