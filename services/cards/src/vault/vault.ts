import { type Clock, createClock, newUlid, type Storable } from '@gerbang/core';
import type { Keys, Secret } from '@gerbang/keys';
import { CardData } from '@gerbang/rails/card';
import {
  type AggregateDocument,
  type Aggregates,
  type Due,
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

/** Whether a user needs a token now; asked after the token was read, and before it is changed. */
export type IsUsed = (user: string, token: string) => Promise<boolean>;

/**
 * A kept card. Number and expiry are sealed under a data key of its own; there is no security code (`Storable`). `due_at`: when it is
 * looked whether anything uses it still.
 */
export type TokenDocument = Storable<Due & { sealed: string; fingerprint: string; masked_card: string; users: string[] }>;
export type StoredToken = AggregateDocument<TokenDocument>;
type ClaimDocument = { _id: string; schema: number; token: string };

/** A token that was just kept, or is about to be given up, is looked at after so long: its user may never have come to be. */
export const FIRST_CHECK_MS = 3_600_000;

/**
 * The cards that plans need: a token for each card of a merchant, kept as long as anything uses it. Only `reveal` gives a card back,
 * for the one request to the acquirer.
 *
 * A user is written into the token before it names the token itself, and once more afterwards (`confirm`). Who takes a user out of a
 * token reads the token, then the user, and writes only if the token has not changed. So one of the two sees the other, however
 * long either takes.
 */
export type Vault = {
  /** Keeps a card for a user, and gives its token: the same one for the same card of the merchant. Refusals: unavailable. */
  keep(merchantId: string, card: CardData, user: string): Promise<string>;
  /** The user names the token now. False: the token was given up before, and the card has to be kept anew. Refusals: unavailable. */
  confirm(of: TokenOf, user: string): Promise<boolean>;
  /** The card, without a security code. Undefined: it was deleted. Refusals: unavailable. */
  reveal(of: TokenOf, holderName: string): Promise<CardData | undefined>;
  /** All tokens of a user are looked at before long, because it is about to name another one. */
  watch(merchantId: string, user: string): Promise<void>;
  /** Takes a user out of the tokens that it does not use; a card without users is deleted. Gives how many were deleted. */
  release(merchantId: string, user: string, isUsed: IsUsed): Promise<number>;
  /** The same for all users of one token. */
  releaseToken(token: StoredToken, isUsed: IsUsed): Promise<number>;
  /** A token that is in use is looked at again then. */
  checkAgain(token: StoredToken, atMs: number): Promise<void>;
  /** How many cards are kept. */
  count(): Promise<number>;
};

/** What a card is sealed to: its merchant and its token. A ciphertext that is copied to another of either opens nothing. */
export function cardNumber({ merchantId, token }: TokenOf): Secret<'card-number'> {
  return { purpose: 'card-number', owner: `${merchantId}:${token}` };
}

const content = z.object({ number: z.string(), expiry: z.string() });

/** `clock`: of the looks at tokens, business time. */
export async function openVault(store: Store, keys: Keys<'card-number'>, clock: Clock = createClock()): Promise<Vault> {
  const fingerprint = await openFingerprint(store, keys);
  const tokens = await openAggregates<TokenDocument, never>(store, TOKENS, { schema: 1 });
  await tokens.collection.createIndex({ merchant_id: 1, users: 1 }, { name: 'users' });
  const claims = openClaims(store);
  const firstCheck = () => ({ due_at: new Date(clock.now() + FIRST_CHECK_MS) });
  const held = (merchantId: string, user: string) => tokens.list({ merchant_id: merchantId, users: user }, {});
  const parts = { keys, fingerprint, tokens, claims, firstCheck };
  return {
    keep: (merchantId, card, user) => keep(parts, { merchantId, card, user }),
    confirm: ({ token }, user) =>
      changeToken(tokens, token, (current) =>
        current?.users.includes(user) ? tokens.change(current, { set: firstCheck() }).then((done) => done && true) : false,
      ),
    async reveal({ merchantId, token }, holderName) {
      // A token's content never changes, so that it is enough to read it as a majority has it.
      const found = (await tokens.find(token)) ?? (await tokens.find(token, { linearizable: true }));
      if (found === undefined || found.merchant_id !== merchantId) return undefined;
      const { number, expiry } = content.parse(JSON.parse(await keys.open(cardNumber({ merchantId, token }), found.sealed)));
      return new CardData({ number, expiry, cvv: undefined, holderName });
    },
    async watch(merchantId, user) {
      for (const { _id } of await held(merchantId, user))
        await changeToken(tokens, _id, async (current) =>
          current === undefined || (await tokens.change(current, { set: firstCheck() })) ? true : undefined,
        );
    },
    async release(merchantId, user, isUsed) {
      let deleted = 0;
      for (const { _id } of await held(merchantId, user)) deleted += await releaseOne(parts, _id, { user, isUsed });
      return deleted;
    },
    async releaseToken({ _id, users }, isUsed) {
      let deleted = 0;
      for (const user of users) deleted += await releaseOne(parts, _id, { user, isUsed });
      return deleted;
    },
    async checkAgain(token, atMs) {
      await tokens.change(token, { set: { due_at: new Date(atMs) }, unset: ['lease_until', 'lease_by'] });
    },
    count: () => traced('aggregate', TOKENS, () => tokens.collection.countDocuments({ due_at: { $type: 'date' } })),
  };
}

type Parts = {
  keys: Keys<'card-number'>;
  fingerprint: Fingerprint;
  tokens: Aggregates<TokenDocument, never>;
  claims: ReturnType<typeof openClaims>;
  firstCheck: () => { due_at: Date };
};

async function keep(
  { keys, fingerprint, tokens, claims, firstCheck }: Parts,
  { merchantId, card, user }: { merchantId: string; card: CardData; user: string },
): Promise<string> {
  const print = fingerprint(merchantId, card);
  const token = await claims.claim(print, newUlid(Date.now()));
  await changeToken(tokens, token, async (current) => {
    if (current !== undefined) {
      const users = current.users.includes(user) ? current.users : [...current.users, user];
      return (await tokens.change(current, { set: { users, ...firstCheck() } })) ? true : undefined;
    }
    const { number, expiry } = card.reveal();
    const sealed = await keys.seal(cardNumber({ merchantId, token }), JSON.stringify({ number, expiry }), { fresh: true });
    const document = { sealed, fingerprint: print, masked_card: card.masked, users: [user], ...firstCheck() };
    return (await tokens.insert(token, merchantId, document, [])) ? true : undefined;
  });
  return token;
}

/** Takes a user out of a token, unless it uses it. Gives how many tokens were deleted: one or none. */
function releaseOne(
  { tokens, claims }: Pick<Parts, 'tokens' | 'claims'>,
  token: string,
  { user, isUsed }: { user: string; isUsed: IsUsed },
): Promise<number> {
  return changeToken(tokens, token, async (current) => {
    if (!current?.users.includes(user) || (await isUsed(user, token))) return 0;
    const users = current.users.filter((known) => known !== user);
    if (users.length > 0) return (await tokens.change(current, { set: { users } })) ? 0 : undefined;
    // The claim goes first, so that the next one who keeps this card takes another token.
    await claims.remove(current.fingerprint, token);
    return (await tokens.removeUnannounced(current)) ? 1 : undefined;
  });
}

/** Reads a token and changes it, as often as others have changed it meanwhile (`write` gives undefined). */
function changeToken<Written>(
  tokens: Aggregates<TokenDocument, never>,
  token: string,
  write: (current: StoredToken | undefined) => Promise<Written | undefined> | Written | undefined,
): Promise<Written> {
  return retryConflicts<StoredToken | undefined, Written>({
    read: () => tokens.find(token, { linearizable: true }),
    write: async (current) => write(current),
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
