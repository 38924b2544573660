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
