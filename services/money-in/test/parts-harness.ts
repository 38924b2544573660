import { create } from '@bufbuild/protobuf';
import { createClock, newUlid, RefusalError, refuse, SANDBOX_VA_SERIES } from '@gerbang/core';
import { Intent, PostResponseSchema, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { connectStore, openAuditLog, openIdempotencyKeys, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Context } from '../src/context.ts';
import { listKinds } from '../src/kinds.ts';
import { openPaymentStore, type PaymentStore } from '../src/payment/store.ts';
import { openClaims } from '../src/payment-request/claims.ts';
import type { StoredPaymentRequest } from '../src/payment-request/document.ts';
import { newPaymentRequest } from '../src/payment-request/payment-request.ts';
import { openSequences } from '../src/payment-request/sequences.ts';
import { openPaymentRequestStore, type PaymentRequestStore } from '../src/payment-request/store.ts';
import { QRIS, type QrisDetails } from '../src/qris/qris.ts';
import type { AskRail } from '../src/rail/ask.ts';
import { VIRTUAL_ACCOUNT, type VirtualAccountDetails } from '../src/virtual-account/virtual-account.ts';

export class Crash extends Error {}

/** Where a process dies: right before its n-th step, or right after it, before its result is known. */
export type Death = { step: number; when: 'before' | 'after' };

/** Counts every call to the database and the ledger, and dies at one of them, and at all that come after. */
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

type Posted = { postingKey?: string; intent?: Intent; side?: Side; amountSen?: bigint };

/**
 * The ledger as its contract has it: once per posting key, which tells contents apart. `balance`: what is pending and available
 * of all accounts together.
 */
export function newLedger() {
  const posted = new Map<string, bigint>();
  const contents = new Map<string, string>();
  const balance = { pending: 0n, available: 0n };
  const book = ({ intent, side, amountSen = 0n }: Posted) => {
    const name = side === Side.AVAILABLE ? 'available' : 'pending';
    if (intent === Intent.SETTLE) {
      balance.pending -= amountSen;
      balance.available += amountSen;
    } else if (side !== Side.SUSPENSE) balance[name] += intent === Intent.COMPENSATE ? -amountSen : amountSen;
  };
  return {
    posted,
    balance,
    post: async (request: Posted) => {
      const { postingKey = '', intent = 0, side = 0, amountSen = 0n } = request;
      const content = `${intent} ${side} ${amountSen}`;
      const known = contents.get(postingKey);
      if (known !== undefined && known !== content) throw new RefusalError(refuse('posting_key_conflict'));
      if (known === undefined) book(request);
      contents.set(postingKey, content);
      posted.set(postingKey, amountSen);
      return create(PostResponseSchema, { postedAtMs: 1n });
    },
  };
}

export const clock = createClock();

const unused = () => Promise.reject(new Error('not part of this test'));

/** What the service has counted, by "<metric>:<label>". */
export type Counts = Map<string, number>;

const VA_DETAILS: VirtualAccountDetails = {
  kind: VIRTUAL_ACCOUNT,
  number: '70014',
  bankCode: 'BCA',
  lifetime: 'temporary',
  amountType: 'closed',
  name: 'x',
};
const QRIS_DETAILS: QrisDetails = {
  kind: QRIS,
  qrData: '',
  tip: { indicator: 'none', value: 0n },
  acquirerName: '',
  acquirerNns: '',
};

/** The service's parts on a database of their own, without rpc and timers, so that a test can stop them between any two steps. */
export function useParts() {
  const kinds = listKinds({ vaSeries: SANDBOX_VA_SERIES });
  let mongo: TestMongo;
  let store: Store;
  let paymentRequests: PaymentRequestStore;
  let payments: PaymentStore;
  let nextNumber = 1;

  beforeAll(async () => {
    mongo = await startTestMongo();
    store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}parts`, appName: 'test' });
    paymentRequests = await openPaymentRequestStore(store, kinds, () => {});
    payments = await openPaymentStore(store, () => {});
  });
  afterAll(async () => {
    await store?.close();
    await mongo?.stop();
  });

  const insert = async (
    details: QrisDetails | VirtualAccountDetails,
    made: Parameters<typeof newPaymentRequest>[0],
  ): Promise<StoredPaymentRequest> => {
    const nowMs = clock.now();
    const ulid = newUlid(nowMs);
    const order = {
      id: `${details.kind}:${ulid}`,
      publicId: details.kind === QRIS ? String(nextNumber++) : ulid,
      merchantId: 'm1',
      partition: 'p0',
      accountId: newUlid(nowMs),
      merchantReffNo: 'r',
      createdAtMs: nowMs - 60_000,
    };
    return (await paymentRequests.insert(order, newPaymentRequest(made), details, [])) ?? expect.fail('the id is taken');
  };
  return {
    paymentRequests: () => paymentRequests,
    payments: () => payments,
    /** A virtual account over 5 rupiah that is paid twice. */
    newVirtualAccount: () => insert(VA_DETAILS, { minSen: 500n, maxSen: 500n, maxUses: 2 }),
    /** A QRIS code over 5 rupiah, whose time ended half a second ago unless told. */
    newCode: (expiresInMs = -500) =>
      insert(QRIS_DETAILS, { minSen: 500n, maxSen: 500n, maxUses: 1, expiresAtMs: clock.now() + expiresInMs }),
    async newContext(
      ledger: ReturnType<typeof newLedger>,
      { guard }: ReturnType<typeof dying>,
      { askRail = unused, counts = new Map() }: { askRail?: AskRail; counts?: Counts } = {},
    ): Promise<Context> {
      const profile = async (merchantId: string) => create(ProfileSchema, { merchantId, partition: 'p0' });
      const count = (name: string) => (label: string) => {
        counts.set(`${name}:${label}`, (counts.get(`${name}:${label}`) ?? 0) + 1);
      };
      return {
        kinds,
        paymentRequests: {
          ...paymentRequests,
          find: guard(paymentRequests.find),
          findMany: guard(paymentRequests.findMany),
          apply: guard(paymentRequests.apply),
          postpone: guard(paymentRequests.postpone),
        },
        payments: {
          ...payments,
          insert: guard(payments.insert),
          find: guard(payments.find),
          apply: guard(payments.apply),
        },
        claims: openClaims(store, unused),
        numbers: openSequences(store),
        ledger: { post: guard(ledger.post), getBalance: unused, verify: unused },
        merchants: { profile, account: unused, admit: unused, admitProduct: unused, close: async () => {} },
        idempotencyKeys: await openIdempotencyKeys(store, clock),
        audit: openAuditLog(store),
        reconciled: { of: async () => new Map() },
        settlesAt: (_product, paidAtMs) => paidAtMs,
        vaSeries: SANDBOX_VA_SERIES,
        payUrl: '',
        sessionMs: 60_000,
        holdMs: 60_000,
        suspensePartition: 'p0',
        rails: {
          acquirerName: '',
          callbackPartnerIds: { qris: 'acquirer', ewallet: 'wallet' },
          merchantCity: '',
          qris: { generate: unused, query: unused, cancel: unused, close: unused },
          ewallet: { createPayment: unused, inquirePayment: unused, cancelPayment: unused, refundPayment: unused, close: unused },
        },
        askRail: guard(askRail),
        railTimeoutMs: 1,
        clock,
        log: testLog(),
        metrics: {
          created: count('created'),
          paid: count('paid'),
          settled: count('settled'),
          expired: count('expired'),
          asked: count('asked'),
          rejected: count('rejected'),
          reversed: count('reversed'),
          timeNotBelieved: count('timeNotBelieved'),
          contradicted: () => count('contradicted')(''),
        },
      };
    },
  };
}

export const notification = (request: StoredPaymentRequest, amountSen: bigint) => ({
  rail: 'va' as const,
  partnerId: 'bank',
  railReference: request.order.publicId,
  paidTo: '70014',
  amountSen,
  tipSen: 0n,
  paidAtMs: clock.now(),
  moneyTaken: true,
  payer: undefined,
  request,
});
