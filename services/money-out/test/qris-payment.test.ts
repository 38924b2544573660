import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createClock, encodeQris, isRefusal, newUlid, type Qris } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountSchema, AccountStatus, MerchantStatus, ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { TransferRequestSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import {
  CreditQrisPaymentRequestSchema,
  GetQrisPaymentRequestSchema,
  InquireQrisPaymentRequestSchema,
} from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import type { QrisPaymentRail, QrisPaymentRequest } from '@gerbang/rails';
import { BackgroundWork } from '@gerbang/runtime';
import { connectStore, openAuditLog, openIdempotencyKeys, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openAccountTransferStore } from '../src/account-transfer/store.ts';
import type { Context } from '../src/context.ts';
import { transfer } from '../src/disbursement/rpc/transfer.ts';
import { createProducts } from '../src/products.ts';
import { openInquiries } from '../src/qris-payment/inquiry.ts';
import { creditQrisPayment } from '../src/qris-payment/rpc/credit-qris-payment.ts';
import { getQrisPayment } from '../src/qris-payment/rpc/get-qris-payment.ts';
import { inquireQrisPayment } from '../src/qris-payment/rpc/inquire-qris-payment.ts';
import { onTransferDue } from '../src/transfer/on-due.ts';
import { partnerReferenceOf } from '../src/transfer/rail-reference.ts';
import { openTransferStore } from '../src/transfer/store.ts';
import { refusalOf } from './harness.ts';
import { countingMetrics, scriptedLedger } from './saga-world.ts';

/** A code in circulation, as its merchant shows it: static, and not made by our encoder. */
const FOREIGN =
  '00020101021126570011ID.DANA.WWW011893600915302259148102090225914810303UMI51440014ID.CO.QRIS.WWW0215ID10200176114730303UMI' +
  '5204581253033605802ID5922Warung Sayur Bu Sugeng6010Kab. Demak610559567630458C7';
const FEE_SEN = 1_000_00n;

let mongo: TestMongo;
let store: Store;
let context: Context;
let ledger: ReturnType<typeof scriptedLedger>;
let accountId: string;
let count = 0;
const rail = {
  paid: new Map<string, QrisPaymentRequest>(),
  decoded: new Map<string, string>(),
  script: {} as Partial<QrisPaymentRail>,
};

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}qris_payments`, appName: 'test' });
});
afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const PAID = { outcome: 'succeeded', railReference: 'a-1', rrn: '42' } as const;

/** An acquirer that knows a reference by one code, and pays it once. */
const acquirer: QrisPaymentRail = {
  async decode(scan, options) {
    if (rail.script.decode !== undefined) return rail.script.decode(scan, options);
    const { partnerReference, payload } = scan;
    if ((rail.decoded.get(partnerReference) ?? payload) !== payload) {
      return { outcome: 'refused', problem: 'used', code: '4044818', reason: 'Inconsistent Request' };
    }
    rail.decoded.set(partnerReference, payload);
    return { outcome: 'found' };
  },
  async pay(request, options) {
    const { partnerReference } = request;
    if (!rail.decoded.has(partnerReference)) throw new Error('paid without having been decoded');
    if (rail.script.pay !== undefined) return rail.script.pay(request, options);
    if (rail.paid.has(partnerReference)) return { outcome: 'unknown', reason: '4095001 Duplicate partnerReferenceNo' };
    rail.paid.set(partnerReference, request);
    return PAID;
  },
  async query(request, options) {
    if (rail.script.query !== undefined) return rail.script.query(request, options);
    return rail.paid.has(request.partnerReference) ? PAID : { outcome: 'not_found' };
  },
  close: async () => {},
};

beforeEach(async () => {
  Object.assign(rail, { paid: new Map(), decoded: new Map(), script: {} });
  ledger = scriptedLedger();
  accountId = newUlid(Date.now());
  const unused = async () => {
    throw new Error('not part of this test');
  };
  const clock = createClock();
  const close = async () => {};
  const rails = {
    bankTransfer: { inquireAccount: unused, transfer: unused, inquireTransfer: unused, close },
    ewalletTopup: { inquireWallet: unused, topUp: unused, inquireTopup: unused, close },
    cardless: { createCode: unused, inquire: unused, cancel: unused, close },
    qrisPayment: acquirer,
  };
  const products = createProducts(rails, { keyRing: { currentKid: 'k1', keys: new Map() } });
  const fees = [{ product: 'qris-issuer', fixedSen: FEE_SEN }];
  const profile = create(ProfileSchema, { merchantId: 'm1', status: MerchantStatus.ACTIVE, partition: 'p0', fees });
  const account = create(AccountSchema, { accountId, merchantId: 'm1', status: AccountStatus.ACTIVE });
  context = {
    rails,
    products,
    transfers: await openTransferStore(store, Object.values(products), () => {}),
    accountTransfers: await openAccountTransferStore(store, () => {}),
    inquiries: await openInquiries(store),
    ledger: { post: ledger.post, getBalance: unused, verify: unused },
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
    idempotencyKeys: await openIdempotencyKeys(store, clock),
    audit: openAuditLog(store),
    inProgress: new Set(),
    background: new BackgroundWork(),
  };
});

function code(over: Partial<Qris> = {}): string {
  count++;
  const payload = encodeQris({
    type: 'mpm-dynamic',
    accounts: [
      { tag: '26', globallyUniqueId: 'ID.CO.BANK.WWW', pan: '936000091500000012', others: [] },
      { tag: '51', globallyUniqueId: 'ID.CO.QRIS.WWW', merchantId: 'ID1020000000034', criteria: 'UMI', others: [] },
    ],
    merchantCategoryCode: '5812',
    amountSen: 25_000_00n,
    merchantName: 'Warung Bu Sri',
    merchantCity: 'Kab. Demak',
    additionalData: { referenceLabel: String(count), others: [] },
    others: [],
    ...over,
  });
  if (isRefusal(payload)) throw new Error(payload.message);
  return payload;
}

const named = () => ({ merchantId: 'm1', accountId, referenceNumber: 'r-1' });
const inquire = (over: MessageInitShape<typeof InquireQrisPaymentRequestSchema>) =>
  inquireQrisPayment(context, create(InquireQrisPaymentRequestSchema, { ...named(), ...over }));
const credit = (over: MessageInitShape<typeof CreditQrisPaymentRequestSchema> = {}) =>
  creditQrisPayment(context, create(CreditQrisPaymentRequestSchema, { ...named(), ...over }));
/** The transfer's timer fires. */
const due = async () => {
  const found = await context.transfers.find(accountId, 'r-1', { linearizable: true });
  if (found === undefined) throw new Error('it is gone');
  await onTransferDue(context, context.inProgress, found);
};
const status = () => getQrisPayment(context, create(GetQrisPaymentRequestSchema, named()));

describe('an inquiry', () => {
  test('tells what a payment costs, and holds nothing', async () => {
    const qrData = code({ tip: { indicator: 'percentage', basisPoints: 500 } });
    const { transfer: asked } = await inquire({ qrData });
    expect(asked).toMatchObject({
      status: TransferStatus.INITIATED,
      amountSen: 26_250_00n,
      feeSen: FEE_SEN,
      transactionId: expect.stringMatching(/^66[0-9A-Z]{26}$/),
      qrisPayment: {
        merchantName: 'Warung Bu Sri',
        merchantCity: 'Kab. Demak',
        type: 'mpm-dynamic',
        amountSen: 25_000_00n,
        tipSen: 1_250_00n,
        tipIndicator: 'percentage',
        tipValue: 500n,
      },
    });
    expect(ledger.keys()).toEqual([]);
    expect((await status()).transfer).toEqual(asked);
    expect((await inquire({ qrData })).transfer).toEqual(asked);
    expect([...rail.decoded]).toEqual([[partnerReferenceOf(accountId, 'r-1'), qrData]]);
  });

  test('of a code that leaves the amount open needs none; the payment does', async () => {
    const { transfer: asked } = await inquire({ qrData: FOREIGN });
    expect(asked).toMatchObject({ amountSen: 0n, feeSen: 0n, qrisPayment: { type: 'mpm-static', amountSen: 0n } });
    expect(asked?.qrisPayment?.merchantName).toBe('Warung Sayur Bu Sugeng');
    expect(await refusalOf(credit())).toEqual(['validation', ['amount']]);
    const { transfer: paid } = await credit({ amountSen: 12_000_00n });
    expect(paid).toMatchObject({ status: TransferStatus.SUCCESS, amountSen: 12_000_00n, transactionId: asked?.transactionId });
  });

  test('of another code or amount under the same reference is refused', async () => {
    await inquire({ qrData: FOREIGN, amountSen: 12_000_00n });
    expect(await refusalOf(inquire({ qrData: FOREIGN, amountSen: 13_000_00n }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(inquire({ qrData: code() }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(credit({ qrData: code() }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(credit({ amountSen: 13_000_00n }))).toEqual(['duplicate_reference', []]);
  });

  test.each([
    ['expired', 'validation', 'qr_data'],
    ['paid', 'validation', 'qr_data'],
    ['invalid', 'validation', 'qr_data'],
    ['amount', 'validation', 'amount'],
    ['merchant', 'beneficiary_not_found', undefined],
    ['used', 'duplicate_reference', undefined],
    ['other', 'transaction_failed', undefined],
  ] as const)('a code that is refused as %s is not recorded', async (problem, refused, field) => {
    rail.script.decode = async () => ({ outcome: 'refused', problem, code: '4034800', reason: 'No' });
    const expected = [refused, field === undefined ? [] : [field]];
    const qrData = code();
    expect(await refusalOf(inquire({ qrData }))).toEqual(expected);
    expect(await refusalOf(credit({ qrData }))).toEqual(expected);
    expect(await refusalOf(status())).toEqual(['transaction_not_found', []]);
    expect(ledger.keys()).toEqual([]);
  });

  test('a silent acquirer is asked twice', async () => {
    let asked = 0;
    rail.script.decode = async () => (++asked === 1 ? { outcome: 'unknown', reason: 'silence' } : { outcome: 'found' });
    await inquire({ qrData: code() });
    rail.script.decode = async () => ({ outcome: 'unknown', reason: 'silence' });
    const qrData = code();
    const again = () => inquire({ referenceNumber: 'r-2', qrData });
    expect(await refusalOf(again())).toEqual(['vendor_inactive', []]);
    const shown = () => getQrisPayment(context, create(GetQrisPaymentRequestSchema, { ...named(), referenceNumber: 'r-2' }));
    expect(await refusalOf(shown())).toEqual(['transaction_not_found', []]);
    // It may know the reference by this code by now, so it is told of no other one.
    delete rail.script.decode;
    expect(await refusalOf(inquire({ referenceNumber: 'r-2', qrData: code() }))).toEqual(['duplicate_reference', []]);
    expect((await again()).transfer).toEqual((await shown()).transfer);
  });
});

describe('a payment', () => {
  test('holds amount, tip and fee, and is paid once however often it is ordered', async () => {
    const qrData = code({ amountSen: undefined, tip: { indicator: 'input' } });
    const ordered = { qrData, amountSen: 20_000_00n, tipSen: 1_500_00n };
    const answers = await Promise.all(Array.from({ length: 5 }, () => credit(ordered)));
    const { transfer: paid } = await credit(ordered);
    expect(new Set(answers.map((answer) => answer.transfer?.transactionId))).toEqual(new Set([paid?.transactionId]));
    expect(paid).toMatchObject({
      status: TransferStatus.SUCCESS,
      amountSen: 21_500_00n,
      feeSen: FEE_SEN,
      qrisPayment: { amountSen: 20_000_00n, tipSen: 1_500_00n, rrn: '42' },
    });
    expect([...rail.paid.values()]).toMatchObject([{ amountSen: '2150000', tipSen: '150000', merchantReference: 'r-1' }]);
    expect(ledger.balances).toMatchObject({ held: 0n, rail: 21_500_00n, fees: FEE_SEN });
    expect(await refusalOf(credit({ ...ordered, tipSen: undefined }))).toEqual(['duplicate_reference', []]);
  });

  test('another request’s payment of the code in between is no other’s', async () => {
    const qrData = code();
    rail.script.decode = async (scan, options) => {
      delete rail.script.decode;
      await credit({ qrData });
      rail.script.decode = async () => ({ outcome: 'refused', problem: 'paid', code: '4044814', reason: 'Paid Bill' });
      return acquirer.decode(scan, options);
    };
    const { transfer: paid } = await credit({ qrData });
    expect(paid?.status).toBe(TransferStatus.SUCCESS);
    expect(rail.paid.size).toBe(1);
  });

  test('without the balance nothing is recorded, and the reference pays later', async () => {
    ledger = scriptedLedger(0n);
    context.ledger.post = ledger.post;
    const { transfer: asked } = await inquire({ qrData: code() });
    expect(await refusalOf(credit())).toEqual(['insufficient_balance', []]);
    expect((await status()).transfer?.status).toBe(TransferStatus.INITIATED);
    ledger.balances.available = 100_000_00n;
    const { transfer: paid } = await credit();
    expect(paid?.status).toBe(TransferStatus.SUCCESS);
    expect(paid?.transactionId).not.toBe(asked?.transactionId);
    expect([...rail.paid.values()]).toMatchObject([{ transactionId: paid?.transactionId }]);
  });

  test('a reference of another product is not ours, inquired or not', async () => {
    await inquire({ qrData: code() });
    const beneficiary = { bankCode: '014', bankAccountNumber: '1234567890', amountSen: 1_000_00n };
    await transfer(context, create(TransferRequestSchema, { ...named(), ...beneficiary }));
    expect(await refusalOf(credit())).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(inquire({ qrData: code() }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(status())).toEqual(['transaction_not_found', []]);
  });

  test.each<[string, Parameters<typeof credit>[0], string]>([
    ['no code', {}, 'qr_data'],
    ['a changed code', { qrData: `${FOREIGN.slice(0, -4)}0000` }, 'qr_data'],
    ['another amount than the code’s', { qrData: code(), amountSen: 1_000_00n }, 'amount'],
    ['too small an amount', { qrData: FOREIGN, amountSen: 999_99n }, 'amount'],
    ['too large an amount', { qrData: FOREIGN, amountSen: 10_000_000_01n }, 'amount'],
    ['too large an amount of the code', { qrData: code({ amountSen: 10_000_001_00n }) }, 'amount'],
    ['a tip that the code does not ask for', { qrData: code(), tipSen: 1_00n }, 'tip'],
    ['another tip than the code’s', { qrData: code({ tip: { indicator: 'fixed', amountSen: 500_00n } }), tipSen: 1_00n }, 'tip'],
    ['too large a tip', { qrData: code({ amountSen: 9_999_000_00n, tip: { indicator: 'input' } }), tipSen: 1_001_00n }, 'tip'],
  ])('%s is refused by its field', async (_, order, field) => {
    expect(await refusalOf(credit(order))).toEqual(['validation', [field]]);
    expect(ledger.keys()).toEqual([]);
  });

  test.each([
    ['merchant_unknown', { beneficiaryUnknown: true }],
    ['merchant_limit', { beneficiaryOverLimit: true }],
    ['other', { beneficiaryUnknown: false }],
  ] as const)('an explicit failure (%s) releases', async (cause, shown) => {
    rail.script.pay = async () => ({ outcome: 'failed', code: '4045008', reason: 'No', cause });
    const { transfer: failed } = await credit({ qrData: code() });
    expect(failed).toMatchObject({ status: TransferStatus.FAILED, failedCode: '4045008', ...shown });
    expect(ledger.of(Intent.RELEASE)).toHaveLength(1);
  });

  test('an unknown outcome keeps the money held, is inquired, and sent again only where it was never known', async () => {
    rail.script.pay = async () => ({ outcome: 'unknown', reason: 'silence' });
    const { transfer: open } = await credit({ qrData: code() });
    expect(open?.status).toBe(TransferStatus.PENDING);
    expect(ledger.balances.held).toBe(25_000_00n + FEE_SEN);
    const sent: { request: QrisPaymentRequest; firstSend: boolean }[] = [];
    rail.script.pay = async (request, { firstSend }) => {
      sent.push({ request, firstSend });
      return { outcome: 'unknown', reason: 'silence' };
    };
    await due();
    const request = { partnerReference: partnerReferenceOf(accountId, 'r-1'), transactionId: open?.transactionId };
    expect(sent).toMatchObject([{ firstSend: false, request }]);
    rail.script.query = async () => ({ outcome: 'pending' });
    await due();
    expect(sent).toHaveLength(1);
    rail.script.query = async () => ({ outcome: 'succeeded', railReference: 'a-9', rrn: '77' });
    await due();
    expect((await status()).transfer).toMatchObject({ status: TransferStatus.SUCCESS, qrisPayment: { rrn: '77' } });
    expect(ledger.balances).toMatchObject({ held: 0n, rail: 25_000_00n });
  });

  test('a request of an earlier day is not sent again', () => {
    const { mayResend } = context.products.qrisPayment;
    const at = (iso: string) => Date.parse(iso);
    const request = JSON.stringify({
      partnerReference: 'p',
      externalId: '1',
      amountSen: '1',
      tipSen: '0',
      merchantReference: 'r',
      createdAtMs: at('2026-11-22T16:59:00Z'),
    });
    expect(mayResend(request, at('2026-11-22T16:59:59Z'))).toBe(true);
    expect(mayResend(request, at('2026-11-22T17:00:01Z'))).toBe(false);
  });
});

describe('after our data were restored from an older copy', () => {
  /** What was ordered and asked since that copy is gone. */
  async function restore() {
    const _id = `${accountId}:r-1`;
    for (const name of ['transfers', 'qris_inquiries']) await store.collection<{ _id: string }>(name).deleteOne({ _id });
    ledger = scriptedLedger();
    context.ledger.post = ledger.post;
  }

  test.each([
    ['ordered at once', false],
    ['inquired before', true],
  ])('a payment that is ordered again (%s) is the same one to the acquirer, and is paid once', async (_, isInquired) => {
    const qrData = code({ type: 'mpm-static' });
    const order = async () => {
      if (isInquired) await inquire({ qrData });
      return (await credit({ qrData })).transfer;
    };
    const lost = await order();
    await restore();
    const again = await order();
    expect(again?.transactionId).not.toBe(lost?.transactionId);
    expect(again?.status).toBe(TransferStatus.PENDING);
    await due();
    expect((await status()).transfer).toMatchObject({ status: TransferStatus.SUCCESS, qrisPayment: { rrn: '42' } });
    expect([...rail.paid.values()]).toMatchObject([{ transactionId: lost?.transactionId }]);
    expect(ledger.balances).toMatchObject({ held: 0n, rail: 25_000_00n, fees: FEE_SEN });
  });

  test.each([
    ['asked about', async (qrData: string) => void (await inquire({ qrData }))],
    ['paid', async (qrData: string) => void (await credit({ qrData }))],
  ])('another code under a reference that was %s is refused, and nothing is paid for it', async (_, use) => {
    await use(code());
    const paid = rail.paid.size;
    await restore();
    const qrData = code();
    expect(await refusalOf(credit({ qrData }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(inquire({ qrData }))).toEqual(['duplicate_reference', []]);
    expect([rail.paid.size, ledger.keys()]).toEqual([paid, []]);
    expect(await refusalOf(status())).toEqual(['transaction_not_found', []]);
  });
});

test('an inquiry of an earlier version, decoded under its transaction id, is decoded again before it is paid', async () => {
  const qrData = code();
  const { transfer: asked } = await inquire({ qrData });
  const inquiries = store.collection<{ _id: string }>('qris_inquiries');
  await inquiries.updateOne({ _id: `${accountId}:r-1` }, { $set: { decoded_as: asked?.transactionId } });
  rail.decoded.clear();
  expect((await status()).transfer).toEqual(asked);
  expect((await credit()).transfer).toMatchObject({ status: TransferStatus.SUCCESS, transactionId: asked?.transactionId });
  expect([...rail.decoded]).toEqual([[partnerReferenceOf(accountId, 'r-1'), qrData]]);
});
