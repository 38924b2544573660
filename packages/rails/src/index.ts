export type {
  AccountInquiry,
  AccountInquiryResult,
  BankTransferInquiryResult,
  BankTransferRail,
  BankTransferRequest,
  BankTransferResult,
  CallOptions,
} from './bank-transfer.ts';
