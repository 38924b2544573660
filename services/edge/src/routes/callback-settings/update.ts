import { z } from 'zod';
import { text } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { answerSettings } from './get.ts';

const body = z.object({
  transaction_notif_url: text.nullable().optional(),
  disbursement_notif_url: text.nullable().optional(),
  direct_debit_notif_url: text.nullable().optional(),
  payment_link_inquiry_notif_url: text.nullable().optional(),
  signature_enabled: z.boolean('must be true or false').optional(),
});

/**
 * PUT callback-settings: the fields that the body has; null clears a URL (contract §4). What a URL may be is the merchant
 * service's to say. Refusals: validation.
 */
export const updateCallbackSettings: Handler = async ({ merchants }, call) => {
  const given = validate(body, call.body);
  const { settings } = await merchants.updateCallbackSettings({
    merchantId: call.caller.merchantId,
    settings: {
      ...(given.transaction_notif_url != null && { transactionNotifUrl: given.transaction_notif_url }),
      ...(given.disbursement_notif_url != null && { disbursementNotifUrl: given.disbursement_notif_url }),
      ...(given.direct_debit_notif_url != null && { directDebitNotifUrl: given.direct_debit_notif_url }),
      ...(given.payment_link_inquiry_notif_url != null && { paymentLinkInquiryNotifUrl: given.payment_link_inquiry_notif_url }),
      signatureEnabled: given.signature_enabled ?? false,
    },
    update: Object.keys(given),
  });
  return answerSettings(settings);
};
