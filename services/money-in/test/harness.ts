import {
  type AdjustableClock,
  createClock,
  encodeQris,
  isRefusal,
  newUlid,
  type RefusalCode,
  RefusalError,
  refuse,
} from '@gerbang/core';
import { newOperatorKey, type OperatorKey, operatorAuthorizer, publicKeyOf, withApproval } from '@gerbang/neighbours';
import { Compensation, Intent, LedgerService, type PostRequest, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountStatus, MerchantService, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { LinkCardService } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import {
  AmountType,
  CheckoutService,
  EwalletCheckoutService,
  PaymentLinkService,
  QrisService,
  RetailService,
  ReversalService,
  SuspenseService,
  VirtualAccountKind,
  VirtualAccountService,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailService } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { OperatorGateService, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { ReconciliationService } from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import type { QrisInquiry } from '@gerbang/rails';
import { type Handlers, implement, openChannel, startRpcServer } from '@gerbang/rpc';
import { connectStore } from '@gerbang/store';
import { freePort, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Config, readConfig } from '../src/config.ts';
import type { Rails } from '../src/rails.ts';
import { startService } from '../src/service.ts';

export type Fee = { product: string; channel: string; fixedSen: bigint; basisPoints: number; vendorFixedSen?: bigint };
export type FakeMerchant = {
  merchantId: string;
  partition: string;
  products: string[];
  accountId: string;
  status: AccountStatus;
  limits: { product: string; minimumSen: bigint; maximumSen: bigint }[];
  fees: Fee[];
};

/** Two who decide about money, one who helps merchants, and one who only looks. */
export const [budi, sari, tono, dewi] = await Promise.all([
  newOperatorKey('budi'),
  newOperatorKey('sari'),
  newOperatorKey('tono'),
  newOperatorKey('dewi'),
]);

const PRODUCTS = ['virtual-account', 'qris', 'ewallet-checkout', 'retail', 'payment-link'];

/** Balances by "<partition>/<what>"; suspense is what the rails have brought and no account has got. */
export type Books = Map<string, bigint>;

/** Real gRPC and a real database; the ledger and the merchant service are their contracts in a few lines. NATS is never there. */
export function useMoneyIn() {
  const merchants: FakeMerchant[] = [];
  const books: Books = new Map();
  const posted = new Map<string, PostRequest>();
  const refusedKeys = new Set<string>();
  const scripted: { post?: (request: PostRequest, post: () => Promise<object>) => Promise<object>; ask?: Ask } = {};
  const closing: (() => Promise<void>)[] = [];
  const gate = createOperatorGate([
    { id: budi.id, role: Role.FINANCE, publicKey: publicKeyOf(budi) },
    { id: sari.id, role: Role.FINANCE, publicKey: publicKeyOf(sari) },
    { id: tono.id, role: Role.SUPPORT, publicKey: publicKeyOf(tono) },
    { id: dewi.id, role: Role.VIEWER, publicKey: publicKeyOf(dewi) },
  ]);
  let mongo: TestMongo;
  let address: string;
  let databases = 0;

  const add = (name: string, sen: bigint) => books.set(name, (books.get(name) ?? 0n) + sen);
  /** Once per posting key, a refusal too, as the ledger's contract has it; its rules are tested there. */
  const post = async (request: PostRequest) => {
    const { postingKey, intent, partition, accountId, amountSen, feeSen, rail, side, fromSuspense } = request;
    const known = posted.get(postingKey);
    if (known !== undefined) {
      const isSame = known.intent === intent && known.amountSen === amountSen && known.accountId === accountId;
      if (!isSame) throw new RefusalError(refuse('posting_key_conflict'));
      if (refusedKeys.has(postingKey)) throw new RefusalError(refuse('insufficient_balance'));
      return { postedAtMs: 1n };
    }
    posted.set(postingKey, request);
    const suspense = `${partition}/suspense:${rail}`;
    const sides: Record<Side, string> = {
      [Side.UNSPECIFIED]: `${accountId}:available`,
      [Side.AVAILABLE]: `${accountId}:available`,
      [Side.PENDING]: `${accountId}:pending`,
      [Side.SUSPENSE]: suspense,
    };
    if (intent === Intent.CREDIT) {
      if (fromSuspense) add(suspense, -amountSen - feeSen);
      add(sides[side], amountSen);
      add('fees', feeSen);
    } else if (intent === Intent.SETTLE) {
      add(`${accountId}:pending`, -amountSen);
      add(`${accountId}:available`, amountSen);
    } else if (intent === Intent.REFUND) add(suspense, -amountSen);
    else if (intent === Intent.COMPENSATE && request.compensation === Compensation.PAYMENT_WITHDRAWN) {
      if (side === Side.AVAILABLE && (books.get(sides[side]) ?? 0n) < amountSen) {
        refusedKeys.add(postingKey);
        throw new RefusalError(refuse('insufficient_balance'));
      }
      add(sides[side], -amountSen);
      add('fees', -feeSen);
    } else throw new Error(`money in never asks for ${Intent[intent]}`);
    return { postedAtMs: 1n };
  };
  const unscripted = () => Promise.reject(new Error('not part of these tests'));
  const ledger: Handlers<typeof LedgerService> = {
    post: (request) => (scripted.post === undefined ? post(request) : scripted.post(request, () => post(request))),
    getBalance: unscripted,
    verify: unscripted,
  };
  const merchant: Handlers<typeof MerchantService> = {
    getProfile: async ({ merchantId }) => {
      const found = merchants.find((one) => one.merchantId === merchantId);
      if (found === undefined) throw new RefusalError(refuse('merchant_not_found'));
      const { products, limits, fees, partition } = found;
      return {
        profile: { merchantId, status: MerchantStatus.ACTIVE, version: 1n, partition, products, limits, fees, name: 'Toko' },
      };
    },
    getAccount: async ({ merchantId, accountId }) => {
      const owner = merchants.find((one) => one.accountId === accountId);
      if (owner === undefined) throw new RefusalError(refuse('account_not_found'));
      if (owner.merchantId !== merchantId) throw new RefusalError(refuse('account_of_other_merchant'));
      return { account: { accountId, merchantId, version: 1n, name: 'Utama', status: owner.status } };
    },
    checkVersions: async () => ({}),
    getAccess: unscripted,
    issueToken: unscripted,
    listVerificationKeys: unscripted,
    getCallbackSettings: unscripted,
    updateCallbackSettings: unscripted,
    listWebhookSettings: unscripted,
  };
  beforeAll(async () => {
    mongo = await startTestMongo();
    const server = await startRpcServer({
      host: '127.0.0.1',
      port: 0,
      tls: undefined,
      log: testLog('fakes'),
      ready: () => true,
      implementations: [
        implement(LedgerService, ledger, []),
        implement(MerchantService, merchant, []),
        implement(OperatorGateService, gate.handlers, []),
      ],
    });
    address = `127.0.0.1:${server.port}`;
    closing.push(
      () => mongo.stop(),
      () => server.close(),
    );
  }, 30_000);
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  }, 30_000);
  return {
    scripted,
    books,
    posted,
    /** What operators have done, the oldest first. */
    commands: gate.commands,
    newDatabase: () => `${mongo.databasePrefix}${++databases}_`,
    newMerchant(over: Partial<FakeMerchant> = {}): FakeMerchant {
      const [merchantId, accountId] = [newUlid(Date.now()), newUlid(Date.now())];
      const made = {
        merchantId,
        accountId,
        partition: 'p7',
        products: PRODUCTS,
        status: AccountStatus.ACTIVE,
        limits: [],
        fees: [],
        ...over,
      };
      merchants.push(made);
      return made;
    },
    /** The service's own database, to look into. */
    async openStore(database: string) {
      const store = await connectStore({ uri: mongo.uri, database: `${database}money_in`, appName: 'test' });
      closing.push(() => store.close());
      return store;
    },
    async start(database: string, clock: AdjustableClock = createClock(), over: Partial<Config> = {}) {
      const nowhere = `127.0.0.1:${await freePort()}`;
      const service = await startService(
        {
          ...readConfig({
            GERBANG_ENV: 'sandbox',
            LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
            MONGODB_URI: mongo.uri,
            MONGODB_DB_PREFIX: database,
            NATS_URL: `nats://${nowhere}`,
            RPC_PORT: '0',
            ADMIN_PORT: '0',
            MERCHANT_RPC: address,
            LEDGER_RPC: address,
            PAY_URL: 'https://pay.example/',
            RAIL_QRIS_MERCHANT_ID: 'm',
            RAIL_QRIS_CALLBACK_PARTNER_ID: 'acquirer',
            RAIL_EWALLET_CALLBACK_PARTNER_ID: 'wallet',
            ...Object.fromEntries(['QRIS', 'EWALLET'].flatMap((name) => railVariables(name, nowhere))),
          }),
          ...over,
        },
        { clock, rails: fakeRails(scripted) },
      );
      const channel = openChannel({ address: `127.0.0.1:${service.port}`, tls: undefined });
      const close = async () => {
        await channel.close();
        await service.close();
      };
      closing.push(close);
      const as = (key?: OperatorKey) => {
        const options = key && { authorize: operatorAuthorizer(key, 'money-in') };
        return {
          suspense: channel.client(SuspenseService, options),
          reversals: channel.client(ReversalService, options),
          reconciliations: channel.client(ReconciliationService, options),
        };
      };
      return {
        clock,
        close,
        /** The commands of the holder of a key, alone; without a key, of somebody. */
        as,
        virtualAccounts: channel.client(VirtualAccountService),
        qris: channel.client(QrisService),
        ewallets: channel.client(EwalletCheckoutService),
        retail: channel.client(RetailService),
        links: channel.client(PaymentLinkService),
        linkCards: channel.client(LinkCardService),
        checkout: channel.client(CheckoutService),
        rail: channel.client(RailService),
        /** Budi decides, and sari approves it. */
        suspense: withApproval(SuspenseService, as(budi).suspense, as(sari).suspense),
        reversals: withApproval(ReversalService, as(budi).reversals, as(sari).reversals),
      };
    },
  };
}

function railVariables(name: string, address: string): [string, string][] {
  const values = {
    URL: `http://${address}`,
    CLIENT_KEY: 'k',
    CLIENT_SECRET: 's',
    PRIVATE_KEY: 'cGVt',
    PARTNER_ID: 'p',
    CHANNEL_ID: '1',
  };
  return Object.entries(values).map(([variable, value]) => [`RAIL_${name}_${variable}`, value]);
}

/** What a rail says has become of a payment, by its reference; nothing: it has expired unpaid. */
export type Ask = (reference: string) => Promise<QrisInquiry | undefined>;

/** An acquirer and a wallet that do what they are asked; their SNAP is tested in packages/rails and against the simulator. */
function fakeRails(scripted: { ask?: Ask }): Rails {
  const unscripted = () => Promise.reject(new Error('not part of these tests'));
  const ask = async (reference: string): Promise<QrisInquiry> =>
    (await scripted.ask?.(reference)) ?? { outcome: 'failed', code: '', reason: 'expired' };
  return {
    callbackPartnerIds: { qris: 'acquirer', ewallet: 'wallet' },
    acquirerName: 'Bank Uji',
    merchantCity: 'Jakarta',
    qris: {
      async generate({ partnerReference, amountSen, tip }) {
        const payload = encodeQris({
          type: 'mpm-dynamic',
          accounts: [
            { tag: '51', globallyUniqueId: 'ID.CO.QRIS.WWW', merchantId: 'ID1020304050607', criteria: 'UMI', others: [] },
          ],
          merchantCategoryCode: '5411',
          amountSen,
          tip,
          merchantName: 'TOKO',
          merchantCity: 'JAKARTA',
          additionalData: { referenceLabel: partnerReference.slice(0, 25), others: [] },
          others: [],
        });
        if (isRefusal(payload)) throw new Error(payload.message);
        return { outcome: 'succeeded', railReference: `a-${partnerReference}`, payload };
      },
      query: ({ partnerReference }) => ask(partnerReference),
      cancel: unscripted,
      close: async () => {},
    },
    ewallet: {
      async createPayment({ partnerReference, channel }) {
        if (channel === 'LINKAJA') return { outcome: 'failed', code: '4035415', reason: 'no' };
        const redirectUrl = channel === 'OVO' ? undefined : `https://wallet.example/${partnerReference}`;
        return { outcome: 'pending', railReference: `w-${partnerReference}`, redirectUrl };
      },
      inquirePayment: ({ partnerReference }) => ask(partnerReference),
      cancelPayment: unscripted,
      refundPayment: unscripted,
      close: async () => {},
    },
  };
}

export type MoneyIn = Awaited<ReturnType<ReturnType<typeof useMoneyIn>['start']>>;

/** A closed virtual account over IDR 50,000, to be paid once within ten minutes. */
export async function newVirtualAccount(
  { virtualAccounts, clock }: MoneyIn,
  { merchantId, accountId }: FakeMerchant,
  over: Partial<Parameters<MoneyIn['virtualAccounts']['createVirtualAccount']>[0]> = {},
) {
  const { virtualAccount } = await virtualAccounts.createVirtualAccount({
    merchantId,
    accountId,
    bankCode: 'BCA',
    kind: VirtualAccountKind.TEMPORARY,
    amountType: AmountType.CLOSED,
    amountSen: 50_000_00n,
    name: 'Budi',
    merchantReffNo: 'order-1',
    ...(over.kind !== VirtualAccountKind.PERMANENT && { expiredAtMs: BigInt(clock.now() + 600_000), maxUsage: 1 }),
    ...over,
  });
  if (virtualAccount === undefined) throw new Error('no virtual account');
  return virtualAccount;
}

let references = 0;

/** What the bank reports about a payment; each has a reference of its own unless told. */
export function vaPayment(clock: AdjustableClock, number: string, over: object = {}) {
  return {
    partnerId: 'bank',
    railReference: `rail-${++references}`,
    paidAtMs: BigInt(clock.now()),
    amountSen: 50_000_00n,
    moneyTaken: false,
    payable: { case: 'virtualAccount' as const, value: { number } },
    ...over,
  };
}

/** The refusal that a call is answered with, and the fields that it names; fails when there is none. */
export async function refusalOf(call: Promise<unknown>): Promise<[RefusalCode, string[]]> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RefusalError) return [error.refusal.refused, Object.keys(error.refusal.errors ?? {})];
    throw error;
  }
  return expect.fail('the call was not refused');
}
