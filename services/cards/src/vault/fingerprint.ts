import { createHmac, randomBytes } from 'node:crypto';
import type { Keys, Secret } from '@gerbang/keys';
import type { CardData } from '@gerbang/rails/card';
import { insertMissing, type Store, traced } from '@gerbang/store';

export const VAULT_SECRETS = 'vault_secrets';
const ID = 'fingerprint';
const KEY_BYTES = 32;

export type SecretDocument = { _id: string; schema: number; sealed: string };

/** What the vault's own key is sealed to. */
export const FINGERPRINT_KEY: Secret<'card-number'> = { purpose: 'card-number', owner: 'fingerprint-key' };

/** Tells whether two cards of a merchant are the same, without a number. */
export type Fingerprint = (merchantId: string, card: CardData) => string;

/**
 * The fingerprints of this vault: HMAC-SHA-256 of merchant, number and expiry. The vault makes the key at its first start and keeps it
 * sealed, so that no configuration and no other service ever has it: without it the few numbers there are could be tried.
 */
export async function openFingerprint(store: Store, keys: Keys<'card-number'>): Promise<Fingerprint> {
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
  return (merchantId, card) => {
    const { number, expiry } = card.reveal();
    return createHmac('sha256', key)
      .update(JSON.stringify([merchantId, number, expiry]))
      .digest('hex');
  };
}
