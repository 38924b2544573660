export type {
  AccountInquiry,
  AccountInquiryResult,
  BankTransferInquiryResult,
  BankTransferRail,
  BankTransferRequest,
  BankTransferResult,
  CallOptions,
  FailedOutcome,
  TransferOptions,
  UnknownOutcome,
} from './bank-transfer.ts';
export { openSnapBankTransfer } from './snap-bank-transfer.ts';
export type { SnapCredentials } from './snap-client.ts';
export {
  type SnapTransaction,
  signTokenRequest,
  signTransaction,
  verifyTokenRequest,
  verifyTransaction,
} from './snap-signature.ts';
