import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type Clock, createClock, newUlid, parseKeyRing, type RefusalCode, RefusalError, refuse } from '@gerbang/core';
import { createKeys, type Keys, openEnvKeys } from '@gerbang/keys';
import {
  ConsentRequestSchema,
  CreateBindingRequestSchema,
  SubmitOtpRequestSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { Compensation, Intent, PostResponseSchema, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountSchema, type Profile, ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { BackgroundWork } from '@gerbang/runtime';
import { connectStore, openIdempotencyKeys, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { consent } from '../src/bind-page/rpc/consent.ts';
import { submitOtp } from '../src/bind-page/rpc/submit-otp.ts';
import type { StoredBinding } from '../src/binding/document.ts';
import { createBinding } from '../src/binding/rpc/create-binding.ts';
import { type BindingStore, openBindingStore } from '../src/binding/store.ts';
import { openQuotas } from '../src/charge/quota-store.ts';
import { type ChargeStore, openChargeStore } from '../src/charge/store.ts';
import type { Context } from '../src/context.ts';
import { type DiscrepancyStore, openDiscrepancyStore } from '../src/discrepancy/store.ts';
import { openOtpCounts } from '../src/otp/counts.ts';
import { createSealing } from '../src/seal.ts';
import type { newBank } from './scripted-bank.ts';

export class Crash extends Error {}

/** Where a process dies: right before its n-th step, or right after it, before its result is known. */
export type Death = { step: number; when: 'before' | 'after' };

/** Counts every call to the database, the ledger and the bank, and dies at one of them, and at all that come after. */
export function dying(death: Death | undefined) {
  let steps = 0;
  let dead = false;
  const guard = <A extends unknown[], R>(call: (...given: A) => Promise<R>) => {
    return async (...given: A): Promise<R> => {
      steps++;
      if (dead || (death?.when === 'before' && steps === death.step)) {
        dead = true;
        throw new Crash();
      }
      const answer = await call(...given);
      if (death?.when === 'after' && steps === death.step) {
        dead = true;
        throw new Crash();
      }
      return answer;
    };
  };
  return { guard, steps: () => steps };
}

type Posted = {
  postingKey?: string;
  intent?: Intent;
  side?: Side;
  amountSen?: bigint;
  feeSen?: bigint;
  fromSuspense?: boolean;
  compensation?: Compensation;
};

/** The ledger as its contract has it: once per posting key for ever, refusals too. `balance`: of the one account. `suspense`: the
 * rail's.
 */
export function newLedger() {
  const contents = new Map<string, string>();
  const refused = new Map<string, RefusalCode>();
  const balance = { pending: 0n, available: 0n };
  const suspense = { sen: 0n };
  const suspenseChangeOf = ({ intent, side, amountSen = 0n, feeSen = 0n, fromSuspense = false }: Posted): bigint => {
    if (side !== Side.SUSPENSE) return fromSuspense ? -amountSen - feeSen : 0n;
    return intent === Intent.CREDIT ? amountSen : -amountSen;
  };
  const changeOf = (request: Posted): { pending: bigint; available: bigint } => {
    const { intent, side, amountSen = 0n, feeSen = 0n, compensation } = request;
    if (side === Side.SUSPENSE) return { pending: 0n, available: 0n };
    switch (intent) {
      case Intent.COMPENSATE:
        if (compensation !== Compensation.PAYMENT_WITHDRAWN) throw new Error(`direct debit compensates no ${compensation}`);
        return { pending: 0n, available: -amountSen };
      case Intent.CREDIT:
        return side === Side.PENDING ? { pending: amountSen, available: 0n } : { pending: 0n, available: amountSen };
      case Intent.SETTLE:
        return { pending: -amountSen, available: amountSen };
      case Intent.REFUND:
        return side === Side.PENDING
          ? { pending: -amountSen, available: -feeSen }
          : { pending: 0n, available: -amountSen - feeSen };
      default:
        throw new Error(`direct debit posts no ${intent}`);
    }
  };
  const book = (key: string, request: Posted) => {
    const change = changeOf(request);
    const after = { pending: balance.pending + change.pending, available: balance.available + change.available };
    if (after.available < 0n) refused.set(key, 'insufficient_balance');
    else if (after.pending < 0n) refused.set(key, 'internal');
    else {
      Object.assign(balance, after);
      suspense.sen += suspenseChangeOf(request);
    }
  };
  return {
    balance,
    suspense,
    keys: () => [...contents.keys()].filter((key) => !refused.has(key)).map((key) => key.slice(key.indexOf(':') + 1)),
    post: async (request: Posted) => {
      const { postingKey = '', intent, side, amountSen = 0n, feeSen = 0n } = request;
      const content = `${intent} ${side} ${amountSen} ${feeSen} ${request.fromSuspense} ${request.compensation}`;
      const known = contents.get(postingKey);
      if (known !== undefined && known !== content) throw new RefusalError(refuse('posting_key_conflict'));
      contents.set(postingKey, content);
      if (known === undefined) book(postingKey, request);
      const code = refused.get(postingKey);
      if (code !== undefined) throw new RefusalError(refuse(code));
      return create(PostResponseSchema, { postedAtMs: 1n });
    },
  };
}

export const clock = createClock();

/** Keys of these ids; the first one seals. The same id is the same key. */
export function keysOf(...kids: string[]): Keys<'customer-data'> {
  const ring = parseKeyRing(kids.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join());
  return createKeys(['customer-data'], [openEnvKeys(ring ?? expect.fail('no key ring'))]);
}
const unused = () => Promise.reject(new Error('not part of this test'));
const MERCHANT = newUlid(Date.now());

type Profiled = { fees?: Profile['fees']; limits?: Profile['limits'] };
/** `clock` replaces the business clock, `kids` name the keys. */
type Options = Profiled & { kids?: string[]; clock?: Clock; settleInMs?: number; otpAboveSen?: bigint };

/** The service's parts on a database of their own, without rpc and timers, so that a test can stop them between any two steps. */
export function useParts() {
  let mongo: TestMongo;
  let store: Store;
  let bindings: BindingStore;
  let charges: ChargeStore;
  let discrepancies: DiscrepancyStore;
  beforeAll(async () => {
    mongo = await startTestMongo();
    store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}parts`, appName: 'test' });
    bindings = await openBindingStore(store, () => {});
    charges = await openChargeStore(store, () => {});
    discrepancies = await openDiscrepancyStore(store);
  });
  afterAll(async () => {
    await store?.close();
    await mongo?.stop();
  });

  const newContext = async (
    bank: ReturnType<typeof newBank>,
    ledger: ReturnType<typeof newLedger>,
    { guard }: ReturnType<typeof dying> = dying(undefined),
    {
      clock: businessClock = clock,
      fees = [],
      limits = [],
      settleInMs = 0,
      otpAboveSen = 500_000_00n,
      kids = ['k1'],
    }: Options = {},
  ): Promise<Context> => {
    const profile = async (merchantId: string) =>
      create(ProfileSchema, { merchantId, partition: 'p0', name: 'Toko', products: ['direct-debit'], fees, limits });
    const account = async (merchantId: string, accountId: string) => create(AccountSchema, { merchantId, accountId });
    const { rail } = bank;
    return {
      bindings: { ...bindings, find: guard(bindings.find), apply: guard(bindings.apply), claim: guard(bindings.claim) },
      charges: { ...charges, insert: guard(charges.insert), find: guard(charges.find), apply: guard(charges.apply) },
      discrepancies: {
        ...discrepancies,
        insert: guard(discrepancies.insert),
        find: guard(discrepancies.find),
        apply: guard(discrepancies.apply),
      },
      quotas: openQuotas(store, charges, businessClock),
      otpCounts: await openOtpCounts(store, clock, 1_000),
      rail: {
        ...rail,
        sendOtp: guard(rail.sendOtp),
        verifyOtp: guard(rail.verifyOtp),
        bind: guard(rail.bind),
        issueTokens: guard(rail.issueTokens),
        findAccount: guard(rail.findAccount),
        charge: guard(rail.charge),
        inquireCharge: guard(rail.inquireCharge),
        refund: guard(rail.refund),
        inquireRefund: guard(rail.inquireRefund),
        unbind: guard(rail.unbind),
      },
      ledger: { post: guard(ledger.post), getBalance: unused, verify: unused },
      merchants: {
        profile,
        account,
        admit: async (merchantId, _product, accountId) => ({
          profile: await profile(merchantId),
          account: await account(merchantId, accountId),
        }),
        admitProduct: profile,
        close: async () => {},
      },
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      sealing: createSealing(keysOf(...kids)),
      settlesAt: (_product, paidAtMs) => paidAtMs + settleInMs,
      payUrl: 'http://pay',
      otpAboveSen,
      bindingMs: 60_000,
      unbindNeedsOtp: true,
      railTimeoutMs: 1_000,
      clock: businessClock,
      log: testLog(),
      metrics: {
        bindingChanged() {},
        chargeChanged() {},
        settled() {},
        credited() {},
        otp() {},
        tokensRefreshed() {},
        contradicted() {},
        timeNotBelieved() {},
      },
      background: new BackgroundWork(),
      inProgress: new Set(),
    };
  };

  return {
    newContext,
    store: () => store,
    bindings: () => bindings,
    charges: () => charges,
    discrepancies: () => discrepancies,
    /** A binding of a new customer that has just become active. */
    async newBinding(context: Context): Promise<StoredBinding> {
      const accountId = newUlid(Date.now());
      const asked = { bankCode: 'BRI', customerId: randomUUID(), customerName: 'Ani', customerPhone: '081234567890' };
      const request = { merchantId: MERCHANT, accountId, ...asked, redirectUrl: 'https://shop.example/' };
      const { binding, webviewUrl } = await createBinding(context, create(CreateBindingRequestSchema, request));
      const token = webviewUrl.slice(webviewUrl.lastIndexOf('/') + 1);
      await consent(context, create(ConsentRequestSchema, { token, language: 'id' }));
      await submitOtp(context, create(SubmitOtpRequestSchema, { token, otp: '123456' }));
      const found = await bindings.find(binding?.bindingId ?? '');
      return found ?? expect.fail('there is no binding');
    },
  };
}
