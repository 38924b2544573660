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
export { openSnapBankTransfer, type SnapBankTransferOptions } from './snap-bank-transfer.ts';
export type { SnapCredentials } from './snap-client.ts';
export {
  minifyJson,
  type SnapTransaction,
  signTokenRequest,
  signTransaction,
  transactionStringToSign,
  verifyTokenRequest,
  verifyTransaction,
} from './snap-signature.ts';
