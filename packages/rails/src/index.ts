export type {
  EwalletCreation,
  EwalletInquiry,
  EwalletName,
  EwalletRail,
  EwalletRefund,
  EwalletRefundResult,
  EwalletRequest,
} from './ewallet.ts';
export { HistoryError, type HistoryRow, type Period, type RailHistory } from './history/history.ts';
export { type HistoryStyle, openSnapHistory, type SnapHistoryOptions } from './history/snap-history.ts';
export { PROVIDER_NAMES } from './providers/providers.ts';
export type { QrisGeneration, QrisInquiry, QrisName, QrisRail, QrisRequest } from './qris.ts';
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
export { TLS_VERSIONS } from './snap-http.ts';
export { openSnapQris, type SnapQrisOptions } from './snap-qris.ts';
