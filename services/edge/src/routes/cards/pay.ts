import { refuse } from '@gerbang/core';
import { cardTransactionSchema, presentCardTransaction } from '@gerbang/present';
import { z } from 'zod';
import { moneyAmount, ofAccount, optionalReference, orAbsent, webUrl } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { CARD_FIELDS, cardFields, checkCvv, customer, TIMEOUT_MS } from './fields.ts';

const MONTHS = [1, 3, 6, 12] as const;

const body = z
  .object({
    ...cardFields,
    installment: z
      .union([z.literal(1), z.literal(2)], 'must be 1 or 2')
      .default(1)
      .meta({ description: '1: in full; 2: in installments.' }),
    installment_month: z
      .union(
        MONTHS.map((months) => z.literal(months)),
        'must be 1, 3, 6 or 12',
      )
      .default(1)
      .meta({ description: '1: in full.' }),
    amount: moneyAmount,
    customer,
    merchant_reff_no: optionalReference(255).meta({ description: "The merchant's own reference." }),
    redirect_url: orAbsent(webUrl).meta({ description: 'Where the customer goes after 3DS.' }),
  })
  .superRefine((sent, context) => {
    checkCvv(sent, context);
    if (sent.installment === 1 && sent.installment_month !== 1)
      context.addIssue({ code: 'custom', path: ['installment_month'], message: 'must be 1 where it is paid in full' });
    if (sent.installment === 2 && sent.installment_month === 1)
      context.addIssue({ code: 'custom', path: ['installment_month'], message: 'must be 3, 6 or 12 in installments' });
  });

/** POST /api/v2.0/card/{account_id}/payment (contract §7). Refusals: validation, and those of cards. */
export const payByCard = operation({
  id: 'payByCard',
  summary: 'Charge a card',
  description:
    'Answers when the acquirer has answered, or after 3 seconds with status processing. Where the issuer wants the customer to be ' +
    'authenticated, the status is pending, `action` is redirect, and the customer goes to `payment_url`. The webhook ' +
    '`card-transaction` brings the outcome. A declined payment is SP001 with status failed. Captured after a delay: until then a ' +
    'cancel is a void, from then on a refund. An Idempotency-Key stands for the body without the card.',
  input: z.object({ params: ofAccount, body }),
  data: cardTransactionSchema,
  creates: true,
  secretFields: CARD_FIELDS,
  links: {
    showCardPayment: { account_id: '$request.path.account_id', id: '$response.body#/data/id' },
    cancelCardPayment: { account_id: '$request.path.account_id', id: '$response.body#/data/id' },
  },
  refusals: ['account_limit', 'frozen'],
  failures: ['transaction_failed'],
  async handle({ cards }, { caller, address, params, body: ordered, idempotencyKey }) {
    const { payment, replayed } = await cards.pay(
      {
        merchantId: caller.merchantId,
        accountId: params.account_id,
        card: {
          number: ordered.card_number,
          expiry: ordered.card_expiry,
          cvv: ordered.card_cvv,
          holderName: ordered.card_holder_name,
        },
        amountSen: ordered.amount,
        installment: ordered.installment,
        installmentMonths: ordered.installment_month,
        customer: ordered.customer,
        merchantReffNo: ordered.merchant_reff_no,
        redirectUrl: ordered.redirect_url ?? '',
        callerAddress: address() ?? '',
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (payment === undefined) throw new Error('cards answered no payment');
    const data = presentCardTransaction(payment);
    const message = data.failed_reason ?? 'The payment was declined';
    return { data, replayed, ...(data.status === 'failed' && { failure: refuse('transaction_failed', { message }) }) };
  },
});
