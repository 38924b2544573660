import type { InquireVirtualAccountRequest } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../../context.ts';
import { findPaid } from '../../rail/find-payment-request.ts';
import { inquire } from '../../rail/inquire.ts';
import { bankRail } from '../rail.ts';

/** What a customer would pay for a number at the bank. Changes nothing. */
export async function inquireVirtualAccount(context: Context, { number, bankCodes }: InquireVirtualAccountRequest) {
  const rail = bankRail(context.vaSeries);
  return inquire(context, await findPaid(context, rail, { paidTo: number, issuers: bankCodes }));
}
