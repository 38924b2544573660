export type {
  QrisCancellation,
  QrisDecoding,
  QrisPaymentRail,
  QrisPaymentRequest,
  QrisPaymentResult,
  QrisProblem,
  QrisRefundRequest,
  QrisRefundResult,
  QrisReturned,
  QrisScan,
} from './qris-payment.ts';
export { openSnapQrisPayment, type SnapQrisPaymentOptions } from './snap-qris-payment.ts';
