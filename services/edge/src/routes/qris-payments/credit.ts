import { presentQrisPayment, qrisPaymentSchema } from '@gerbang/present';
import { z } from 'zod';
import { moneyAmount, ofAccount, orAbsent } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { failureOf } from '../transfer-failure.ts';
import { mustBeThere, qrData } from './inquiry.ts';

/** The acquirer is asked about the code, twice at most; money-out then answers after 3 s when it has not paid by then. */
const TIMEOUT_MS = 20_000;

const body = z.object({
  reference_number: referenceNumber,
  qr_data: orAbsent(qrData),
  amount: orAbsent(moneyAmount),
  tip: orAbsent(moneyAmount),
});

/** POST /api/v2.0/qris/credit/{account_id} (contract §6). Refusals: validation, and those of money-out. */
export const creditQris = operation({
  id: 'creditQris',
  summary: 'Pay a QRIS code',
  description:
    'Holds amount, tip and fee, then asks the acquirer. `qr_data` may be left out where the reference was inquired, `amount` where ' +
    'the code or the inquiry has it; `tip` is for codes that let the payer enter one. Answers when the acquirer has answered, or ' +
    'after 3 seconds with status 03 (Pending); the webhook `qris-issuer` brings the outcome. The same reference with the same ' +
    'content answers the existing payment.',
  input: z.object({ params: ofAccount, body }),
  data: qrisPaymentSchema,
  creates: true,
  refusals: ['insufficient_balance', 'duplicate_reference', 'account_limit', 'frozen', 'vendor_inactive'],
  failures: ['transaction_failed', 'beneficiary_not_found', 'beneficiary_limit'],
  async handle({ qrisPayments }, { caller, params, body: ordered, idempotencyKey }) {
    const { transfer, replayed } = await qrisPayments.creditQrisPayment(
      {
        merchantId: caller.merchantId,
        accountId: params.account_id,
        referenceNumber: ordered.reference_number,
        qrData: ordered.qr_data ?? '',
        ...(ordered.amount !== undefined && { amountSen: ordered.amount }),
        ...(ordered.tip !== undefined && { tipSen: ordered.tip }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    const payment = mustBeThere(transfer);
    const failure = failureOf(payment);
    return { data: presentQrisPayment(payment), replayed, ...(failure !== undefined && { failure }) };
  },
});
