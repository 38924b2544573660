import { callbackSettingsSchema } from '@gerbang/present';
import { z } from 'zod';
import { text } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOf } from './get.ts';

/** What a URL may be is the merchant service's to say. */
const url = (events: string) =>
  text
    .meta({ format: 'uri', maxLength: 2_048 })
    .nullable()
    .optional()
    .meta({
      description:
        `Where ${events} are sent; null: they are not sent. An absolute https URL (http too in the sandbox) without user ` +
        'information, fragment, blanks or control characters.',
    });

const body = z.object({
  transaction_notif_url: url('webhooks of money in'),
  disbursement_notif_url: url('webhooks of money out'),
  direct_debit_notif_url: url('webhooks of direct debit'),
  payment_link_inquiry_notif_url: url('webhooks about sessions of payment links'),
  signature_enabled: z
    .boolean('must be true or false')
    .meta({ description: 'false takes the signature off qris-issuer webhooks, and off no other.' })
    .optional(),
});

/** PUT callback-settings: the fields that the body has; null clears a URL (contract §4). Refusals: validation. */
export const updateCallbackSettings = operation({
  id: 'updateCallbackSettings',
  summary: 'Change the callback settings',
  description: 'Changes the fields that the body has; null clears a URL. A change applies to every later event.',
  input: z.object({ body }),
  data: callbackSettingsSchema,
  refusals: ['frozen'],
  async handle({ merchants }, { caller, body: given }) {
    const { settings } = await merchants.updateCallbackSettings({
      merchantId: caller.merchantId,
      settings: {
        ...(given.transaction_notif_url != null && { transactionNotifUrl: given.transaction_notif_url }),
        ...(given.disbursement_notif_url != null && { disbursementNotifUrl: given.disbursement_notif_url }),
        ...(given.direct_debit_notif_url != null && { directDebitNotifUrl: given.direct_debit_notif_url }),
        ...(given.payment_link_inquiry_notif_url != null && { paymentLinkInquiryNotifUrl: given.payment_link_inquiry_notif_url }),
        signatureEnabled: given.signature_enabled ?? false,
      },
      update: Object.keys(given),
    });
    return { data: dataOf(settings) };
  },
});
