import { create } from '@bufbuild/protobuf';
import { type AdjustableClock, createClock, newUlid, parseKeyRing, type RefusalCode, RefusalError, refuse } from '@gerbang/core';
import { createKeys, type Keys, openEnvKeys } from '@gerbang/keys';
import { InquirePrepaidRequestSchema, PayPrepaidRequestSchema } from '@gerbang/proto/gerbang/biller/v1/biller';
import { Compensation, Intent, type PostRequest, PostResponseSchema } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountSchema, ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { PrepaidInquiryResult, PrepaidPurchaseResult, PrepaidQuestion, PrepaidRequest } from '@gerbang/rails/prepaid';
import { BackgroundWork } from '@gerbang/runtime';
import { connectStore, openIdempotencyKeys, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Context } from '../src/context.ts';
import type { CutOff } from '../src/cut-off.ts';
import { inquirePrepaid } from '../src/inquiry/rpc/inquire.ts';
import { openInquiries } from '../src/inquiry/store.ts';
import { openProducts } from '../src/product/store.ts';
import { openGivenTokens } from '../src/purchase/given-tokens.ts';
import { onPurchaseDue } from '../src/purchase/on-due.ts';
import { payPrepaid } from '../src/purchase/rpc/pay.ts';
import { openPurchases } from '../src/purchase/store.ts';

export const MERCHANT = 'm1';
export const ACCOUNT = newUlid(1);
export const OTHER_ACCOUNT = newUlid(2);
export const START_SEN = 1_000_000_00n;
/** PLN50: 50,000 and an admin fee of 2,500. */
export const PRICE_SEN = 52_500_00n;
export const AMOUNT_SEN = 50_000_00n;

export const keys = keysOf('k1');

export class Crash extends Error {}

type Posting = Pick<PostRequest, 'postingKey' | 'intent' | 'amountSen' | 'feeSen' | 'compensation'>;

/** A ledger with one account, by the rules of the real one: once per posting key; refusals burn it; other content is a conflict. */
export function scriptedLedger(availableSen: bigint = START_SEN) {
  const balances = { available: availableSen, held: 0n, rail: 0n, fees: 0n };
  const results = new Map<string, { posting: Posting; refused: boolean }>();
  const move = ({ intent, amountSen, feeSen, compensation }: Posting): Partial<typeof balances> => {
    const price = amountSen + feeSen;
    if (intent === Intent.HOLD) return { available: -price, held: price };
    if (intent === Intent.CAPTURE) return { held: -price, rail: amountSen, fees: feeSen };
    if (intent === Intent.RELEASE) return { held: -price, available: price };
    if (compensation === Compensation.PAYOUT_RETURNED) return { available: price, rail: -amountSen, fees: -feeSen };
    if (compensation === Compensation.PAYOUT_MADE) return { available: -price, rail: amountSen, fees: feeSen };
    throw new Error(`no intent ${intent} is expected here`);
  };
  const post = async (request: Partial<Posting>) => {
    const { postingKey = '', intent = Intent.UNSPECIFIED, amountSen = 0n, feeSen = 0n } = request;
    const posting = { postingKey, intent, amountSen, feeSen, compensation: request.compensation ?? Compensation.UNSPECIFIED };
    const known = results.get(postingKey);
    if (known !== undefined && (known.posting.intent !== intent || known.posting.compensation !== posting.compensation))
      throw new RefusalError(refuse('posting_key_conflict'));
    if (known === undefined) {
      const { available = 0n, held = 0n, rail = 0n, fees = 0n } = move(posting);
      const refused = balances.available + available < 0n;
      if (balances.held + held < 0n) throw new Error('more than is held');
      if (!refused) {
        balances.available += available;
        balances.held += held;
        balances.rail += rail;
        balances.fees += fees;
      }
      results.set(postingKey, { posting, refused });
    }
    if (results.get(postingKey)?.refused) throw new RefusalError(refuse('insufficient_balance'));
    return create(PostResponseSchema, { availableAfterSen: balances.available });
  };
  const booked = () => [...results.values()].filter(({ refused }) => !refused);
  return { post, balances, of: (intent: Intent) => booked().filter(({ posting }) => posting.intent === intent).length };
}

export type TestLedger = ReturnType<typeof scriptedLedger>;

/** What the ledger has when one PLN50 was bought, or when the merchant has its money. */
export function ledgerWhen(isPaid: boolean, startSen = START_SEN) {
  return isPaid
    ? { available: startSen - PRICE_SEN, held: 0n, rail: AMOUNT_SEN, fees: PRICE_SEN - AMOUNT_SEN }
    : { available: startSen, held: 0n, rail: 0n, fees: 0n };
}

export const success = (token: string | undefined = newToken()) =>
  ({ outcome: 'succeeded', railReference: 'b-1', serialNumber: 'SN1', token }) satisfies PrepaidPurchaseResult;
export const failure: PrepaidPurchaseResult = { outcome: 'failed', code: '4039605', reason: 'no', isDepositShort: false };
export const silence = { outcome: 'unknown', reason: 'no answer in time' } satisfies PrepaidPurchaseResult;

/**
 * A biller that decides a reference once. `first` is what it answers then, with any decision; the same request again is
 * answered with the decision.
 */
export function scriptedBiller(decides: PrepaidPurchaseResult = success(), first: PrepaidPurchaseResult = decides) {
  const bought = new Set<string>();
  const biller = {
    bought,
    calls: 0,
    decides,
    inquiry: { outcome: 'found', customerName: 'BUDI' } as PrepaidInquiryResult,
    questions: [] as PrepaidQuestion[],
    async inquire(question: PrepaidQuestion): Promise<PrepaidInquiryResult> {
      biller.questions.push(question);
      return biller.inquiry;
    },
    async purchase({ partnerReference }: PrepaidRequest): Promise<PrepaidPurchaseResult> {
      biller.calls++;
      const isFirst = !bought.has(partnerReference);
      bought.add(partnerReference);
      return isFirst ? first : biller.decides;
    },
  };
  return biller;
}

type Biller = Pick<Context['rail'], 'inquire' | 'purchase'>;

/** Counts every step that leaves the process, and dies before or after the n-th. */
export function crashing(at: number, when: 'before' | 'after') {
  let step = 0;
  let armed = true;
  const wrap =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      step++;
      const now = armed && step === at;
      if (now) armed = false;
      if (now && when === 'before') throw new Crash();
      const result = await work(...args);
      if (now && when === 'after') throw new Crash();
      return result;
    };
  return { wrap, hit: () => !armed };
}

type Wrap = ReturnType<typeof crashing>['wrap'];

/** A database, and processes of the service on it. Each replica has its own `Context`. */
export function useBiller(name: string) {
  let mongo: TestMongo;
  let store: Store;
  beforeAll(async () => {
    mongo = await startTestMongo();
    store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}${name}`, appName: 'test' });
  });
  afterAll(async () => {
    await store?.close();
    await mongo?.stop();
  });
  return {
    store: () => store,
    async open(
      rail: Biller,
      ledger: Pick<TestLedger, 'post'>,
      options: { clock?: AdjustableClock; wrap?: Wrap; products?: string[]; cutOff?: CutOff; keys?: Keys<'prepaid-token'> } = {},
    ) {
      const { clock = createClock(), wrap } = options;
      const purchases = await openPurchases(store, () => {});
      const givenTokens = openGivenTokens(store);
      const counts = { accepted: 0, finished: 0, duplicates: 0, contradictions: 0 };
      const context: Context = {
        rail: wrap === undefined ? rail : { inquire: rail.inquire, purchase: wrap(rail.purchase) },
        ledger: { post: wrap === undefined ? ledger.post : wrap(ledger.post) },
        purchases:
          wrap === undefined
            ? purchases
            : {
                ...purchases,
                insert: wrap(purchases.insert),
                find: wrap(purchases.find),
                apply: wrap(purchases.apply),
                remove: wrap(purchases.remove),
              },
        givenTokens: { claim: wrap === undefined ? givenTokens.claim : wrap(givenTokens.claim) },
        products: await openProducts(store),
        inquiries: await openInquiries(store),
        merchants: directoryOf(options.products ?? ['biller']),
        keys: options.keys ?? keys,
        cutOff: options.cutOff ?? new Map(),
        clock,
        log: testLog(),
        metrics: {
          inquired: () => {},
          accepted: () => void counts.accepted++,
          finished: () => void counts.finished++,
          duplicateToken: () => void counts.duplicates++,
          contradicted: () => void counts.contradictions++,
        },
        railTimeoutMs: 1_000,
        idempotencyKeys: await openIdempotencyKeys(store, clock),
        inProgress: new Set(),
        background: new BackgroundWork(),
      };
      return { context, clock, counts, find: purchases.find };
    },
  };
}

export type Replica = Awaited<ReturnType<ReturnType<typeof useBiller>['open']>>;

/** A merchant with two active accounts, the first one its default. */
function directoryOf(products: string[]): Context['merchants'] {
  const profile = create(ProfileSchema, { merchantId: MERCHANT, partition: 'p0', products, defaultAccountId: ACCOUNT });
  const account = async (_merchant: string, accountId: string) => {
    if (![ACCOUNT, OTHER_ACCOUNT].includes(accountId)) throw new RefusalError(refuse('account_not_found'));
    return create(AccountSchema, { accountId, merchantId: MERCHANT });
  };
  const admitProduct = async (_merchant: string, product: string) => {
    if (!products.includes(product)) throw new RefusalError(refuse('product_not_allowed'));
    return profile;
  };
  return {
    profile: async () => profile,
    account,
    admitProduct,
    async admit(merchantId, product, accountId) {
      return { profile: await admitProduct(merchantId, product), account: await account(merchantId, accountId) };
    },
    close: async () => {},
  };
}

type Asked = { merchantId?: string; command?: string; productCode?: string; customerId?: string };

export async function inquire({ context }: Replica, over: Asked = {}) {
  const asked = { merchantId: MERCHANT, command: 'plntok', productCode: 'PLN50', customerId: '12345678901', ...over };
  const { inquiry } = await inquirePrepaid(context, create(InquirePrepaidRequestSchema, asked));
  return inquiry;
}

type Paid = {
  accountId?: string;
  merchantId?: string;
  command?: string;
  idempotencyKey?: { key: string; route: string; bodyHash: string };
};

export function pay({ context }: Replica, referenceNumber: string, over: Paid = {}) {
  const asked = { merchantId: MERCHANT, command: 'plntok', referenceNumber, ...over };
  return payPrepaid(context, create(PayPrepaidRequestSchema, asked));
}

/** Ends quietly on a crash, as a process that dies does; anything else is an error. */
export async function surviving(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
}

/** Fires the purchase's timer, over crashes, until it has none; gives its end, or undefined when it is gone. */
export async function untilDone({ context, find }: Replica, referenceNumber: string) {
  for (let round = 0; round < 12; round++) {
    const now = await find(referenceNumber);
    if (now?.document.due_at === undefined) return now;
    await surviving(onPurchaseDue(context, new Set(), now));
  }
  throw new Error('no end');
}

/** Fires the purchase's timer once. */
export async function fire({ context, find }: Replica, referenceNumber: string) {
  const now = await find(referenceNumber);
  if (now === undefined) throw new Error('it is gone');
  await onPurchaseDue(context, new Set(), now);
  return find(referenceNumber);
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

let tokens = 0;
export function newToken(): string {
  tokens++;
  return `${Date.now()}${process.pid}${tokens}`.padStart(20, '7').slice(-20);
}

/** Keys of these ids; the first one seals. The same id is the same key. */
export function keysOf(...kids: string[]): Keys<'prepaid-token'> {
  const ring = parseKeyRing(kids.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join());
  if (ring === undefined) throw new Error('no key ring');
  return createKeys(['prepaid-token'], [openEnvKeys(ring)]);
}
