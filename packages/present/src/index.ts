export { type AccessTokenJson, accessTokenSchema, presentAccessToken } from './access-token.ts';
export { type AccountJson, accountSchema, accountStatusOf, presentAccount } from './account.ts';
export { type AccountTransferJson, accountTransferSchema, presentAccountTransfer } from './account-transfer.ts';
export { type BalanceJson, balanceSchema, presentBalance } from './balance.ts';
export {
  type BeneficiaryJson,
  beneficiarySchema,
  type DisbursementFeeJson,
  disbursementFeeSchema,
  presentBeneficiary,
  presentDisbursementFee,
} from './beneficiary.ts';
export { type CallbackSettingsJson, callbackSettingsSchema, presentCallbackSettings } from './callback-settings.ts';
export {
  type ChargebackJson,
  ChargebackStatus,
  chargebackSchema,
  chargebackStatusOf,
  presentChargeback,
} from './card-chargeback.ts';
export {
  type CardCancelJson,
  type CardTransactionJson,
  cardCancelSchema,
  cardTransactionSchema,
  presentCardCancel,
  presentCardTransaction,
} from './card-transaction.ts';
export {
  type CardlessWithdrawalJson,
  CardlessWithdrawalStatus,
  type CardlessWithdrawalWithCodeJson,
  cardlessWithdrawalSchema,
  cardlessWithdrawalStatusOf,
  cardlessWithdrawalWithCodeSchema,
  presentCardlessWithdrawal,
  presentCardlessWithdrawalWithCode,
} from './cardless-withdrawal.ts';
export { type DeliveryJson, deliverySchema, presentDelivery } from './delivery.ts';
export {
  type DirectDebitBindingJson,
  DirectDebitBindingStatus,
  type DirectDebitRefundJson,
  DirectDebitStatus,
  type DirectDebitTransactionJson,
  directDebitBindingSchema,
  directDebitBindingStatusOf,
  directDebitRefundSchema,
  directDebitStatusOf,
  directDebitTransactionSchema,
  newDirectDebitBindingSchema,
  presentDirectDebitBinding,
  presentDirectDebitRefund,
  presentDirectDebitTransaction,
  presentUnbinding,
  unbindSchema,
} from './direct-debit.ts';
export {
  type CatalogueEntry,
  EVENT_CATALOGUE,
  type EventCatalogue,
  type EventSource,
  type EventType,
  type PresentedEvent,
  presentEvent,
  WEBHOOKS,
} from './event-catalogue.ts';
export { type EwalletCheckoutJson, ewalletCheckoutSchema, presentEwalletCheckout } from './ewallet-checkout.ts';
export {
  type EwalletTopupJson,
  ewalletTopupSchema,
  presentEwalletTopup,
  presentWallet,
  type WalletJson,
  walletSchema,
} from './ewallet-topup.ts';
export {
  EWALLET_WORDS,
  HISTORY_WORDS,
  PAYMENT_LINK_WORDS,
  QRIS_WORDS,
  type StatusWords,
  statusOfWord,
  VIRTUAL_ACCOUNT_WORDS,
} from './payable-status.ts';
export {
  type HistoryJson,
  historySchema,
  type PaymentLinkJson,
  paymentLinkSchema,
  presentHistory,
  presentPaymentLink,
} from './payment-link.ts';
export { type PaymentMethodsJson, paymentMethodsSchema, presentPaymentMethods } from './payment-method.ts';
export {
  type PrepaidInquiryJson,
  type PrepaidPaymentJson,
  type PrepaidProductsJson,
  PrepaidStatus,
  prepaidInquirySchema,
  prepaidPaymentSchema,
  prepaidProductsSchema,
  presentPrepaidInquiry,
  presentPrepaidPayment,
  presentPrepaidProducts,
} from './prepaid.ts';
export {
  presentAcquiredQris,
  presentQrisPayment,
  presentQrisPaymentForWebhook,
  presentQrisPaymentStatus,
  type QrisPaymentForWebhookJson,
  type QrisPaymentJson,
  qrisPaymentForWebhookSchema,
  qrisPaymentSchema,
} from './qris-payment.ts';
export { presentQrisTransaction, type QrisTransactionJson, qrisTransactionSchema } from './qris-transaction.ts';
export { presentRetailTransaction, type RetailTransactionJson, retailTransactionSchema } from './retail-transaction.ts';
export { pageSchema, TransactionStatusCode, Ulid, VirtualAccountStatus } from './schemas.ts';
export {
  type EntryJson,
  entrySchema,
  entryTypeOf,
  presentEntry,
  presentSettlement,
  type SettlementJson,
  settlementSchema,
} from './statement.ts';
export {
  type CycleJson,
  cycleSchema,
  PlanInterval,
  type PlanJson,
  PlanStatus,
  planIntervalOf,
  planSchema,
  planStatusOf,
  presentCycle,
  presentPlan,
} from './subscription.ts';
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
export type { DomainEvent, UrlSetting, Webhook, WebhookKind } from './webhook-event.ts';
