import type { InquireRetailCodeRequest } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../../context.ts';
import { findPaid } from '../../rail/find-payment-request.ts';
import { inquire } from '../../rail/inquire.ts';
import { retailRail } from '../rail.ts';

/** What a customer would pay for a code at the till. Changes nothing. */
export async function inquireRetailCode(context: Context, { paymentCode, retailCodes }: InquireRetailCodeRequest) {
  return inquire(context, await findPaid(context, retailRail, { paidTo: paymentCode, issuers: retailCodes }));
}
