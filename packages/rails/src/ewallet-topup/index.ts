export {
  EWALLET_TOPUP_PROFILES,
  type EwalletTopupChannel,
  type EwalletTopupProfile,
  findEwalletTopupChannel,
} from './channels.ts';
export type {
  EwalletTopupInquiryResult,
  EwalletTopupRail,
  EwalletTopupRequest,
  EwalletTopupResult,
  Wallet,
  WalletInquiryResult,
} from './port.ts';
export { openSnapEwalletTopup } from './snap.ts';
