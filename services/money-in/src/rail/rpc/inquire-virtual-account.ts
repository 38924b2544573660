import type { InquireVirtualAccountRequest } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../../context.ts';
import { findByVaNumber } from '../find-payable.ts';
import { inquire } from '../inquire.ts';

/** What a customer would pay for a number at the bank. Changes nothing. */
export async function inquireVirtualAccount(context: Context, { number, bankCodes }: InquireVirtualAccountRequest) {
  return inquire(context, await findByVaNumber(context, number, bankCodes));
}
