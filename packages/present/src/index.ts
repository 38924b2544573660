export { type AccountJson, accountSchema, accountStatusOf, presentAccount } from './account.ts';
export { type AccountTransferJson, accountTransferSchema, presentAccountTransfer } from './account-transfer.ts';
export { presentCallbackSettings } from './callback-settings.ts';
export { presentDelivery } from './delivery.ts';
export {
  type CatalogueEntry,
  EVENT_CATALOGUE,
  type EventCatalogue,
  type EventSource,
  type EventType,
  type PresentedEvent,
  presentEvent,
} from './event-catalogue.ts';
export { presentEwalletCheckout } from './ewallet-checkout.ts';
export {
  EWALLET_WORDS,
  HISTORY_WORDS,
  PAYMENT_LINK_WORDS,
  QRIS_WORDS,
  type StatusWords,
  statusOfWord,
  VIRTUAL_ACCOUNT_WORDS,
} from './payable-status.ts';
export { presentHistory, presentPaymentLink } from './payment-link.ts';
export { presentQrisTransaction, type QrisTransactionJson, qrisTransactionSchema } from './qris-transaction.ts';
export { presentRetailTransaction } from './retail-transaction.ts';
export {
  BankAccountNumber,
  BankCode,
  BankShortName,
  EwalletChannel,
  EwalletStatus,
  EwalletTransactionId,
  JakartaDateTime,
  Money,
  MoneyOrNull,
  PaymentLinkHistoryReference,
  PaymentLinkHistoryStatus,
  PaymentLinkReference,
  PaymentLinkStatus,
  PaymentMethodCode,
  pageSchema,
  QrisReference,
  QrisStatus,
  ReferenceNumber,
  RetailCode,
  RetailStatus,
  Timestamp,
  TransactionStatus,
  TransactionStatusCode,
  Ulid,
  UnixMilliseconds,
  UnixMillisecondsText,
  VirtualAccountStatus,
  WebhookTimestamp,
} from './schemas.ts';
export { entryTypeOf, presentEntry, presentSettlement } from './statement.ts';
export {
  presentTransfer,
  presentTransferForWebhook,
  type TransferForWebhookJson,
  type TransferJson,
  transferForWebhookSchema,
  transferSchema,
  transferStatusOf,
} from './transfer.ts';
export {
  presentVaTransaction,
  presentVirtualAccount,
  type VaTransactionJson,
  type VirtualAccountJson,
  vaTransactionSchema,
  virtualAccountSchema,
} from './virtual-account.ts';
export type { DomainEvent, UrlSetting, Webhook } from './webhook-event.ts';
