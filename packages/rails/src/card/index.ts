export { CardData, type CardFields } from './card-data.ts';
export { type CardHistoryOptions, openRestCardHistory } from './history.ts';
export type {
  AuthorisationRequest,
  AuthorisationResult,
  AuthorisationState,
  CardRail,
  DoneResult,
  InquiryResult,
} from './port.ts';
export { ACQUIRER_TLS_VERSIONS, type AcquirerCredentials, openRestCardRail } from './rest.ts';
export { type SignedCall, signAcquirerCall } from './rest-signature.ts';
export {
  type AcquirerTerms,
  DEFAULT_TERMS,
  type InstallmentTerm,
  parseAcquirerTerms,
  whyNoInstallment,
} from './terms.ts';
