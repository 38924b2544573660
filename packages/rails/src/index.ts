export type {
  AccountInquiry,
  AccountInquiryResult,
  BankTransferInquiryResult,
  BankTransferRail,
  BankTransferRequest,
  BankTransferResult,
  TransferOptions,
} from './bank-transfer/port.ts';
export { openSnapBankTransfer, type SnapBankTransferOptions } from './bank-transfer/snap.ts';
export type { CardlessName, CardlessRail, CardlessRequest, CardlessState } from './cardless-withdrawal/rail.ts';
export { openSnapCardless } from './cardless-withdrawal/snap.ts';
export type {
  AccountResult,
  BindRequest,
  BindResult,
  ChargeRequest,
  ChargeResult,
  ChargeState,
  Customer,
  DirectDebitRail,
  OtpRequest,
  RefundRequest,
  RefundResult,
  SendOtpResult,
  TokenResult,
  UnbindRequest,
  UnbindResult,
  VerifyOtpResult,
} from './direct-debit/port.ts';
export { openSnapDirectDebit, type SnapDirectDebitOptions } from './direct-debit/snap.ts';
export type {
  EwalletCreation,
  EwalletInquiry,
  EwalletName,
  EwalletRail,
  EwalletRefund,
  EwalletRefundResult,
  EwalletRequest,
} from './ewallet.ts';
export {
  EWALLET_TOPUP_PROFILES,
  type EwalletTopupChannel,
  type EwalletTopupProfile,
  findEwalletTopupChannel,
} from './ewallet-topup/channels.ts';
export type {
  EwalletTopupInquiryResult,
  EwalletTopupRail,
  EwalletTopupRequest,
  EwalletTopupResult,
  Wallet,
  WalletInquiryResult,
} from './ewallet-topup/port.ts';
export { openSnapEwalletTopup } from './ewallet-topup/snap.ts';
export { HistoryError, type HistoryRow, type Period, type RailHistory } from './history/history.ts';
export { type HistoryStyle, openSnapHistory, type SnapHistoryOptions } from './history/snap-history.ts';
export type {
  PrepaidInquiryResult,
  PrepaidPurchaseResult,
  PrepaidQuestion,
  PrepaidRail,
  PrepaidRequest,
} from './prepaid/rail.ts';
export { openSnapPrepaid } from './prepaid/snap.ts';
export { PROVIDER_NAMES } from './providers/providers.ts';
export type { QrisGeneration, QrisInquiry, QrisName, QrisRail, QrisRequest } from './qris.ts';
export type {
  QrisCancellation,
  QrisDecoding,
  QrisPaymentRail,
  QrisPaymentRequest,
  QrisPaymentResult,
  QrisProblem,
  QrisRefundRequest,
  QrisRefundResult,
  QrisReturned,
  QrisScan,
} from './qris-payment/qris-payment.ts';
export { openSnapQrisPayment, type SnapQrisPaymentOptions } from './qris-payment/snap-qris-payment.ts';
export {
  type CallOptions,
  callWithin,
  type FailedOutcome,
  type NotFoundOutcome,
  type PaidOutcome,
  type RefusedOutcome,
  type ReturnedOutcome,
  type UnknownOutcome,
} from './rail-call.ts';
export { RAIL_SETTINGS, type RailConfig, railFromConfig, railVariables } from './rail-config.ts';
export type { SnapCredentials } from './snap-client.ts';
export { openSnapEwallet } from './snap-ewallet.ts';
export { openSnapQris, type SnapQrisOptions } from './snap-qris.ts';
