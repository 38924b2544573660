import { z } from 'zod';
import { read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import { reversePayment } from '../qris-payment/reverse.ts';
import type { PayAnswer } from './forced.ts';
import { giveBack } from './give-back.ts';

const body = z.object({ qr_data: z.string().min(1).max(1_024) });

/**
 * POST /sandbox/qris/reverse `{qr_data}` → `{accepted, reason?}`: the acquirer gives all of a payment back to its customer, and
 * tells the gateway that it is refunded. The same again tells it again. Where the gateway's partner has paid the code itself, also a
 * code of another acquirer, its payment comes back.
 */
export const reverseQris: Handler = async (context, request) => {
  const { qr_data: payload } = read(body, readJson(request));
  const code = await context.paymentRequests.findByPayload(payload);
  if (code === undefined) {
    const payer = await context.qrisBooks.claimedBy(payload);
    return payer === undefined ? refused('The acquirer does not know this code') : reversePayment(context, payer);
  }
  const receipt = await giveBack(context, code);
  if (typeof receipt === 'string') return refused(receipt);
  const { paidBy } = receipt;
  return paidBy === undefined ? { accepted: true } : reversePayment(context, paidBy);
};

function refused(reason: string): PayAnswer {
  return { accepted: false, reason };
}
