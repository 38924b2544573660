import { newUlid, type Storable } from '@gerbang/core';
import type { Keys, Secret } from '@gerbang/keys';
import { CardData } from '@gerbang/rails/card';
import {
  type AggregateDocument,
  type Aggregates,
  insertMissing,
  openAggregates,
  retryConflicts,
  type Store,
  traced,
} from '@gerbang/store';
import { z } from 'zod';
import { type Fingerprint, openFingerprint } from './fingerprint.ts';

export const TOKENS = 'card_tokens';
const CLAIMS = 'card_claims';

/** Whose a token is. */
export type TokenOf = { merchantId: string; token: string };

/** A kept card. Number and expiry are sealed under a data key of its own; there is no security code (`Storable`). */
export type TokenDocument = Storable<{ sealed: string; fingerprint: string; masked_card: string; users: string[] }>;
type ClaimDocument = { _id: string; schema: number; token: string };

/**
 * The cards that plans need: a token for each card of a merchant, kept as long as anything uses it. Only `reveal` gives a card back,
 * for the one request to the acquirer.
 */
export type Vault = {
  /** Keeps a card for a user, and gives its token: the same one for the same card of the merchant. Refusals: unavailable. */
  keep(merchantId: string, card: CardData, user: string): Promise<string>;
  /** The card, without a security code. Undefined: it was deleted. Refusals: unavailable. */
  reveal(of: TokenOf, holderName: string): Promise<CardData | undefined>;
  /** A user needs its cards no more, or only the one of a token; a card without users is deleted. */
  release(merchantId: string, user: string, options?: { except?: string }): Promise<void>;
};

/** What a card is sealed to: its merchant and its token. A ciphertext that is copied to another of either opens nothing. */
export function cardNumber({ merchantId, token }: TokenOf): Secret<'card-number'> {
  return { purpose: 'card-number', owner: `${merchantId}:${token}` };
}

const content = z.object({ number: z.string(), expiry: z.string() });

export async function openVault(store: Store, keys: Keys<'card-number'>): Promise<Vault> {
  const fingerprint = await openFingerprint(store, keys);
  const tokens = await openAggregates<TokenDocument, never>(store, TOKENS, { schema: 1 });
  await tokens.collection.createIndex({ merchant_id: 1, users: 1 }, { name: 'users' });
  const claims = openClaims(store);
  return {
    keep: (merchantId, card, user) => keep({ keys, fingerprint, tokens, claims }, { merchantId, card, user }),
    async reveal({ merchantId, token }, holderName) {
      const found = await tokens.find(token, { linearizable: true });
      if (found === undefined || found.merchant_id !== merchantId) return undefined;
      const { number, expiry } = content.parse(JSON.parse(await keys.open(cardNumber({ merchantId, token }), found.sealed)));
      return new CardData({ number, expiry, cvv: undefined, holderName });
    },
    async release(merchantId, user, { except } = {}) {
      const held = await tokens.list({ merchant_id: merchantId, users: user }, {});
      for (const { _id } of held) if (_id !== except) await releaseOne({ tokens, claims }, _id, user);
    },
  };
}

type Parts = {
  keys: Keys<'card-number'>;
  fingerprint: Fingerprint;
  tokens: Aggregates<TokenDocument, never>;
  claims: ReturnType<typeof openClaims>;
};

async function keep(
  { keys, fingerprint, tokens, claims }: Parts,
  { merchantId, card, user }: { merchantId: string; card: CardData; user: string },
): Promise<string> {
  const print = fingerprint(merchantId, card);
  const token = await claims.claim(print, newUlid(Date.now()));
  await retryConflicts<AggregateDocument<TokenDocument> | undefined, true>({
    read: () => tokens.find(token, { linearizable: true }),
    async write(current) {
      if (current !== undefined) {
        if (current.users.includes(user)) return true;
        return (await tokens.change(current, { set: { users: [...current.users, user] } })) ? true : undefined;
      }
      const { number, expiry } = card.reveal();
      const sealed = await keys.seal(cardNumber({ merchantId, token }), JSON.stringify({ number, expiry }), { fresh: true });
      const document = { sealed, fingerprint: print, masked_card: card.masked, users: [user] };
      return (await tokens.insert(token, merchantId, document, [])) ? true : undefined;
    },
  });
  return token;
}

async function releaseOne({ tokens, claims }: Pick<Parts, 'tokens' | 'claims'>, token: string, user: string): Promise<void> {
  await retryConflicts<AggregateDocument<TokenDocument> | undefined, true>({
    read: () => tokens.find(token, { linearizable: true }),
    async write(current) {
      if (!current?.users.includes(user)) return true;
      const users = current.users.filter((known) => known !== user);
      if (users.length > 0) return (await tokens.change(current, { set: { users } })) ? true : undefined;
      // The claim goes first, so that the next one who keeps this card takes another token.
      await claims.remove(current.fingerprint, token);
      return (await tokens.removeUnannounced(current)) ? true : undefined;
    },
  });
}

/** Which token a fingerprint has: its `_id`, so that a card of a merchant has one. */
function openClaims(store: Store) {
  const collection = store.collection<ClaimDocument>(CLAIMS);
  return {
    async claim(fingerprint: string, token: string): Promise<string> {
      for (;;) {
        await insertMissing(collection, [{ _id: fingerprint, schema: 1, token }]);
        const found = await traced('findOne', CLAIMS, () =>
          collection.findOne({ _id: fingerprint }, { readConcern: 'linearizable' }),
        );
        // Where it was just released, it is claimed again.
        if (found !== null) return found.token;
      }
    },
    remove: (fingerprint: string, token: string) =>
      traced('deleteOne', CLAIMS, () => collection.deleteOne({ _id: fingerprint, token })),
  };
}
