import { RefusalError, refuse } from '@gerbang/core';
import { qrPng } from '@gerbang/present/codes';
import type { Handler } from '../http/visit.ts';
import { sessionOf } from './references.ts';
import { phaseOf } from './session.ts';

/** GET /pay/{reff_no}/{session}/qr.png: the QRIS code as an image, for customers who pay on the phone that shows it. */
export const qrImage: Handler = async (context, request, reply) => {
  const { history } = await sessionOf(context, request.params);
  if (phaseOf(history, context.clock.now()) !== 'open' || history.paymentMethod !== 'QRIS')
    throw new RefusalError(refuse('transaction_not_found'));
  return reply
    .header('content-disposition', 'attachment; filename="qris.png"')
    .type('image/png')
    .send(qrPng(history.paymentMethodValue));
};
