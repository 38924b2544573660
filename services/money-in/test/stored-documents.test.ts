import { isDeepStrictEqual } from 'node:util';
import { createClock, SANDBOX_VA_SERIES } from '@gerbang/core';
import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { eventually } from '@gerbang/testkit';
import { beforeAll, expect, test } from 'vitest';
import { listKinds } from '../src/kinds.ts';
import {
  ANSWERS,
  CLAIMS,
  FEES,
  OWNER,
  PAYMENT_REQUESTS,
  PAYMENTS,
  SEQUENCES,
  STORED_AT_MS,
} from './fixtures/stored-documents.ts';
import { type MoneyIn, useMoneyIn, vaPayment } from './harness.ts';

type Stored = { _id: string; status?: string };

const world = useMoneyIn();
const clock = createClock(() => STORED_AT_MS);
const { merchantId, accountId } = OWNER;
const key = { merchantId, accountId };
let database: string;
let moneyIn: MoneyIn;

beforeAll(async () => {
  database = world.newDatabase();
  const store = await world.openStore(database);
  const stored: [string, readonly Stored[]][] = [
    ['payables', PAYMENT_REQUESTS],
    ['payments', PAYMENTS],
    ['claims', CLAIMS],
    ['sequences', SEQUENCES],
  ];
  for (const [name, documents] of stored) await store.collection<Stored>(name).insertMany([...documents]);
  world.newMerchant({ ...OWNER, fees: FEES });
  moneyIn = await world.start(database, clock);
});

/** A message without what only its class has. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name, field]) => name !== '$typeName' && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
}

test('documents of every kind and in every state are answered about as before', async () => {
  const query = { ...key, limit: 100 };
  const { virtualAccounts, qris, ewallets, retail, links, suspense } = moneyIn;
  const retailIds = ANSWERS.retailTransactions.map(({ transactionId }) => transactionId);
  const retailTransactions = await Promise.all(
    retailIds.map(async (transactionId) => (await retail.getRetailTransaction({ ...key, transactionId })).retailTransaction),
  );
  const answers = {
    virtualAccounts: (await virtualAccounts.listVirtualAccounts({ query })).virtualAccounts,
    vaTransactions: (await virtualAccounts.listVaTransactions({ query })).vaTransactions,
    qrisTransactions: (await qris.listQris({ query })).qrisTransactions,
    ewalletCheckouts: (await ewallets.listEwalletCheckouts({ query })).ewalletCheckouts,
    retailTransactions,
    paymentLinks: (await links.listPaymentLinks({ query })).paymentLinks,
    paymentLinkHistories: (await links.listPaymentLinkHistories({ query })).paymentLinkHistories,
    suspense: (await suspense.listSuspense({ limit: 100 })).items,
  };
  expect(plain(answers)).toEqual(ANSWERS);
});

test('details are written as they were, under the stored names', () => {
  const { of } = listKinds({ vaSeries: SANDBOX_VA_SERIES });
  for (const { kind, details } of PAYMENT_REQUESTS)
    expect(of(kind).codec.toDocument(of(kind).codec.fromDocument(details))).toEqual(details);
});

test.each([
  ['a virtual account', { by: 'virtual-account', name: 'va-closed', amountSen: 50_000_00n }],
  ['a retail code', { by: 'retail', name: 'r-open', amountSen: 20_000_00n }],
  ['a QRIS code', { by: 'qris', name: 'q-open', amountSen: 25_000_00n }],
  ['a QRIS code with a fixed tip', { by: 'qris', name: 'q-fixed', amountSen: 26_000_00n, tipSen: 1_000_00n }],
  ['a QRIS code with a tip by percentage', { by: 'qris', name: 'q-percentage', amountSen: 26_250_00n, tipSen: 1_250_00n }],
  ['an e-wallet checkout', { by: 'ewallet-checkout', name: 'w-open', amountSen: 10_000_00n }],
] as const)('%s that was stored before is paid', async (_what, paid) => {
  const tipSen = 'tipSen' in paid ? paid.tipSen : 0n;
  expect(await pay(paidTo(paid.by, paid.name, tipSen), paid.amountSen, paid.by === 'virtual-account')).toBe(
    RailDecision.ACCEPTED,
  );
});

function paidTo(kind: string, merchantReffNo: string, tipSen: bigint) {
  const found = PAYMENT_REQUESTS.find((one) => one.kind === kind && one.merchant_reff_no === merchantReffNo);
  const [ulid = '', details] = [found?._id.split(':')[1], found?.details];
  if (details !== undefined && 'number' in details) return { case: 'virtualAccount' as const, value: { number: details.number } };
  if (details !== undefined && 'payment_code' in details)
    return { case: 'retail' as const, value: { paymentCode: details.payment_code } };
  if (kind === 'qris') return { case: 'qris' as const, value: { partnerReference: `66${ulid}`, tipSen } };
  return { case: 'ewallet' as const, value: { partnerReference: `88${ulid}` } };
}

async function pay(payable: object, amountSen: bigint, isAsked = false): Promise<RailDecision> {
  const told = vaPayment(clock, '', { amountSen, payable, moneyTaken: !isAsked });
  return (await moneyIn.rail.notifyPayment(told)).decision;
}

test('a session that was stored before takes the last method that it was issued', async () => {
  const session = ANSWERS.paymentLinkHistories.find(({ paymentMethod }) => paymentMethod === 'VA_BCA');
  const number = session?.paymentMethodValue ?? '';
  expect(await pay({ case: 'virtualAccount', value: { number } }, 30_000_00n)).toBe(RailDecision.ACCEPTED);
  const { paymentLink } = await moneyIn.links.getPaymentLink({ ...key, id: session?.paymentLinkId ?? 0n });
  expect(paymentLink?.currentUsage).toBe(2);
});

test('payments that a crash has left are finished, and those that are paid settle', async () => {
  clock.setOffset(60_000);
  const store = await world.openStore(database);
  const statuses = async () => {
    const found = await store
      .collection<Stored>('payments')
      .find({ _id: { $in: PAYMENTS.map(({ _id }) => _id) } })
      .toArray();
    return found.map(({ _id, status }) => [_id, status]).sort();
  };
  const ended: Record<string, string> = { accepted: 'settled', paid: 'settled', suspending: 'suspended' };
  const wanted = PAYMENTS.map(({ _id, status }) => [_id, ended[status] ?? status]).sort();
  await eventually('all are at rest', async () => isDeepStrictEqual(await statuses(), wanted));
});
