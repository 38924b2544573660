import { type Refusal, RefusalError, refuse } from '@gerbang/core';
import { prepaidPaymentSchema, presentPrepaidPayment } from '@gerbang/present';
import { type Purchase, PurchaseStatus } from '@gerbang/proto/gerbang/biller/v1/biller';
import { z } from 'zod';
import { accountId, orAbsent, text } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { command } from './fields.ts';

/** The biller service answers after 3 s at the most, when the biller has not; the rest is for the ledger and the transport. */
const TIMEOUT_MS = 10_000;

const body = z.object({
  command,
  data: z
    .object({
      reference_number: text
        .regex(/^[\x20-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters')
        .meta({ description: '`reference_number` of the inquiry.', examples: ['01KAJ5ZQ2M8R4T6V1X3Y5Z7A9B'] }),
      account_id: orAbsent(accountId).meta({ description: "The account to debit; the merchant's default account if left out." }),
    })
    .meta({ id: 'PayPrepaidRequestData', description: 'What is paid, and from where.' }),
});

/** POST {biller_url}/api/v1/prepaid/payment (contract §9). Refusals: validation, and those of the biller. */
export const payPrepaid = operation({
  id: 'payPrepaid',
  summary: 'Pay for a prepaid product',
  description:
    'Debits the price once per reference, however often it is sent. Answers when the biller has answered, or after 3 seconds with ' +
    'status pending: the webhook `biller-payment` brings the end, with the token. The same request again answers the payment as it ' +
    'then stands, also after the reference has expired. A payment that has failed is 04, names `reference_number`, and is debited ' +
    'nothing.',
  input: z.object({ body }),
  data: prepaidPaymentSchema,
  creates: true,
  echoes: ['command'],
  refusals: [
    'insufficient_balance',
    'account_limit',
    'frozen',
    'account_not_found',
    'account_of_other_merchant',
    'vendor_inactive',
    'transaction_failed',
  ],
  async handle({ prepaid }, { caller, body: ordered, idempotencyKey }) {
    const { purchase, token, replayed } = await prepaid.payPrepaid(
      {
        merchantId: caller.merchantId,
        command: ordered.command,
        referenceNumber: ordered.data.reference_number,
        accountId: ordered.data.account_id ?? '',
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (purchase === undefined) throw new Error('the biller answered no purchase');
    const failure = failureOf(purchase);
    if (failure !== undefined) throw new RefusalError({ ...failure, replayed });
    return { data: presentPrepaidPayment(purchase, token), replayed };
  },
});

/** The legacy envelope has no data beside the fields that are wrong, so a payment that has failed is only refused. */
function failureOf({ status, failedReason }: Purchase): Refusal | undefined {
  if (status !== PurchaseStatus.FAILED) return undefined;
  return refuse('transaction_failed', failedReason === '' ? {} : { message: failedReason });
}
