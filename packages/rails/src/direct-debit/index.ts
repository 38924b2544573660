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
} from './port.ts';
export { openSnapDirectDebit, type SnapDirectDebitOptions } from './snap.ts';
