import type { InquireRetailCodeRequest } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../../context.ts';
import { findByPaymentCode } from '../find-payable.ts';
import { inquire } from '../inquire.ts';

/** What a customer would pay for a code at the till. Changes nothing. */
export async function inquireRetailCode(context: Context, { paymentCode, retailCodes }: InquireRetailCodeRequest) {
  return inquire(context, await findByPaymentCode(context, paymentCode, retailCodes));
}
