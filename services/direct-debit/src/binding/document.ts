import type { AggregateDocument, Due } from '@gerbang/store';
import { fromOtpDocument, type OtpDocument, toOtpDocument } from '../otp/document.ts';
import type { BindingState, FailedReason, Leftover, Link, Tokens, Unbinding, UnboundBy } from './state.ts';

/** What a merchant has asked for; never changes. Secrets are sealed. */
export type BindingOrder = {
  /** UUID; the bank knows the binding by it too. */
  id: string;
  merchantId: string;
  accountId: string;
  /** Short name. */
  bankCode: string;
  customerId: string;
  customerName: string;
  phone: string;
  phoneEnd: string;
  redirectUrl: string;
  /** Of the page on pay_url: the token's hash, and the token itself. */
  pageHash: string;
  pageToken: string;
  createdAtMs: number;
  /** When the customer has to be done. */
  expiresAtMs: number;
};

/** A binding as it was read, with the version that the next change is conditional on. */
export type StoredBinding = {
  order: BindingOrder;
  state: BindingState;
  /** With which the customer was sent back; undefined until then. */
  handoverCode: string | undefined;
  document: StoredBindingDocument;
};

type LinkDocument = { account_token: string; link_id: string };
type TokensDocument = { access_token: string; refresh_token: string; issued_at: Date; expires_at: Date };
type UnbindingDocument = { stage: 'otp'; nonce: string; otp: OtpDocument } | { stage: 'confirmed'; tries: number };
type LeftoverDocument = { link: LinkDocument; tokens?: TokensDocument; tries: number };

/** Fields that some states have and others do not. */
type StateFields = {
  status: BindingState['status'];
  auth_code?: string;
  otp?: OtpDocument;
  last_otp?: 'wrong' | 'expired';
  link?: LinkDocument;
  tokens?: TokensDocument;
  tries?: number;
  bank_account?: { number: string; name: string };
  bound_at?: Date;
  unbinding?: UnbindingDocument;
  reason?: FailedReason;
  leftover?: LeftoverDocument;
  by?: UnboundBy;
  unbound_at?: Date;
};

export type BindingDocument = Due &
  StateFields & {
    account_id: string;
    bank_code: string;
    customer_id: string;
    customer_name: string;
    phone: string;
    phone_end: string;
    redirect_url: string;
    page_hash: string;
    page_token: string;
    created_at: Date;
    expires_at: Date;
    handover_code?: string;
  };

export type StoredBindingDocument = AggregateDocument<BindingDocument>;

const STATE_FIELDS = [
  'auth_code',
  'otp',
  'last_otp',
  'link',
  'tokens',
  'tries',
  'bank_account',
  'bound_at',
  'unbinding',
  'reason',
  'leftover',
  'by',
  'unbound_at',
] as const;

export function newBindingDocument(order: BindingOrder): BindingDocument {
  return {
    account_id: order.accountId,
    bank_code: order.bankCode,
    customer_id: order.customerId,
    customer_name: order.customerName,
    phone: order.phone,
    phone_end: order.phoneEnd,
    redirect_url: order.redirectUrl,
    page_hash: order.pageHash,
    page_token: order.pageToken,
    created_at: new Date(order.createdAtMs),
    expires_at: new Date(order.expiresAtMs),
    due_at: new Date(order.expiresAtMs),
    status: 'awaiting-consent',
  };
}

/** The fields that make a document stand so, and those that it must not have any more. */
export function stateChange(state: BindingState, document: StoredBindingDocument) {
  const set = toStateFields(state);
  return { set, unset: STATE_FIELDS.filter((field) => !(field in set) && field in document) };
}

function toStateFields(state: BindingState): StateFields {
  const { status } = state;
  switch (state.status) {
    case 'awaiting-consent':
    case 'expired':
      return { status };
    case 'awaiting-otp': {
      const { authCode, otp, lastOtp } = state;
      return { status, auth_code: authCode, otp: toOtpDocument(otp), ...(lastOtp !== undefined && { last_otp: lastOtp }) };
    }
    case 'connecting': {
      const { authCode, link, tokens, tries } = state;
      const given = { ...(link && { link: toLink(link) }), ...(tokens && { tokens: toTokens(tokens) }) };
      return { status, auth_code: authCode, tries, ...given };
    }
    case 'active': {
      const { link, tokens, account, boundAtMs, unbinding, tries } = state;
      const bound = { link: toLink(link), tokens: toTokens(tokens), bank_account: account, bound_at: new Date(boundAtMs) };
      return { status, ...bound, tries, ...(unbinding && { unbinding: toUnbinding(unbinding) }) };
    }
    case 'failed': {
      const { reason, leftover } = state;
      return { status, reason, ...(leftover && { leftover: toLeftover(leftover) }) };
    }
    case 'unbound': {
      const { by, account, boundAtMs, unboundAtMs } = state;
      return { status, by, bank_account: account, bound_at: new Date(boundAtMs), unbound_at: new Date(unboundAtMs) };
    }
    default:
      return state satisfies never;
  }
}

export function fromBindingDocument(document: StoredBindingDocument): StoredBinding {
  const order: BindingOrder = {
    id: document._id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    bankCode: document.bank_code,
    customerId: document.customer_id,
    customerName: document.customer_name,
    phone: document.phone,
    phoneEnd: document.phone_end,
    redirectUrl: document.redirect_url,
    pageHash: document.page_hash,
    pageToken: document.page_token,
    createdAtMs: document.created_at.getTime(),
    expiresAtMs: document.expires_at.getTime(),
  };
  return { order, state: toState(document), handoverCode: document.handover_code, document };
}

function toState(document: StoredBindingDocument): BindingState {
  const { status } = document;
  const must = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error(`binding ${document._id} is ${status} and lacks a field`);
    return value;
  };
  const tries = document.tries ?? 0;
  switch (status) {
    case 'awaiting-consent':
    case 'expired':
      return { status };
    case 'awaiting-otp':
      return {
        status,
        authCode: must(document.auth_code),
        otp: fromOtpDocument(must(document.otp)),
        lastOtp: document.last_otp,
      };
    case 'connecting': {
      const { link, tokens } = document;
      const given = { link: link && fromLink(link), tokens: tokens && fromTokens(tokens) };
      return { status, authCode: must(document.auth_code), ...given, tries };
    }
    case 'active':
      return {
        status,
        link: fromLink(must(document.link)),
        tokens: fromTokens(must(document.tokens)),
        account: must(document.bank_account),
        boundAtMs: must(document.bound_at).getTime(),
        unbinding: document.unbinding && fromUnbinding(document.unbinding),
        tries,
      };
    case 'failed':
      return { status, reason: must(document.reason), leftover: document.leftover && fromLeftover(document.leftover) };
    case 'unbound':
      return {
        status,
        by: must(document.by),
        account: must(document.bank_account),
        boundAtMs: must(document.bound_at).getTime(),
        unboundAtMs: must(document.unbound_at).getTime(),
      };
    default:
      return status satisfies never;
  }
}

function toLink({ accountToken, linkId }: Link): LinkDocument {
  return { account_token: accountToken, link_id: linkId };
}

function fromLink({ account_token, link_id }: LinkDocument): Link {
  return { accountToken: account_token, linkId: link_id };
}

function toTokens({ accessToken, refreshToken, issuedAtMs, expiresAtMs }: Tokens): TokensDocument {
  const dates = { issued_at: new Date(issuedAtMs), expires_at: new Date(expiresAtMs) };
  return { access_token: accessToken, refresh_token: refreshToken, ...dates };
}

function fromTokens({ access_token, refresh_token, issued_at, expires_at }: TokensDocument): Tokens {
  const moments = { issuedAtMs: issued_at.getTime(), expiresAtMs: expires_at.getTime() };
  return { accessToken: access_token, refreshToken: refresh_token, ...moments };
}

function toUnbinding(unbinding: Unbinding): UnbindingDocument {
  return unbinding.stage === 'otp' ? { ...unbinding, otp: toOtpDocument(unbinding.otp) } : unbinding;
}

function fromUnbinding(unbinding: UnbindingDocument): Unbinding {
  return unbinding.stage === 'otp' ? { ...unbinding, otp: fromOtpDocument(unbinding.otp) } : unbinding;
}

function toLeftover({ link, tokens, tries }: Leftover): LeftoverDocument {
  return { link: toLink(link), ...(tokens && { tokens: toTokens(tokens) }), tries };
}

function fromLeftover({ link, tokens, tries }: LeftoverDocument): Leftover {
  return { link: fromLink(link), tokens: tokens && fromTokens(tokens), tries };
}
