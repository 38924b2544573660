import { type FeeRule, type Refusal, refuse, refuseField } from '@gerbang/core';
import {
  appendChange,
  type CallbackHistory,
  type CallbackSettings,
  currentSettings,
  initialHistory,
  sameSettings,
} from '../callback-settings/callback-settings.ts';

/**
 * A pair of client id and secret. `generation` grows when it is disabled or its secret rotated; tokens carry it and die with it.
 */
export type Credential = {
  clientId: string;
  /** Sealed. */
  secret: string;
  active: boolean;
  generation: number;
  /** Allowed for this credential in addition to the merchant's own list. */
  ipWhitelist: readonly string[];
  createdAtMs: number;
};

/**
 * Bounds of one payment of a product, and of what all payments of a business day and month come to, sen; a maximum of 0 is none.
 */
export type Limit = {
  product: string;
  minimumSen: bigint;
  maximumSen: bigint;
  dailyMaximumSen: bigint;
  monthlyMaximumSen: bigint;
};

/** A merchant and all that hangs on it but its accounts. */
export type Merchant = {
  name: string;
  partnerId: string;
  frozen: boolean;
  /** The ledger partition that holds its money. */
  partition: string;
  defaultAccountId: string;
  products: readonly string[];
  ipWhitelist: readonly string[];
  credentials: readonly Credential[];
  fees: readonly FeeRule[];
  /** The rules as two operators have last agreed on them; what one changed since is measured against these. */
  approvedFees: readonly FeeRule[];
  limits: readonly Limit[];
  callbacks: CallbackHistory;
  createdAtMs: number;
};

export type MerchantCommand =
  | { type: 'add-credential'; clientId: string; secret: string }
  | { type: 'rotate-secret'; clientId: string; secret: string }
  | { type: 'disable-credential'; clientId: string }
  /** Without a client id: the list that holds for every credential. */
  | { type: 'set-whitelist'; clientId: string | undefined; entries: readonly string[] }
  | { type: 'set-products'; products: readonly string[] }
  /** Replaces the rule of the same product, channel and effective time, or adds it. */
  | { type: 'set-fee'; fee: FeeRule; isApproved: boolean }
  | { type: 'set-limit'; limit: Limit }
  | { type: 'set-frozen'; frozen: boolean }
  | { type: 'set-callbacks'; settings: CallbackSettings };

export type MerchantEvent =
  | { type: 'credential-added'; credential: Credential }
  | { type: 'secret-rotated'; clientId: string; secret: string }
  | { type: 'credential-disabled'; clientId: string }
  | { type: 'whitelist-set'; clientId: string | undefined; entries: readonly string[] }
  | { type: 'products-set'; products: readonly string[] }
  | { type: 'fee-set'; fee: FeeRule; isApproved: boolean }
  | { type: 'limit-set'; limit: Limit }
  | { type: 'frozen' }
  | { type: 'unfrozen' }
  | { type: 'callbacks-set'; settings: CallbackSettings; sinceMs: number };

/** Bounds that keep the document small; disabled credentials count, they are part of the record. */
export const CREDENTIALS_MAX = 50;
export const FEES_MAX = 500;

/** At all times, for every channel, with no part for a vendor. */
const SIMPLE_FEE = {
  channel: '',
  fixedSen: 0n,
  basisPoints: 0,
  minimumSen: 0n,
  maximumSen: 0n,
  vendorFixedSen: 0n,
  vendorBasisPoints: 0,
  effectiveFromMs: 0,
  effectiveUntilMs: 0,
};

/** What QRIS payments cost unless agreed otherwise: an MDR of 0.7 % (contract §5). */
export const STANDARD_QRIS_FEE: FeeRule = { ...SIMPLE_FEE, product: 'qris', basisPoints: 70 };

/**
 * What a new merchant pays: IDR 2,500 for a disbursement to any bank; the MDR for QRIS; nothing for what operators have
 * set no fee for.
 */
const STANDARD_FEES: readonly FeeRule[] = [{ ...SIMPLE_FEE, product: 'disbursement', fixedSen: 250_000n }, STANDARD_QRIS_FEE];

/** A new merchant with one credential and the standard fees. */
export function newMerchant(
  given: Pick<Merchant, 'name' | 'partnerId' | 'partition' | 'defaultAccountId' | 'products' | 'ipWhitelist'> & {
    clientId: string;
    secret: string;
  },
  nowMs: number,
): Merchant {
  const { clientId, secret, ...own } = given;
  return {
    ...own,
    frozen: false,
    credentials: [newCredential(clientId, secret, nowMs)],
    fees: STANDARD_FEES,
    approvedFees: STANDARD_FEES,
    limits: [],
    callbacks: initialHistory(nowMs),
    createdAtMs: nowMs,
  };
}

/**
 * Decides a command. An empty list: it is so already. Refusals: not_found (no such credential), bad_request (disabled),
 * validation (too many).
 */
export function decide(merchant: Merchant, command: MerchantCommand, nowMs: number): MerchantEvent[] | Refusal {
  switch (command.type) {
    case 'add-credential':
      if (merchant.credentials.length >= CREDENTIALS_MAX) {
        return refuse('bad_request', { message: `A merchant has at most ${CREDENTIALS_MAX} credentials` });
      }
      return [{ type: 'credential-added', credential: newCredential(command.clientId, command.secret, nowMs) }];
    case 'rotate-secret': {
      const credential = findCredential(merchant, command.clientId);
      if (credential === undefined) return noSuchCredential();
      if (!credential.active) return refuse('bad_request', { message: 'The credential is disabled' });
      return [{ type: 'secret-rotated', clientId: command.clientId, secret: command.secret }];
    }
    case 'disable-credential': {
      const credential = findCredential(merchant, command.clientId);
      if (credential === undefined) return noSuchCredential();
      return credential.active ? [{ type: 'credential-disabled', clientId: command.clientId }] : [];
    }
    case 'set-whitelist': {
      const { clientId, entries } = command;
      const holder = clientId === undefined ? merchant : findCredential(merchant, clientId);
      if (holder === undefined) return noSuchCredential();
      return sameList(holder.ipWhitelist, entries) ? [] : [{ type: 'whitelist-set', clientId, entries }];
    }
    case 'set-products':
      return sameList(merchant.products, command.products) ? [] : [{ type: 'products-set', products: command.products }];
    case 'set-fee': {
      const { fee, isApproved } = command;
      const isNew = !merchant.fees.some((one) => isSameFeeRule(one, fee));
      if (isNew && merchant.fees.length >= FEES_MAX) {
        return refuseField('fee', `a merchant has at most ${FEES_MAX} rules`);
      }
      const isSet = hasFeeRule(merchant.fees, fee) && (!isApproved || hasFeeRule(merchant.approvedFees, fee));
      return isSet ? [] : [{ type: 'fee-set', fee, isApproved }];
    }
    case 'set-limit': {
      const known = merchant.limits.find((limit) => limit.product === command.limit.product);
      return known !== undefined && sameFields(known, command.limit) ? [] : [{ type: 'limit-set', limit: command.limit }];
    }
    case 'set-frozen':
      if (merchant.frozen === command.frozen) return [];
      return [{ type: command.frozen ? 'frozen' : 'unfrozen' }];
    case 'set-callbacks':
      if (sameSettings(currentSettings(merchant.callbacks), command.settings)) return [];
      return [{ type: 'callbacks-set', settings: command.settings, sinceMs: nowMs }];
    default:
      return command satisfies never;
  }
}

/** The merchant after an event. */
export function evolve(merchant: Merchant, event: MerchantEvent): Merchant {
  const withCredential = (clientId: string, change: (credential: Credential) => Credential): Merchant => ({
    ...merchant,
    credentials: merchant.credentials.map((credential) => (credential.clientId === clientId ? change(credential) : credential)),
  });
  switch (event.type) {
    case 'credential-added':
      return { ...merchant, credentials: [...merchant.credentials, event.credential] };
    case 'secret-rotated':
      return withCredential(event.clientId, (credential) => ({
        ...credential,
        secret: event.secret,
        generation: credential.generation + 1,
      }));
    case 'credential-disabled':
      return withCredential(event.clientId, (credential) => ({
        ...credential,
        active: false,
        generation: credential.generation + 1,
      }));
    case 'whitelist-set': {
      const ipWhitelist = event.entries;
      if (event.clientId === undefined) return { ...merchant, ipWhitelist };
      return withCredential(event.clientId, (credential) => ({ ...credential, ipWhitelist }));
    }
    case 'products-set':
      return { ...merchant, products: event.products };
    case 'fee-set':
      return {
        ...merchant,
        fees: withFeeRule(merchant.fees, event.fee),
        ...(event.isApproved && { approvedFees: withFeeRule(merchant.approvedFees, event.fee) }),
      };
    case 'limit-set':
      return {
        ...merchant,
        limits: [...merchant.limits.filter((limit) => limit.product !== event.limit.product), event.limit],
      };
    case 'frozen':
      return { ...merchant, frozen: true };
    case 'unfrozen':
      return { ...merchant, frozen: false };
    case 'callbacks-set':
      return { ...merchant, callbacks: appendChange(merchant.callbacks, event.settings, event.sinceMs) };
    default:
      return event satisfies never;
  }
}

/** The merchant's credential with this client id; undefined when it has none such. */
export function findCredential(merchant: Merchant, clientId: string): Credential | undefined {
  return merchant.credentials.find((credential) => credential.clientId === clientId);
}

/** The credential whose secret signs webhooks: the newest active one (contract §10). */
export function newestActiveCredential(merchant: Merchant): Credential | undefined {
  return merchant.credentials.findLast((credential) => credential.active);
}

function newCredential(clientId: string, secret: string, nowMs: number): Credential {
  return { clientId, secret, active: true, generation: 1, ipWhitelist: [], createdAtMs: nowMs };
}

function noSuchCredential(): Refusal {
  return refuse('not_found', { message: 'client_id: the merchant has no such credential' });
}

function isSameFeeRule(a: FeeRule, b: FeeRule): boolean {
  return a.product === b.product && a.channel === b.channel && a.effectiveFromMs === b.effectiveFromMs;
}

/** The rules, where this one replaces that of the same product, channel and effective time. */
export function withFeeRule(rules: readonly FeeRule[], rule: FeeRule): readonly FeeRule[] {
  return [...rules.filter((one) => !isSameFeeRule(one, rule)), rule];
}

function hasFeeRule(rules: readonly FeeRule[], rule: FeeRule): boolean {
  return rules.some((one) => isSameFeeRule(one, rule) && sameFields(one, rule));
}

function sameFields<T extends object>(a: T, b: T): boolean {
  return (Object.keys(a) as (keyof T)[]).every((key) => a[key] === b[key]);
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((entry, i) => entry === b[i]);
}
