import type { CallbackSettings } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';

const url = (events: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `Where ${events} are sent; null: they are not sent.` });

export const callbackSettingsSchema = z
  .strictObject({
    transaction_notif_url: url('webhooks of money in'),
    disbursement_notif_url: url('webhooks of money out'),
    direct_debit_notif_url: url('webhooks of direct debit'),
    payment_link_inquiry_notif_url: url('webhooks about sessions of payment links'),
    signature_enabled: z.boolean().meta({ description: 'false takes the signature off qris-issuer webhooks, and off no other.' }),
  })
  .meta({ id: 'CallbackSettings', description: 'Where webhooks go.' });

export type CallbackSettingsJson = z.output<typeof callbackSettingsSchema>;

/** A merchant's callback settings as its API shows them; an unset URL is null (contract §4). */
export function presentCallbackSettings(settings: CallbackSettings): CallbackSettingsJson {
  return {
    transaction_notif_url: settings.transactionNotifUrl ?? null,
    disbursement_notif_url: settings.disbursementNotifUrl ?? null,
    direct_debit_notif_url: settings.directDebitNotifUrl ?? null,
    payment_link_inquiry_notif_url: settings.paymentLinkInquiryNotifUrl ?? null,
    signature_enabled: settings.signatureEnabled,
  };
}
