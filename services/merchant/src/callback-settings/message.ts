import { create } from '@bufbuild/protobuf';
import {
  type CallbackSettings as CallbackSettingsMessage,
  CallbackSettingsSchema,
} from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { CallbackSettings } from './callback-settings.ts';

/** The settings as the contract between services shows them. */
export function toMessage(settings: CallbackSettings): CallbackSettingsMessage {
  const { transactionNotifUrl, disbursementNotifUrl, directDebitNotifUrl, paymentLinkInquiryNotifUrl, signatureEnabled } =
    settings;
  return create(CallbackSettingsSchema, {
    ...(transactionNotifUrl !== undefined && { transactionNotifUrl }),
    ...(disbursementNotifUrl !== undefined && { disbursementNotifUrl }),
    ...(directDebitNotifUrl !== undefined && { directDebitNotifUrl }),
    ...(paymentLinkInquiryNotifUrl !== undefined && { paymentLinkInquiryNotifUrl }),
    signatureEnabled,
  });
}

/** The settings in a message; a field that the message leaves out is absent, its signature switch false. */
export function fromMessage(message: CallbackSettingsMessage | undefined): CallbackSettings {
  return {
    transactionNotifUrl: message?.transactionNotifUrl,
    disbursementNotifUrl: message?.disbursementNotifUrl,
    directDebitNotifUrl: message?.directDebitNotifUrl,
    paymentLinkInquiryNotifUrl: message?.paymentLinkInquiryNotifUrl,
    signatureEnabled: message?.signatureEnabled ?? false,
  };
}
