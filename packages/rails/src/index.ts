export type {
  AccountInquiry,
  AccountInquiryResult,
  BankTransferInquiryResult,
  BankTransferRail,
  BankTransferRequest,
  BankTransferResult,
  FailedOutcome,
  ReturnedOutcome,
  TransferOptions,
} from './bank-transfer.ts';
export type { CardlessName, CardlessRail, CardlessRequest, CardlessState } from './cardless-withdrawal/rail.ts';
export { openSnapCardless } from './cardless-withdrawal/snap.ts';
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
export type { QrisGeneration, QrisInquiry, QrisName, QrisRail, QrisRequest } from './qris.ts';
export type {
  QrisDecoding,
  QrisPaymentRail,
  QrisPaymentRequest,
  QrisPaymentResult,
  QrisProblem,
  QrisReturned,
  QrisScan,
} from './qris-payment/qris-payment.ts';
export { openSnapQrisPayment, type SnapQrisPaymentOptions } from './qris-payment/snap-qris-payment.ts';
export {
  type CallOptions,
  callWithin,
  type NotFoundOutcome,
  type PaidOutcome,
  type RefusedOutcome,
  type UnknownOutcome,
} from './rail-call.ts';
export { openSnapBankTransfer, type SnapBankTransferOptions } from './snap-bank-transfer.ts';
export type { SnapCredentials } from './snap-client.ts';
export { openSnapEwallet } from './snap-ewallet.ts';
export { openSnapQris, type SnapQrisOptions } from './snap-qris.ts';
