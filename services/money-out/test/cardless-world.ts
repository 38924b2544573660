import { randomBytes } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type AdjustableClock, createClock, newUlid, parseKeyRing } from '@gerbang/core';
import { createKeys, type Keys, openEnvKeys } from '@gerbang/keys';
import { AccountSchema, MerchantStatus, ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { CardlessRail, CardlessState } from '@gerbang/rails/cardless-withdrawal';
import { BackgroundWork, createLogger } from '@gerbang/runtime';
import { connectStore, openIdempotencyKeys, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll } from 'vitest';
import { openAccountTransferStore } from '../src/account-transfer/store.ts';
import type { Context } from '../src/context.ts';
import { createProducts } from '../src/products.ts';
import { openInquiries } from '../src/qris-payment/inquiry.ts';
import { openTransferStore } from '../src/transfer/store.ts';
import { countingMetrics, scriptedLedger, type Wrap } from './saga-world.ts';

/** Keys of these ids; the first one seals. The same id is the same key. */
export function keysOf(...kids: string[]): Keys<'withdrawal-code'> {
  const ring = parseKeyRing(kids.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join());
  if (ring === undefined) throw new Error('no key ring');
  return createKeys(['withdrawal-code'], [openEnvKeys(ring)]);
}

type Held = { code: string; expiresAtMs: number; ended?: 'withdrawn' | 'canceled' };

/**
 * A bank whose machines give cash: what it knows is what counts. `away`: calls do not reach it. `mute`: it does what it is asked,
 * and its answers are lost.
 */
export function scriptedBank(clock: AdjustableClock) {
  const withdrawals = new Map<string, Held>();
  /** Its reference of each transaction. */
  const references = new Map<string, string>();
  const is = { away: false, mute: false };
  let answering = Promise.resolve();
  const calls = { createCode: 0, inquire: 0, cancel: 0 };
  const lost: CardlessState = { outcome: 'unknown', reason: 'no answer in time' };
  const stateOf = (reference: string): CardlessState => {
    const held = withdrawals.get(reference);
    if (held === undefined) throw new Error('the bank does not know it');
    if (held.ended === 'withdrawn') return { outcome: 'withdrawn', railReference: `bank-${reference}` };
    if (held.ended === 'canceled') return { outcome: 'canceled' };
    return clock.now() >= held.expiresAtMs ? { outcome: 'expired' } : { outcome: 'active', code: held.code };
  };
  const isOpen = (held: Held | undefined) => held?.ended === undefined && clock.now() < (held?.expiresAtMs ?? 0);
  const rail: CardlessRail = {
    async createCode({ partnerReference, transactionId, expiresAtMs }) {
      calls.createCode++;
      references.set(transactionId, partnerReference);
      if (is.away) return lost;
      const known = withdrawals.get(partnerReference);
      if (known?.ended === 'canceled') return lost;
      const code = known?.code ?? String(BigInt(`0x${randomBytes(8).toString('hex')}`) % 10n ** 12n).padStart(12, '0');
      if (known === undefined) withdrawals.set(partnerReference, { code, expiresAtMs });
      await answering;
      return is.mute ? lost : stateOf(partnerReference);
    },
    async inquire({ partnerReference }) {
      calls.inquire++;
      if (is.away) return lost;
      return withdrawals.has(partnerReference) ? stateOf(partnerReference) : { outcome: 'not_found' };
    },
    async cancel({ partnerReference }) {
      calls.cancel++;
      if (is.away) return lost;
      const held = withdrawals.get(partnerReference) ?? { code: '', expiresAtMs: clock.now() + 1 };
      withdrawals.set(partnerReference, isOpen(held) ? { ...held, ended: 'canceled' } : held);
      return is.mute ? lost : stateOf(partnerReference);
    },
    close: async () => {},
  };
  return {
    rail,
    is,
    calls,
    /** Codes are answered when the function that this gives is called. */
    pause() {
      const { promise, resolve } = Promise.withResolvers<void>();
      answering = promise;
      return resolve;
    },
    codeOf: (transactionId: string) => withdrawals.get(references.get(transactionId) ?? '')?.code ?? '',
    /** A customer at the machine; gives whether there was cash. */
    withdraw(transactionId: string): boolean {
      const reference = references.get(transactionId) ?? '';
      const held = withdrawals.get(reference);
      if (held === undefined || !isOpen(held)) return false;
      withdrawals.set(reference, { ...held, ended: 'withdrawn' });
      return true;
    },
    cash: () => [...withdrawals.values()].filter(({ ended }) => ended === 'withdrawn').length,
  };
}

/** The service without its network: a real database, the ledger and bank by script. Every line of its log is in `logged`. */
export function useCardless(name: string) {
  let mongo: TestMongo;
  let databases = 0;
  const stores: Store[] = [];
  beforeAll(async () => {
    mongo = await startTestMongo();
  });
  afterAll(async () => {
    for (const one of stores) await one.close();
    await mongo?.stop();
  });
  return async (kids: string[] = ['k1'], availableSen = 1_000_000_00n) => {
    const store = await connectStore({
      uri: mongo.uri,
      database: `${mongo.databasePrefix}${name}${++databases}`,
      appName: 'test',
    });
    stores.push(store);
    const clock = createClock();
    const bank = scriptedBank(clock);
    const ledger = scriptedLedger(availableSen);
    const logged: string[] = [];
    const unused = async () => {
      throw new Error('not part of this test');
    };
    const [merchantId, accountId] = [newUlid(1), newUlid(2)];
    const profile = create(ProfileSchema, {
      merchantId,
      status: MerchantStatus.ACTIVE,
      partition: 'p0',
      products: ['cardless-withdrawal'],
    });
    const admit: Context['merchants']['admit'] = async () => ({ profile, account: await account(merchantId, accountId) });
    const account: Context['merchants']['account'] = async () => create(AccountSchema, { merchantId, accountId });
    /** Another process on the same data, with these keys; `wrap` is around all that leaves it. */
    const contextWith = async (ring: string[], wrap: Wrap = (work) => work): Promise<Context> => {
      const { createCode, inquire, cancel, close } = bank.rail;
      const rails = {
        bankTransfer: { inquireAccount: unused, transfer: unused, inquireTransfer: unused, close },
        ewalletTopup: { inquireWallet: unused, topUp: unused, inquireTopup: unused, close },
        qrisPayment: { decode: unused, pay: unused, query: unused, cancel: unused, refund: unused, close },
        cardless: { createCode: wrap(createCode), inquire: wrap(inquire), cancel: wrap(cancel), close },
      };
      const products = createProducts(rails, { keys: keysOf(...ring) });
      const transfers = await openTransferStore(store, Object.values(products), () => {});
      const { insert, apply, find } = transfers;
      return {
        rails,
        products,
        transfers: { ...transfers, insert: wrap(insert), apply: wrap(apply), find: wrap(find) },
        accountTransfers: await openAccountTransferStore(store, () => {}),
        inquiries: await openInquiries(store),
        ledger: { post: wrap(ledger.post), getBalance: unused, verify: unused },
        clock,
        log: createLogger({ service: 'test', level: 'trace' }, { write: (line) => void logged.push(line) }),
        metrics: countingMetrics().metrics,
        railTimeoutMs: 1_000,
        merchants: { profile: async () => profile, account, admit, admitProduct: async () => profile, close: async () => {} },
        idempotencyKeys: await openIdempotencyKeys(store, clock),
        inProgress: new Set(),
        background: new BackgroundWork(),
      };
    };
    return { clock, bank, ledger, logged, store, merchantId, accountId, context: await contextWith(kids), contextWith };
  };
}

/** Every text and all bytes of a value, one after the other. */
export function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString('latin1')}\n`;
  if (typeof value !== 'object' || value === null) return `${String(value)}\n`;
  if ('buffer' in value && value.buffer instanceof Uint8Array) return textOf(value.buffer);
  return Object.entries(value)
    .map(([key, inner]) => `${key}:${textOf(inner)}`)
    .join('');
}

/** Every document of every collection, as one text. */
export async function dump({ db }: Store): Promise<string> {
  let text = '';
  for (const { name } of await db.listCollections().toArray()) text += textOf(await db.collection(name).find().toArray());
  return text;
}

/** The forms in which a code might be somewhere. */
export function formsOf(code: string): string[] {
  return [code, Buffer.from(code).toString('base64').replace(/=+$/, ''), Buffer.from(code).toString('hex')];
}
