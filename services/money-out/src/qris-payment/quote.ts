import { feeFor } from '@gerbang/core';
import { feeRulesOf } from '@gerbang/neighbours';
import type { Transfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../context.ts';
import { readCode, termsOf } from './code.ts';
import { QRIS_ISSUER } from './content.ts';
import type { Inquiry } from './inquiry.ts';
import { toInquiryMessage } from './message.ts';

/** An inquiry with the fee that a payment would have now; without an amount there is none yet. */
export async function presentInquiry({ merchants, clock }: Context, inquiry: Inquiry): Promise<Transfer> {
  const { merchantId, qrData, amountSen } = inquiry;
  const terms = termsOf(readCode(qrData), { amountSen });
  if (terms.amountSen === undefined) return toInquiryMessage(inquiry, terms, 0n);
  const charge = { product: QRIS_ISSUER, channel: '', amountSen: terms.amountSen + terms.tipSen, nowMs: clock.now() };
  const { feeSen } = feeFor(feeRulesOf(await merchants.profile(merchantId)), charge);
  return toInquiryMessage(inquiry, terms, feeSen);
}
