import { create } from '@bufbuild/protobuf';
import { createClock, newUlid, SANDBOX_VA_SERIES } from '@gerbang/core';
import { ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { connectStore, openIdempotencyKeys, type Store } from '@gerbang/store';
import { type Dying, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import type { ContractLedger } from '@gerbang/testkit/ledger';
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
      ledger: ContractLedger,
      { guard }: Dying,
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
