export {
  type AccountInquiry,
  type AccountInquiryResult,
  type BankTransferFailed,
  type BankTransferInquiryResult,
  type BankTransferRail,
  type BankTransferRequest,
  type BankTransferResult,
  type BankTransferUnknown,
  bankTransferRequestSchema,
  externalIdOf,
  type RailCallOptions,
} from './bank-transfer.ts';
