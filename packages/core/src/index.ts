export {
  type BankingCalendar,
  BankingCalendarError,
  coversYear,
  INDONESIAN_BANKING_CALENDAR,
  isBankingDay,
  parseBankingCalendar,
} from './banking-calendar.ts';
export { BANKS, type Bank, findBank, findBankByShortName } from './banks.ts';
export { JAKARTA_OFFSET_MS, jakartaDateTime, jakartaDay, jakartaIso, jakartaTimestamp } from './calendar.ts';
export { canonicalJson, type Json } from './canonical-json.ts';
export { brandOfCard, CARD_BRANDS, type CardBrand, cvvDigitsOf, maskCardNumber } from './card-brand.ts';
export { harmlessText, hasCardNumber, maskCardNumbers } from './card-number.ts';
export { checkpointText, parseCheckpoint } from './checkpoint-text.ts';
export { type AdjustableClock, type Clock, createClock } from './clock.ts';
export { type Charge, deductFee, type Fee, type FeeRule, feeFor, feeRuleFor } from './fee.ts';
export { isUlid, type NewId, newUlid, ulidFloor, ulidFrom, ulidTimeMs } from './id.ts';
export { checkStructure } from './json-structure.ts';
export { type KeyRing, parseKeyRing } from './key-ring.ts';
export { type Checkpoint, type KeyedChain, keyedChain, type Link, NO_LINK } from './keyed-chain.ts';
export { isLuhn, luhnDigit } from './luhn.ts';
export { AMOUNT_MAX_SEN, formatSen, type Money, parseAmount, parseAmountNumber, roundToRupiah, toMoney } from './money.ts';
export { areDistinct, isOfSeries, type NewDigits, type NumberSeries, newNumber, randomDigits } from './number-series.ts';
export {
  EWALLET_CHANNELS,
  isPaymentMethod,
  PAYMENT_METHOD_CODES,
  PAYMENT_METHODS,
  type PaymentMethod,
} from './payment-method.ts';
export { isPlainText, PLAIN_TEXT_PATTERN } from './plain-text.ts';
export { CALLING_RAILS, type CallingRail, MONEY_OUT_PRODUCTS, MONEY_OUT_RAILS, PRODUCTS } from './products.ts';
export type { DataObject } from './qris/data-object.ts';
export { decodeQris } from './qris/decode.ts';
export { encodeQris } from './qris/encode.ts';
export { qrisNames } from './qris/names.ts';
export {
  acquirerNns,
  NATIONAL_TAG,
  nationalMerchantId,
  QRIS_DOMAIN,
  type Qris,
  type QrisAccount,
  type QrisAdditionalData,
  type QrisAlternateLanguage,
  type QrisTip,
  tipSen,
} from './qris/qris.ts';
export {
  describeRefusal,
  type FieldErrors,
  isRefusal,
  isRefusalCode,
  type Refusal,
  type RefusalCode,
  RefusalError,
  refuse,
  refuseField,
  refuseFields,
  type SpCode,
} from './result.ts';
export { chainOfPaymentCode, isRetailCode, newPaymentCode, RETAIL_CODES, type RetailCode } from './retail.ts';
export type { SealedToken } from './sealed-token.ts';
export {
  PRODUCTION_SETTLEMENT,
  parseSettlementRules,
  SANDBOX_SETTLEMENT,
  type SettlementRule,
  type SettlementRules,
  settlementRuleOf,
  settlesAt,
} from './settlement.ts';
export {
  bodyHash,
  equalsInConstantTime,
  hashOfCanonical,
  isTimestampInWindow,
  SIGNATURE_WINDOW_SECONDS,
  type SignedRequest,
  signHashedRequest,
  signRequest,
  stringToSign,
  tokenSignature,
  verifyHashedRequestSignature,
  verifyRequestSignature,
} from './signature.ts';
export type { HashedRequest } from './signature-text.ts';
export {
  messageStringToSign,
  minifyJson,
  type SnapMessage,
  type SnapTransaction,
  signMessage,
  signTokenRequest,
  signTransaction,
  transactionStringToSign,
  verifyMessage,
  verifyTokenRequest,
  verifyTransaction,
} from './snap-signature.ts';
export type { Storable, Unstorable, unstorable } from './unstorable.ts';
export {
  bankOfVaNumber,
  isVaBankCode,
  newVaNumber,
  parseVaSeries,
  SANDBOX_VA_SERIES,
  VA_BANK_CODES,
  type VaBankCode,
  type VaSeries,
  vaBank,
} from './virtual-account.ts';
export { URL_LENGTH_MAX, webUrlProblem } from './web-url.ts';
