import type { CallbackSettings } from '@gerbang/proto/gerbang/merchant/v1/merchant';

/** A merchant's callback settings as its API shows them; an unset URL is null (contract §4). */
export function presentCallbackSettings(settings: CallbackSettings): object {
  return {
    transaction_notif_url: settings.transactionNotifUrl ?? null,
    disbursement_notif_url: settings.disbursementNotifUrl ?? null,
    direct_debit_notif_url: settings.directDebitNotifUrl ?? null,
    payment_link_inquiry_notif_url: settings.paymentLinkInquiryNotifUrl ?? null,
    signature_enabled: settings.signatureEnabled,
  };
}
