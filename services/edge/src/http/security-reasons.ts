import type { SecurityReasons } from '@gerbang/runtime';

/** What the listeners of merchants refuse with 401, 403 and 429: codes of the catalogue of refusals. */
export const MERCHANT_REASONS: SecurityReasons = {
  unauthenticated: ['unauthorized', 'signature_invalid'],
  forbidden: ['ip_not_allowed', 'product_not_allowed', 'frozen', 'account_of_other_merchant', 'forbidden'],
  rate_limited: ['rate_limited'],
};

/** The same of the rails listener: SNAP's messages as codes. */
export const RAILS_REASONS: SecurityReasons = {
  unauthenticated: ['unauthorized_signature', 'unauthorized_x_timestamp', 'invalid_token_b2b'],
  forbidden: ['feature_not_allowed'],
  rate_limited: ['too_many_requests'],
};
