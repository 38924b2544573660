export type {
  AccountInquiry,
  AccountInquiryResult,
  BankTransferInquiryResult,
  BankTransferRail,
  BankTransferRequest,
  BankTransferResult,
  TransferOptions,
} from './port.ts';
export { openSnapBankTransfer, type SnapBankTransferOptions } from './snap.ts';
