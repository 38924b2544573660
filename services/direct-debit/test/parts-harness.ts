import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type Clock, createClock, newUlid, parseKeyRing } from '@gerbang/core';
import { createKeys, type Keys, openEnvKeys } from '@gerbang/keys';
import {
  ConsentRequestSchema,
  CreateBindingRequestSchema,
  SubmitOtpRequestSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { AccountSchema, type Profile, ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { BackgroundWork } from '@gerbang/runtime';
import { connectStore, openIdempotencyKeys, type Store } from '@gerbang/store';
import { type Dying, dying, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import type { ContractLedger } from '@gerbang/testkit/ledger';
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
    ledger: ContractLedger,
    { guard }: Dying = dying(),
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
