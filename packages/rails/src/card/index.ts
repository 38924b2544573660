export { CardData, type CardFields } from './card-data.ts';
export type { AcquirerChargeback, ChargebackInquiry } from './chargeback.ts';
export { type CardHistoryOptions, openRestCardHistory } from './history.ts';
export { type PrivateData, readPrivateData, writePrivateData } from './iso8583/private-data.ts';
export { type Iso8583Acquirer, openIso8583CardRail } from './iso8583/rail.ts';
export type {
  AuthorisationRequest,
  AuthorisationResult,
  AuthorisationState,
  AuthorisedPayment,
  CardRail,
  DoneResult,
  FormField,
  Inquire,
  InquiryResult,
} from './port.ts';
export { ACQUIRER_TLS_VERSIONS, type AcquirerCredentials, openRestCardRail, type RestCardRail } from './rest.ts';
export { type SignedCall, signAcquirerCall } from './rest-signature.ts';
export {
  type AcquirerTerms,
  DEFAULT_TERMS,
  type InstallmentTerm,
  parseAcquirerTerms,
  whyNoInstallment,
} from './terms.ts';
