import { createHmac, randomBytes } from 'node:crypto';
import type { Keys, Secret } from '@gerbang/keys';
import type { CardData } from '@gerbang/rails/card';
import { insertMissing, type Store, traced } from '@gerbang/store';

export const VAULT_SECRETS = 'vault_secrets';
const ID = 'fingerprint';
const KEY_BYTES = 32;
/** Of base64url: 132 bits. */
const PRINT_LENGTH = 22;

export type SecretDocument = { _id: string; schema: number; sealed: string };

/** What the vault's own key is sealed to. */
export const FINGERPRINT_KEY: Secret<'card-number'> = { purpose: 'card-number', owner: 'fingerprint-key' };

/** Tells whether two cards of a merchant are the same, without a number. */
export type Fingerprint = (merchantId: string, card: CardData) => string;

/** Tells cards apart for counting, over all merchants, without a number. `bin`: the issuer's range. */
export type CountingPrints = {
  card(card: CardData): string;
  bin(card: CardData): string;
  /** Of anything else that is counted and not to be kept as it is. */
  text(kind: string, value: string): string;
};

/** HMAC-SHA-256 of the parts, under the vault's own key. */
type KeyedHash = (parts: readonly string[]) => Buffer;

/** The fingerprints of this vault, of merchant, number and expiry. */
export async function openFingerprint(store: Store, keys: Keys<'card-number'>): Promise<Fingerprint> {
  const hash = await openKeyedHash(store, keys);
  return (merchantId, card) => {
    const { number, expiry } = card.reveal();
    return hash([merchantId, number, expiry]).toString('hex');
  };
}

/** Cards with eight digits of BIN are as long as that; the shorter ones have six (ISO/IEC 7812-1). */
const LONG_NUMBER = 16;

/** The prints of the number only: who guesses the expiry of a card tries one card. They are of no merchant. */
export async function openCountingPrints(store: Store, keys: Keys<'card-number'>): Promise<CountingPrints> {
  const hash = await openKeyedHash(store, keys);
  const print = (kind: string, value: string) => hash(['counted', kind, value]).toString('base64url').slice(0, PRINT_LENGTH);
  return {
    card: (card) => print('card', card.reveal().number),
    bin(card) {
      const { number } = card.reveal();
      return print('bin', number.slice(0, number.length < LONG_NUMBER ? 6 : 8));
    },
    text: print,
  };
}

/**
 * The vault makes the key at its first start and keeps it sealed, so that no configuration and no other service ever has it: without
 * it the few numbers there are could be tried.
 */
async function openKeyedHash(store: Store, keys: Keys<'card-number'>): Promise<KeyedHash> {
  const collection = store.collection<SecretDocument>(VAULT_SECRETS);
  const read = () => traced('findOne', VAULT_SECRETS, () => collection.findOne({ _id: ID }, { readConcern: 'linearizable' }));
  let found = await read();
  if (found === null) {
    const sealed = await keys.seal(FINGERPRINT_KEY, randomBytes(KEY_BYTES), { fresh: true });
    await insertMissing(collection, [{ _id: ID, schema: 1, sealed }]);
    found = await read();
  }
  if (found === null) throw new Error('the key of card fingerprints has vanished');
  const key = await keys.openBytes(FINGERPRINT_KEY, found.sealed);
  return (parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}
