import { createHash, randomBytes } from 'node:crypto';
import { type Clock, newUlid } from '@gerbang/core';
import { isDuplicateKey, type Store, traced } from '@gerbang/store';

/** A customer's account that a partner may charge, as the bank has it. */
export type Link = {
  /** The partner's reference. */
  reference: string;
  linkId: string;
  accountToken: string;
  phone: string;
  bankCode: string;
  accountNumber: string;
  accountName: string;
  isBound: boolean;
};

export type CustomerTokens = { accessToken: string; refreshToken: string; expiresAtMs: number };

/** Consents, bindings and customers' tokens; durable. */
export type Links = {
  /** The customer's consent, good for one binding. */
  authorize(phone: string): Promise<string>;
  /** Binds the account of a consent; the same reference again gives the same link. Undefined where there is no such consent. */
  bind(asked: { reference: string; authCode: string; phone: string; bankCode: string }): Promise<Link | undefined>;
  find(reference: string): Promise<Link | undefined>;
  findByAccountToken(accountToken: string): Promise<Link | undefined>;
  /** Undefined where the token is unknown or over. */
  findByAccessToken(accessToken: string): Promise<Link | undefined>;
  /** The first tokens of a binding, once. */
  issueTokens(authCode: string): Promise<CustomerTokens | undefined>;
  /** The next ones; the refresh token is used up. */
  refreshTokens(refreshToken: string): Promise<CustomerTokens | undefined>;
  /** False where it had ended before. */
  unbind(reference: string): Promise<boolean>;
};

type LinkDocument = {
  _id: string;
  schema: number;
  link_id: string;
  account_token: string;
  auth_code: string;
  phone: string;
  bank_code: string;
  is_bound: boolean;
  access_token?: string;
  refresh_token?: string;
  tokens_end?: Date;
};

const LINKS = 'direct_debit_links';
const CONSENTS = 'direct_debit_consents';
const TOKEN_LIFE_MS = 15 * 86_400_000;

export async function openLinks(store: Store, clock: Clock): Promise<Links> {
  const links = store.collection<LinkDocument>(LINKS);
  const consents = store.collection<{ _id: string; schema: number; phone: string }>(CONSENTS);
  for (const field of ['account_token', 'access_token', 'refresh_token', 'auth_code'])
    await links.createIndex({ [field]: 1 }, { name: field });

  const findOne = async (filter: object) => {
    const found = await traced('findOne', LINKS, () => links.findOne(filter, { readConcern: 'linearizable' }));
    return found === null ? undefined : toLink(found);
  };
  const giveTokens = async (filter: object): Promise<CustomerTokens | undefined> => {
    const tokens = { accessToken: newToken(), refreshToken: newToken(), expiresAtMs: clock.now() + TOKEN_LIFE_MS };
    const set = {
      access_token: tokens.accessToken,
      refresh_token: tokens.refreshToken,
      tokens_end: new Date(tokens.expiresAtMs),
    };
    const found = await traced('findOne', LINKS, () =>
      links.findOne({ ...filter, is_bound: true }, { readConcern: 'linearizable' }),
    );
    if (found === null) return undefined;
    const { _id, refresh_token } = found;
    const unused = refresh_token === undefined ? { refresh_token: { $exists: false } } : { refresh_token };
    const { modifiedCount } = await traced('updateOne', LINKS, () => links.updateOne({ _id, ...unused }, { $set: set }));
    return modifiedCount === 1 ? tokens : undefined;
  };

  return {
    async authorize(phone) {
      const code = newToken();
      await traced('insertOne', CONSENTS, () => consents.insertOne({ _id: code, schema: 1, phone }));
      return code;
    },
    async bind({ reference, authCode, phone, bankCode }) {
      const known = await findOne({ _id: reference });
      if (known !== undefined) return known;
      const consent = await traced('findOne', CONSENTS, () => consents.findOne({ _id: authCode }));
      if (consent?.phone !== phone) return undefined;
      const document: LinkDocument = {
        _id: reference,
        schema: 1,
        link_id: newUlid(Date.now()).slice(0, 24),
        account_token: newToken(),
        auth_code: authCode,
        phone,
        bank_code: bankCode,
        is_bound: true,
      };
      try {
        await traced('insertOne', LINKS, () => links.insertOne(document));
        return toLink(document);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return findOne({ _id: reference });
      }
    },
    find: (reference) => findOne({ _id: reference }),
    findByAccountToken: (accountToken) => findOne({ account_token: accountToken }),
    findByAccessToken: (accessToken) => findOne({ access_token: accessToken, tokens_end: { $gt: new Date(clock.now()) } }),
    issueTokens: (authCode) => giveTokens({ auth_code: authCode, access_token: { $exists: false } }),
    refreshTokens: (refreshToken) => giveTokens({ refresh_token: refreshToken }),
    async unbind(reference) {
      const { modifiedCount } = await traced('updateOne', LINKS, () =>
        links.updateOne({ _id: reference, is_bound: true }, { $set: { is_bound: false } }),
      );
      return modifiedCount === 1;
    },
  };
}

function toLink(document: LinkDocument): Link {
  const { _id, link_id, account_token, phone, bank_code, is_bound } = document;
  return {
    reference: _id,
    linkId: link_id,
    accountToken: account_token,
    phone,
    bankCode: bank_code,
    accountNumber: accountNumberOf(phone, bank_code),
    accountName: `TEST ${phone.slice(-4)}`,
    isBound: is_bound,
  };
}

/** Each phone has one account at each bank, which ends as the phone does. */
function accountNumberOf(phone: string, bankCode: string): string {
  const digest = createHash('sha256').update(`${bankCode}:${phone}`).digest('hex');
  const front = (BigInt(`0x${digest}`) % 1_000_000n).toString().padStart(6, '0');
  return `${front}${phone.slice(-4)}`;
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}
