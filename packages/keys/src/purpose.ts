/**
 * What things are sealed for: the closed list. Each has a key of its own, so that a service is given the keys of its own purposes
 * only, and a ciphertext of one purpose opens under no other.
 */
export const PURPOSES = [
  /** Merchants' client secrets (merchant). */
  'client-secret',
  /** Private keys that sign access tokens (merchant). */
  'signing-key',
  /** Codes of cardless withdrawals (money-out). */
  'withdrawal-code',
  /** Customers' tokens, phone numbers and the like (direct-debit). */
  'customer-data',
  /** Tokens of prepaid purchases (biller; the notifier opens them for webhooks). */
  'prepaid-token',
  /** Card numbers of subscriptions, and the key of their fingerprints (cards). */
  'card-number',
] as const;

export type Purpose = (typeof PURPOSES)[number];

/**
 * What a sealed thing is for and whose it is. Both go into the ciphertext as associated data, so that one that is copied to
 * another owner opens nothing.
 */
export type Secret<P extends Purpose = Purpose> = { purpose: P; owner: string };

/** A prepaid token is sealed to its purchase: who has the digits can use them, so they are stored and published sealed only. */
export function prepaidToken(referenceNumber: string): Secret<'prepaid-token'> {
  return { purpose: 'prepaid-token', owner: referenceNumber };
}
