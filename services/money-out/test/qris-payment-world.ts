import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createClock, encodeQris, isRefusal, newUlid, type Qris } from '@gerbang/core';
import { AccountSchema, AccountStatus, MerchantStatus, ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { ResolveRequestSchema } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import {
  CreditQrisPaymentRequestSchema,
  GetQrisPaymentRequestSchema,
  InquireQrisPaymentRequestSchema,
} from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import type { QrisPaymentRail, QrisPaymentRequest } from '@gerbang/rails/qris-payment';
import { BackgroundWork } from '@gerbang/runtime';
import { connectStore, openIdempotencyKeys, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { operatorCall } from '@gerbang/testkit/operator-gate';
import { afterAll, beforeAll } from 'vitest';
import { openAccountTransferStore } from '../src/account-transfer/store.ts';
import type { Context } from '../src/context.ts';
import { createProducts } from '../src/products.ts';
import { type Inquiries, openInquiries } from '../src/qris-payment/inquiry.ts';
import { creditQrisPayment } from '../src/qris-payment/rpc/credit-qris-payment.ts';
import { getQrisPayment } from '../src/qris-payment/rpc/get-qris-payment.ts';
import { inquireQrisPayment } from '../src/qris-payment/rpc/inquire-qris-payment.ts';
import { resolve } from '../src/resolution/rpc/resolve.ts';
import { onTransferDue } from '../src/transfer/on-due.ts';
import { openTransferStore } from '../src/transfer/store.ts';
import { keysOf } from './cardless-world.ts';
import { countingMetrics, scriptedLedger, surviving, type Wrap, withCrashes } from './saga-world.ts';

export const FEE_SEN = 1_000_00n;
export const CODE_SEN = 25_000_00n;
const PAID = { outcome: 'succeeded', railReference: 'a-1', rrn: '42' } as const;

let count = 0;
/** A code of its own each. */
export function code(over: Partial<Qris> = {}): string {
  count++;
  const payload = encodeQris({
    type: 'mpm-dynamic',
    accounts: [
      { tag: '26', globallyUniqueId: 'ID.CO.BANK.WWW', pan: '936000091500000012', others: [] },
      { tag: '51', globallyUniqueId: 'ID.CO.QRIS.WWW', merchantId: 'ID1020000000034', criteria: 'UMI', others: [] },
    ],
    merchantCategoryCode: '5812',
    amountSen: CODE_SEN,
    merchantName: 'Warung Bu Sri',
    merchantCity: 'Kab. Demak',
    additionalData: { referenceLabel: String(count), others: [] },
    others: [],
    ...over,
  });
  if (isRefusal(payload)) throw new Error(payload.message);
  return payload;
}

/**
 * An acquirer that knows a reference by one code, and decides on it once, as `decides` says; what stays pending there goes to the
 * operators. Both sides of a code of its own are in its books: `received` has the codes whose merchants have the money.
 */
export function scriptedAcquirer(decides: 'succeeded' | 'failed' | 'pending' = 'succeeded') {
  const decoded = new Map<string, string>();
  const decided = new Map<string, 'succeeded' | 'failed' | 'pending' | 'canceled' | 'returned'>();
  const paid = new Map<string, QrisPaymentRequest>();
  const received: string[] = [];
  const refunds = new Set<string>();
  const failure = { outcome: 'failed', code: '4045008', reason: 'No', cause: 'merchant_unknown' } as const;
  const rail: QrisPaymentRail = {
    async decode({ partnerReference, payload }) {
      if ((decoded.get(partnerReference) ?? payload) !== payload) {
        return { outcome: 'refused', problem: 'used', code: '4044818', reason: 'Inconsistent Request' };
      }
      decoded.set(partnerReference, payload);
      return { outcome: 'found' };
    },
    async pay(request, { firstSend }) {
      const { partnerReference } = request;
      const payload = decoded.get(partnerReference);
      if (payload === undefined) throw new Error('paid without having been decoded');
      if (decided.has(partnerReference)) return { outcome: 'unknown', reason: '4095001 Duplicate partnerReferenceNo' };
      decided.set(partnerReference, decides);
      if (decides === 'pending') return { outcome: 'unknown', reason: 'silence', needsOperator: true };
      if (decides === 'failed') return firstSend ? failure : { outcome: 'unknown', reason: failure.reason };
      paid.set(partnerReference, request);
      received.push(payload);
      return PAID;
    },
    async query({ partnerReference }) {
      const state = decided.get(partnerReference);
      if (state === undefined) return { outcome: 'not_found' };
      if (state === 'succeeded') return PAID;
      if (state === 'returned') return { outcome: 'returned', railReference: 'a-1', reason: 'Refunded' };
      return state === 'failed' ? failure : { outcome: state };
    },
    async cancel({ partnerReference }) {
      const state = decided.get(partnerReference);
      if (state === undefined) return { outcome: 'not_found' };
      if (state === 'pending') decided.set(partnerReference, 'canceled');
      const isCanceled = state === 'pending' || state === 'canceled';
      return isCanceled ? { outcome: 'canceled' } : { outcome: 'unknown', reason: '4047700 Invalid Transaction Status' };
    },
    async refund({ payment: { partnerReference }, refundReference }) {
      if (refunds.has(refundReference)) return { outcome: 'refunded' };
      if (decided.get(partnerReference) !== 'succeeded') return { outcome: 'refused', code: '4047800', reason: 'Invalid Status' };
      decided.set(partnerReference, 'returned');
      refunds.add(refundReference);
      received.splice(received.indexOf(decoded.get(partnerReference) ?? ''), 1);
      return { outcome: 'refunded' };
    },
    close: async () => {},
  };
  return { ...rail, decoded, decided, paid, received, refunds };
}

type Acquirer = ReturnType<typeof scriptedAcquirer>;

/** What survives a process. */
type Lasting = { accountId: string; ledger: ReturnType<typeof scriptedLedger>; acquirer: Acquirer };

export function useQrisPayments(name: string) {
  let mongo: TestMongo;
  let store: Store;
  let stores: Stores;
  beforeAll(async () => {
    mongo = await startTestMongo();
    store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}${name}`, appName: 'test' });
    stores = await openStores(store);
  });
  afterAll(async () => {
    await store?.close();
    await mongo?.stop();
  });
  return {
    store: () => store,
    /** A process, for an account of its own or for that of another process; with `wrap` it dies at one of its steps. */
    async open(lasting: Partial<Lasting> = {}, wrap?: Wrap) {
      const accountId = lasting.accountId ?? newUlid(Date.now());
      const ledger = lasting.ledger ?? scriptedLedger();
      const acquirer = lasting.acquirer ?? scriptedAcquirer();
      const context = await openContext(stores, { accountId, ledger, acquirer }, wrap);
      return { accountId, ledger, acquirer, context, ...callsOf(context, accountId) };
    },
  };
}

export type QrisPayments = Awaited<ReturnType<ReturnType<typeof useQrisPayments>['open']>>;

/** What merchants, operators and timers call, all for one reference. */
function callsOf(context: Context, accountId: string) {
  const named = { merchantId: 'm1', accountId, referenceNumber: 'r-1' };
  const find = () => context.transfers.find(accountId, 'r-1', { linearizable: true });
  /** The transfer's timer fires. */
  const due = async () => {
    const found = await find();
    if (found === undefined) throw new Error('it is gone');
    await onTransferDue(context, new Set(), found);
  };
  return {
    named,
    find,
    due,
    inquire: (over: MessageInitShape<typeof InquireQrisPaymentRequestSchema>) =>
      inquireQrisPayment(context, create(InquireQrisPaymentRequestSchema, { ...named, ...over })),
    credit: (over: MessageInitShape<typeof CreditQrisPaymentRequestSchema> = {}) =>
      creditQrisPayment(context, create(CreditQrisPaymentRequestSchema, { ...named, ...over })),
    status: () => getQrisPayment(context, create(GetQrisPaymentRequestSchema, named)),
    resolve: (operator: string, outcome: string) =>
      resolve(context, create(ResolveRequestSchema, { ...named, outcome }), operatorCall(operator)),
    /** Fires its timer, over crashes, until it has none; undefined where it is gone. */
    async untilDone() {
      for (let round = 0; round < 12; round++) {
        const now = await find();
        if (now?.document.due_at === undefined) return now;
        await surviving(due());
      }
      throw new Error('no end');
    },
  };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** What all processes share but the transfers, whose products have a rail of their own each. */
async function openStores(store: Store) {
  const clock = createClock();
  return {
    store,
    clock,
    accountTransfers: await openAccountTransferStore(store, () => {}),
    inquiries: await openInquiries(store),
    idempotencyKeys: await openIdempotencyKeys(store, clock),
  };
}

async function openContext(stores: Stores, { accountId, ledger, acquirer }: Lasting, wrap: Wrap | undefined): Promise<Context> {
  const unused = async () => {
    throw new Error('not part of this test');
  };
  const { store, clock, accountTransfers, inquiries, idempotencyKeys } = stores;
  const close = async () => {};
  const rails = {
    bankTransfer: { inquireAccount: unused, transfer: unused, inquireTransfer: unused, close },
    ewalletTopup: { inquireWallet: unused, topUp: unused, inquireTopup: unused, close },
    cardless: { createCode: unused, inquire: unused, cancel: unused, close },
    qrisPayment: wrap === undefined ? acquirer : railWithCrashes(acquirer, wrap),
  };
  const products = createProducts(rails, { keys: keysOf('k1') });
  const fees = [{ product: 'qris-issuer', fixedSen: FEE_SEN }];
  const profile = create(ProfileSchema, { merchantId: 'm1', status: MerchantStatus.ACTIVE, partition: 'p0', fees });
  const account = create(AccountSchema, { accountId, merchantId: 'm1', status: AccountStatus.ACTIVE });
  const transfers = await openTransferStore(store, Object.values(products), () => {});
  return {
    rails,
    products,
    transfers: wrap === undefined ? transfers : withCrashes(transfers, wrap),
    accountTransfers,
    inquiries: wrap === undefined ? inquiries : inquiriesWithCrashes(inquiries, wrap),
    ledger: { post: wrap === undefined ? ledger.post : wrap(ledger.post), getBalance: unused, verify: unused },
    clock,
    log: testLog(),
    metrics: countingMetrics().metrics,
    railTimeoutMs: 1_000,
    merchants: {
      profile: async () => profile,
      account: async () => account,
      admit: async () => ({ profile, account }),
      admitProduct: async () => profile,
      close: async () => {},
    },
    idempotencyKeys,
    inProgress: new Set(),
    background: new BackgroundWork(),
  };
}

function railWithCrashes({ decode, pay, query, cancel, refund, close }: QrisPaymentRail, wrap: Wrap): QrisPaymentRail {
  return { decode: wrap(decode), pay: wrap(pay), query: wrap(query), cancel: wrap(cancel), refund: wrap(refund), close };
}

function inquiriesWithCrashes({ find, claim, setDecoded, forget, renew }: Inquiries, wrap: Wrap): Inquiries {
  return { find: wrap(find), claim: wrap(claim), setDecoded: wrap(setDecoded), forget: wrap(forget), renew: wrap(renew) };
}
