import { newDirectDebitBindingSchema, presentDirectDebitBinding } from '@gerbang/present';
import { z } from 'zod';
import { accountId, orAbsent, prose, reference, text, webUrl } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { shortBankCode } from './fields.ts';

const body = z.object({
  account_id: accountId,
  bank_code: shortBankCode,
  customer_id: reference(64).meta({ description: "The merchant's own id of the customer." }),
  customer_name: prose(100).meta({ description: 'Whose account it is.' }),
  customer_phone: text
    .regex(/^\+?[0-9]{8,15}$/, 'must be a phone number of 8 to 15 digits')
    .meta({ description: 'Where the bank sends OTPs.', examples: ['081234567890'] }),
  redirect_url: orAbsent(webUrl).meta({
    description: 'Where the customer goes at the end, with `binding_id` and `handover_code`.',
  }),
});

/** POST /api/v2.0/direct-debit/binding (contract §8). Refusals: validation, and those of direct-debit. */
export const createBinding = operation({
  id: 'createDirectDebitBinding',
  summary: 'Begin to bind a bank account',
  description:
    'Send the customer to `webview_url`, which opens this binding only. The webhooks `direct-debit.binding.succeeded`, `.failed` ' +
    'and `.expired` say what has become of it. The customer comes back to `redirect_url` with `binding_id` and, once, ' +
    '`handover_code`. A visit there proves nothing by itself: show the binding, and compare the code.',
  input: z.object({ body }),
  data: newDirectDebitBindingSchema,
  creates: true,
  links: { showDirectDebitBinding: { binding_id: '$response.body#/data/binding_id' } },
  refusals: ['frozen'],
  async handle({ directDebits }, { caller, body: wanted, idempotencyKey }) {
    const { binding, webviewUrl, replayed } = await directDebits.createBinding({
      merchantId: caller.merchantId,
      accountId: wanted.account_id,
      bankCode: wanted.bank_code,
      customerId: wanted.customer_id,
      customerName: wanted.customer_name,
      customerPhone: wanted.customer_phone,
      redirectUrl: wanted.redirect_url ?? '',
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    if (binding === undefined) throw new Error('direct-debit answered no binding');
    return { data: { ...presentDirectDebitBinding(binding), webview_url: webviewUrl }, replayed };
  },
});
