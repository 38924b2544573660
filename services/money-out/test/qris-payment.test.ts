import { create } from '@bufbuild/protobuf';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { TransferRequestSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { GetQrisPaymentRequestSchema } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import type { QrisPaymentRail, QrisPaymentRequest } from '@gerbang/rails/qris-payment';
import { beforeEach, describe, expect, test } from 'vitest';
import { transfer } from '../src/disbursement/rpc/transfer.ts';
import { getQrisPayment } from '../src/qris-payment/rpc/get-qris-payment.ts';
import { partnerReferenceOf } from '../src/transfer/rail-reference.ts';
import { refusalOf } from './harness.ts';
import { code, FEE_SEN, type QrisPayments, scriptedAcquirer, useQrisPayments } from './qris-payment-world.ts';
import { scriptedLedger } from './saga-world.ts';

/** A code in circulation, as its merchant shows it: static, and not made by our encoder. */
const FOREIGN =
  '00020101021126570011ID.DANA.WWW011893600915302259148102090225914810303UMI51440014ID.CO.QRIS.WWW0215ID10200176114730303UMI' +
  '5204581253033605802ID5922Warung Sayur Bu Sugeng6010Kab. Demak610559567630458C7';
const world = useQrisPayments('qris_payments');

let here: QrisPayments;
const rail = { script: {} as Partial<QrisPaymentRail> };

/** The acquirer, as far as a test does not script it. */
function scriptable(acquirer: ReturnType<typeof scriptedAcquirer>): typeof acquirer {
  return {
    ...acquirer,
    decode: (...call) => (rail.script.decode ?? acquirer.decode)(...call),
    pay: (...call) => (rail.script.pay ?? acquirer.pay)(...call),
    query: (...call) => (rail.script.query ?? acquirer.query)(...call),
    refund: (...call) => (rail.script.refund ?? acquirer.refund)(...call),
  };
}

beforeEach(async () => {
  rail.script = {};
  here = await world.open({ acquirer: scriptable(scriptedAcquirer()) });
});

describe('an inquiry', () => {
  test('tells what a payment costs, and holds nothing', async () => {
    const qrData = code({ tip: { indicator: 'percentage', basisPoints: 500 } });
    const { transfer: asked } = await here.inquire({ qrData });
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
    expect(here.ledger.keys()).toEqual([]);
    expect((await here.status()).transfer).toEqual(asked);
    expect((await here.inquire({ qrData })).transfer).toEqual(asked);
    expect([...here.acquirer.decoded]).toEqual([[partnerReferenceOf(here.accountId, 'r-1'), qrData]]);
  });

  test('of a code that leaves the amount open needs none; the payment does', async () => {
    const { transfer: asked } = await here.inquire({ qrData: FOREIGN });
    expect(asked).toMatchObject({ amountSen: 0n, feeSen: 0n, qrisPayment: { type: 'mpm-static', amountSen: 0n } });
    expect(asked?.qrisPayment?.merchantName).toBe('Warung Sayur Bu Sugeng');
    expect(await refusalOf(here.credit())).toEqual(['validation', ['amount']]);
    const { transfer: paid } = await here.credit({ amountSen: 12_000_00n });
    expect(paid).toMatchObject({ status: TransferStatus.SUCCESS, amountSen: 12_000_00n, transactionId: asked?.transactionId });
  });

  test('of another code or amount under the same reference is refused', async () => {
    await here.inquire({ qrData: FOREIGN, amountSen: 12_000_00n });
    expect(await refusalOf(here.inquire({ qrData: FOREIGN, amountSen: 13_000_00n }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(here.inquire({ qrData: code() }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(here.credit({ qrData: code() }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(here.credit({ amountSen: 13_000_00n }))).toEqual(['duplicate_reference', []]);
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
    expect(await refusalOf(here.inquire({ qrData }))).toEqual(expected);
    expect(await refusalOf(here.credit({ qrData }))).toEqual(expected);
    expect(await refusalOf(here.status())).toEqual(['transaction_not_found', []]);
    expect(here.ledger.keys()).toEqual([]);
  });

  test('a silent acquirer is asked twice', async () => {
    let asked = 0;
    rail.script.decode = async () => (++asked === 1 ? { outcome: 'unknown', reason: 'silence' } : { outcome: 'found' });
    await here.inquire({ qrData: code() });
    rail.script.decode = async () => ({ outcome: 'unknown', reason: 'silence' });
    const qrData = code();
    const again = () => here.inquire({ referenceNumber: 'r-2', qrData });
    expect(await refusalOf(again())).toEqual(['vendor_inactive', []]);
    const shown = () =>
      getQrisPayment(here.context, create(GetQrisPaymentRequestSchema, { ...here.named, referenceNumber: 'r-2' }));
    expect(await refusalOf(shown())).toEqual(['transaction_not_found', []]);
    // It may know the reference by this code by now, so it gets no other one.
    delete rail.script.decode;
    expect(await refusalOf(here.inquire({ referenceNumber: 'r-2', qrData: code() }))).toEqual(['duplicate_reference', []]);
    expect((await again()).transfer).toEqual((await shown()).transfer);
  });
});

describe('a payment', () => {
  test('holds amount, tip and fee, and is paid once however often it is ordered', async () => {
    const qrData = code({ amountSen: undefined, tip: { indicator: 'input' } });
    const ordered = { qrData, amountSen: 20_000_00n, tipSen: 1_500_00n };
    const answers = await Promise.all(Array.from({ length: 5 }, () => here.credit(ordered)));
    const { transfer: paid } = await here.credit(ordered);
    expect(new Set(answers.map((answer) => answer.transfer?.transactionId))).toEqual(new Set([paid?.transactionId]));
    expect(paid).toMatchObject({
      status: TransferStatus.SUCCESS,
      amountSen: 21_500_00n,
      feeSen: FEE_SEN,
      qrisPayment: { amountSen: 20_000_00n, tipSen: 1_500_00n, rrn: '42' },
    });
    expect([...here.acquirer.paid.values()]).toMatchObject([
      { amountSen: '2150000', tipSen: '150000', merchantReference: 'r-1' },
    ]);
    expect(here.ledger.balances).toMatchObject({ held: 0n, rail: 21_500_00n, fees: FEE_SEN });
    expect(await refusalOf(here.credit({ ...ordered, tipSen: undefined }))).toEqual(['duplicate_reference', []]);
  });

  test('another request’s payment of the code in between is no other’s', async () => {
    const qrData = code();
    rail.script.decode = async (scan, options) => {
      delete rail.script.decode;
      await here.credit({ qrData });
      rail.script.decode = async () => ({ outcome: 'refused', problem: 'paid', code: '4044814', reason: 'Paid Bill' });
      return here.acquirer.decode(scan, options);
    };
    const { transfer: paid } = await here.credit({ qrData });
    expect(paid?.status).toBe(TransferStatus.SUCCESS);
    expect(here.acquirer.paid.size).toBe(1);
  });

  test('without the balance nothing is recorded, and the reference pays later', async () => {
    here = await world.open({ ...here, ledger: scriptedLedger(0n) });
    const { transfer: asked } = await here.inquire({ qrData: code() });
    expect(await refusalOf(here.credit())).toEqual(['insufficient_balance', []]);
    expect((await here.status()).transfer?.status).toBe(TransferStatus.INITIATED);
    here.ledger.balances.available = 100_000_00n;
    const { transfer: paid } = await here.credit();
    expect(paid?.status).toBe(TransferStatus.SUCCESS);
    expect(paid?.transactionId).not.toBe(asked?.transactionId);
    expect([...here.acquirer.paid.values()]).toMatchObject([{ transactionId: paid?.transactionId }]);
  });

  test('a reference of another product is not ours, inquired or not', async () => {
    await here.inquire({ qrData: code() });
    const beneficiary = { bankCode: '014', bankAccountNumber: '1234567890', amountSen: 1_000_00n };
    await transfer(here.context, create(TransferRequestSchema, { ...here.named, ...beneficiary }));
    expect(await refusalOf(here.credit())).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(here.inquire({ qrData: code() }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(here.status())).toEqual(['transaction_not_found', []]);
  });

  test.each<[string, Parameters<QrisPayments['credit']>[0], string]>([
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
    expect(await refusalOf(here.credit(order))).toEqual(['validation', [field]]);
    expect(here.ledger.keys()).toEqual([]);
  });

  test.each([
    ['merchant_unknown', { beneficiaryUnknown: true }],
    ['merchant_limit', { beneficiaryOverLimit: true }],
    ['other', { beneficiaryUnknown: false }],
  ] as const)('an explicit failure (%s) releases', async (cause, shown) => {
    rail.script.pay = async () => ({ outcome: 'failed', code: '4045008', reason: 'No', cause });
    const { transfer: failed } = await here.credit({ qrData: code() });
    expect(failed).toMatchObject({ status: TransferStatus.FAILED, failedCode: '4045008', ...shown });
    expect(here.ledger.of(Intent.RELEASE)).toHaveLength(1);
  });

  test('an unknown outcome keeps the money held, is inquired, and sent again only where it was never known', async () => {
    rail.script.pay = async () => ({ outcome: 'unknown', reason: 'silence' });
    const { transfer: open } = await here.credit({ qrData: code() });
    expect(open?.status).toBe(TransferStatus.PENDING);
    expect(here.ledger.balances.held).toBe(25_000_00n + FEE_SEN);
    const sent: { request: QrisPaymentRequest; firstSend: boolean }[] = [];
    rail.script.pay = async (request, { firstSend }) => {
      sent.push({ request, firstSend });
      return { outcome: 'unknown', reason: 'silence' };
    };
    await here.due();
    const request = { partnerReference: partnerReferenceOf(here.accountId, 'r-1'), transactionId: open?.transactionId };
    expect(sent).toMatchObject([{ firstSend: false, request }]);
    rail.script.query = async () => ({ outcome: 'pending' });
    await here.due();
    expect(sent).toHaveLength(1);
    rail.script.query = async () => ({ outcome: 'succeeded', railReference: 'a-9', rrn: '77' });
    await here.due();
    expect((await here.status()).transfer).toMatchObject({ status: TransferStatus.SUCCESS, qrisPayment: { rrn: '77' } });
    expect(here.ledger.balances).toMatchObject({ held: 0n, rail: 25_000_00n });
  });

  test('a request of an earlier day is not sent again', () => {
    const { mayResend } = here.context.products.qrisPayment;
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
    const _id = `${here.accountId}:r-1`;
    for (const name of ['transfers', 'qris_inquiries']) await world.store().collection<{ _id: string }>(name).deleteOne({ _id });
    here = await world.open({ ...here, ledger: scriptedLedger() });
  }

  test.each([
    ['ordered at once', false],
    ['inquired before', true],
  ])('a payment that is ordered again (%s) is the same one to the acquirer, and is paid once', async (_, isInquired) => {
    const qrData = code({ type: 'mpm-static' });
    const order = async () => {
      if (isInquired) await here.inquire({ qrData });
      return (await here.credit({ qrData })).transfer;
    };
    const lost = await order();
    await restore();
    const again = await order();
    expect(again?.transactionId).not.toBe(lost?.transactionId);
    expect(again?.status).toBe(TransferStatus.PENDING);
    await here.due();
    expect((await here.status()).transfer).toMatchObject({ status: TransferStatus.SUCCESS, qrisPayment: { rrn: '42' } });
    expect([...here.acquirer.paid.values()]).toMatchObject([{ transactionId: lost?.transactionId }]);
    expect(here.ledger.balances).toMatchObject({ held: 0n, rail: 25_000_00n, fees: FEE_SEN });
  });

  test.each([
    ['asked about', async (qrData: string) => void (await here.inquire({ qrData }))],
    ['paid', async (qrData: string) => void (await here.credit({ qrData }))],
  ])('another code under a reference that was %s is refused, and nothing is paid for it', async (_, use) => {
    await use(code());
    const paid = here.acquirer.paid.size;
    await restore();
    const qrData = code();
    expect(await refusalOf(here.credit({ qrData }))).toEqual(['duplicate_reference', []]);
    expect(await refusalOf(here.inquire({ qrData }))).toEqual(['duplicate_reference', []]);
    expect([here.acquirer.paid.size, here.ledger.keys()]).toEqual([paid, []]);
    expect(await refusalOf(here.status())).toEqual(['transaction_not_found', []]);
  });
});

test('an inquiry of an earlier version, decoded under its transaction id, is decoded again before it is paid', async () => {
  const qrData = code();
  const { transfer: asked } = await here.inquire({ qrData });
  const inquiries = world.store().collection<{ _id: string }>('qris_inquiries');
  await inquiries.updateOne({ _id: `${here.accountId}:r-1` }, { $set: { decoded_as: asked?.transactionId } });
  here.acquirer.decoded.clear();
  expect((await here.status()).transfer).toEqual(asked);
  expect((await here.credit()).transfer).toMatchObject({ status: TransferStatus.SUCCESS, transactionId: asked?.transactionId });
  expect([...here.acquirer.decoded]).toEqual([[partnerReferenceOf(here.accountId, 'r-1'), qrData]]);
});
