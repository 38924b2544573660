import { presentQrisPayment, qrisPaymentSchema } from '@gerbang/present';
import type { Transfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { moneyAmount, ofAccount, orAbsent, text } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';

/** The acquirer may take its time, and is asked twice. */
const TIMEOUT_MS = 15_000;

/** What is wrong with a code is for money-out to say; a longer one is none in any case. */
export const qrData = text
  .refine((value) => value.length >= 1 && value.length <= 1_024, 'must have 1 to 1024 characters')
  .meta({ description: 'The payload of a QRIS code, static or dynamic, as it was scanned.', minLength: 1, maxLength: 1_024 });

const body = z.object({ reference_number: referenceNumber, qr_data: qrData, amount: orAbsent(moneyAmount) });

/** POST /api/v2.0/qris/inquiry/{account_id} (contract §6). Refusals: validation, and those of money-out. */
export const inquireQrisPayment = operation({
  id: 'inquireQrisPayment',
  summary: 'Inquire a QRIS code',
  description:
    'Says whose code it is and what paying it costs. Nothing is held. The inquiry is kept for a day, so that the payment may come ' +
    'with the reference alone. `amount` is needed only where the code leaves it to the payer.',
  input: z.object({ params: ofAccount, body }),
  data: qrisPaymentSchema,
  refusals: ['duplicate_reference', 'beneficiary_not_found', 'transaction_failed', 'vendor_inactive', 'frozen'],
  async handle({ qrisPayments }, { caller, params, body: asked }) {
    const { transfer } = await qrisPayments.inquireQrisPayment(
      {
        merchantId: caller.merchantId,
        accountId: params.account_id,
        referenceNumber: asked.reference_number,
        qrData: asked.qr_data,
        ...(asked.amount !== undefined && { amountSen: asked.amount }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    return { data: presentQrisPayment(mustBeThere(transfer)) };
  },
});

/** The payment of an answer. */
export function mustBeThere(transfer: Transfer | undefined): Transfer {
  if (transfer === undefined) throw new Error('money-out answered no payment');
  return transfer;
}
