import { fromBinary } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { EwalletTopupFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { refusalOf, useMoneyOut } from './harness.ts';
import { startScriptedWallets, type WalletCall } from './scripted-wallets.ts';

const world = useMoneyOut();
type Answer = ReturnType<Parameters<typeof startScriptedWallets>[0]>;
type Script = (call: WalletCall) => Answer;

const NAMED = { responseCode: '2003700', customerName: 'Budi Santoso' };
const PAID = { responseCode: '2003800', referenceNo: 'w-1' };
const status = (latestTransactionStatus: string, more: object = {}) => ({
  responseCode: '2003900',
  latestTransactionStatus,
  originalReferenceNo: 'w-1',
  ...more,
});

/** Answers by service; a list is answered one after the other, its last again and again. */
function script(answers: Readonly<Record<string, Answer | readonly Answer[]>>): Script {
  const asked = new Map<string, number>();
  return ({ service }) => {
    const all = [answers[service] ?? NAMED].flat();
    const count = asked.get(service) ?? 0;
    asked.set(service, count + 1);
    return all[Math.min(count, all.length - 1)] ?? 'silence';
  };
}

let wallets: Awaited<ReturnType<typeof startScriptedWallets>>;
let answer: Script;
let service: Awaited<ReturnType<typeof world.start>>;
let database: string;
const clock = createClock();

beforeAll(async () => {
  wallets = await startScriptedWallets((call) => answer(call));
  database = world.newDatabase();
  service = await world.start(database, clock, { RAIL_EWALLET_TOPUP_URL: wallets.url });
}, 30_000);
afterAll(() => wallets?.close());
beforeEach(() => {
  wallets.calls.length = 0;
  answer = script({ '38': PAID });
});

const START_SEN = 100_000_000n;
const AMOUNT_SEN = 5_000_000n;
let references = 0;

function newOrder(over: Partial<{ channel: string; phoneNumber: string; amountSen: bigint; note: string }> = {}) {
  const { merchantId, source: accountId } = world.newMerchant({}, START_SEN);
  const referenceNumber = `ref-${++references}`;
  const order = { channel: 'GOPAY', phoneNumber: '081234567890', amountSen: AMOUNT_SEN, note: '', ...over };
  return { ...order, merchantId, accountId, referenceNumber };
}
type Order = ReturnType<typeof newOrder>;

const topUp = async (order: Order) => (await service.ewalletTopups.triggerTopup(order)).transfer;
const read = async ({ merchantId, accountId, referenceNumber }: Order) =>
  (await service.ewalletTopups.getTopup({ merchantId, accountId, referenceNumber })).transfer;
const intents = (transactionId = '') =>
  [...world.results].filter(([key]) => key.startsWith(transactionId)).map(([, { request }]) => request.intent);

/** Waits for the end, with business time running ahead. */
const ended = (order: Order, end: TransferStatus) =>
  eventually(
    'the end',
    async () => {
      clock.setOffset(clock.offsetMs() + 1_000);
      const transfer = await read(order);
      return transfer?.status === end ? transfer : undefined;
    },
    15_000,
  );

async function stored({ accountId, referenceNumber }: Order) {
  type Stored = { _id: string; unresolved_at?: Date; tail: { event: string; payload: { value(): Uint8Array } }[] };
  const store = await world.openTransfers(database);
  return store.collection<Stored>('transfers').findOne({ _id: `${accountId}:${referenceNumber}` });
}

describe('a top-up', () => {
  test('is held, sent once, captured and shown with the name', async () => {
    const order = newOrder({ note: 'hadiah' });
    const transfer = await topUp(order);
    expect(transfer).toMatchObject({
      transactionId: expect.stringMatching(/^88[0-9A-Z]{26}$/),
      status: TransferStatus.SUCCESS,
      amountSen: AMOUNT_SEN,
      balanceAfterSen: START_SEN - AMOUNT_SEN,
      description: 'hadiah',
      ewalletTopup: { channel: 'GOPAY', phoneNumber: '081234567890', name: 'Budi Santoso' },
    });
    expect(wallets.of('38').map(({ body }) => body)).toEqual([
      {
        partnerReferenceNo: expect.stringMatching(/^[0-9A-Z]{25}$/),
        customerNumber: '6281234567890',
        amount: { value: '50000.00', currency: 'IDR' },
        transactionDate: expect.any(String),
        notes: 'hadiah',
        additionalInfo: {
          beneficiaryProvider: 'GOPAY',
          merchantReference: order.referenceNumber,
          transactionId: transfer?.transactionId,
        },
      },
    ]);
    expect(intents(transfer?.transactionId)).toEqual([Intent.HOLD, Intent.CAPTURE]);
    expect(world.results.get(`${transfer?.transactionId}:hold`)?.request).toMatchObject({
      rail: 'ewallet',
      product: 'ewallet-topup',
    });
    expect(await read(order)).toEqual(transfer);
    const { tail = [] } = (await stored(order)) ?? {};
    expect(tail.map(({ event }) => event)).toEqual(['ewallet-topup.accepted', 'ewallet-topup.succeeded']);
    const published = fromBinary(EwalletTopupFinishedSchema, tail[1]?.payload.value() ?? new Uint8Array());
    expect(published.transfer).toEqual(transfer);
  });

  test('is the same in any form of the number, and another with other content', async () => {
    const order = newOrder();
    const transfer = await topUp(order);
    for (const phoneNumber of ['+62 812-3456-7890', '6281234567890', '62.812.3456.7890'])
      expect(await topUp({ ...order, phoneNumber })).toEqual(transfer);
    expect(wallets.of('38')).toHaveLength(1);
    for (const other of [{ phoneNumber: '081234567891' }, { channel: 'OVO' }, { amountSen: AMOUNT_SEN + 1n }, { note: 'x' }])
      expect(await refusalOf(topUp({ ...order, ...other }))).toEqual(['duplicate_reference', []]);
    const { merchantId, accountId, referenceNumber, amountSen } = order;
    const disbursement = { merchantId, accountId, referenceNumber, amountSen, bankCode: '014', bankAccountNumber: '1234567890' };
    expect(await refusalOf(service.disbursements.transfer(disbursement))).toEqual(['duplicate_reference', []]);
  });

  test('is answered again under its Idempotency-Key', async () => {
    const order = { ...newOrder(), idempotencyKey: { key: 'k', route: 'POST /api/v2.0/ewallet/trigger-topup', bodyHash: 'h' } };
    const first = await service.ewalletTopups.triggerTopup(order);
    const second = await service.ewalletTopups.triggerTopup(order);
    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(second.transfer).toEqual(first.transfer);
  });

  test.each<[string, object, object]>([
    ['4033802', {}, { beneficiaryUnknown: false, beneficiaryOverLimit: true }],
    ['4043811', {}, { beneficiaryUnknown: true, beneficiaryOverLimit: false }],
    ['4033805', {}, { beneficiaryUnknown: false, beneficiaryOverLimit: false }],
  ])('that is refused with %s is released', async (responseCode, more, shown) => {
    answer = script({ '38': { responseCode, ...more } });
    const order = newOrder();
    const transfer = await topUp(order);
    expect(transfer).toMatchObject({ status: TransferStatus.FAILED, failedCode: responseCode, ...shown });
    expect(intents(transfer?.transactionId)).toEqual([Intent.HOLD, Intent.RELEASE]);
    expect(world.available.get(order.accountId)).toBe(START_SEN);
    // The document keeps the cause.
    expect(await read(order)).toEqual(transfer);
  });

  test('that is paid without a name is paid', async () => {
    answer = script({ '37': 'silence', '38': PAID });
    const transfer = await topUp(newOrder());
    expect(transfer).toMatchObject({ status: TransferStatus.SUCCESS, ewalletTopup: { name: '' } });
  });

  test('is not ordered where the balance is short', async () => {
    const order = newOrder({ amountSen: START_SEN + 1n });
    expect(await refusalOf(topUp(order))).toEqual(['insufficient_balance', []]);
    expect(await refusalOf(read(order))).toEqual(['transaction_not_found', []]);
    expect(wallets.calls).toEqual([]);
  });
});

describe('an open outcome', () => {
  test.each(['2023800', '4043818', '4093800', '4093801', '4293800', '5003800', '5043800', '4013800', '4033816'])(
    '%s keeps the hold, and the status decides',
    async (responseCode) => {
      answer = script({ '38': { responseCode }, '39': [status('03'), status('00')] });
      const order = newOrder();
      const transfer = await topUp(order);
      expect(transfer).toMatchObject({ status: TransferStatus.PENDING, balanceAfterSen: START_SEN - AMOUNT_SEN });
      const end = await ended(order, TransferStatus.SUCCESS);
      expect(end).toMatchObject({ ewalletTopup: { name: 'Budi Santoso' } });
      expect(intents(end?.transactionId)).toEqual([Intent.HOLD, Intent.CAPTURE]);
    },
  );

  test('404 18 is not a failure where the first request was paid, nor a success where it was not', async () => {
    answer = script({ '38': { responseCode: '4043818' }, '39': status('06') });
    const order = newOrder();
    await topUp(order);
    const end = await ended(order, TransferStatus.FAILED);
    expect(intents(end?.transactionId)).toEqual([Intent.HOLD, Intent.RELEASE]);
  });

  test('a wallet that does not know the top-up gets the very same request again, whose refusal decides nothing', async () => {
    answer = script({
      '38': [{ responseCode: '5003800' }, { responseCode: '4033805' }],
      '39': [{ responseCode: '4043901' }, status('00')],
    });
    const order = newOrder();
    await topUp(order);
    const end = await ended(order, TransferStatus.SUCCESS);
    const [first, second] = wallets.of('38');
    expect(second).toEqual(first);
    expect(intents(end?.transactionId)).toEqual([Intent.HOLD, Intent.CAPTURE]);
  });

  test('money that came back is refunded', async () => {
    answer = script({ '38': { responseCode: '5003801' }, '39': status('04') });
    const order = newOrder();
    await topUp(order);
    await ended(order, TransferStatus.REFUNDED);
    expect(world.available.get(order.accountId)).toBe(START_SEN);
  });

  test('what asking again will not change goes to the operators at once, and is still decided by the wallet', async () => {
    const another = { originalPartnerReferenceNo: 'another' };
    answer = script({ '38': { responseCode: '5003801' }, '39': [status('00', another), status('00')] });
    const order = newOrder();
    await topUp(order);
    await ended(order, TransferStatus.SUCCESS);
    answer = script({ '38': { responseCode: '4033813' }, '39': status('03') });
    const waiting = newOrder();
    expect(await topUp(waiting)).toMatchObject({ status: TransferStatus.PENDING });
    expect((await stored(waiting))?.unresolved_at).toBeInstanceOf(Date);
    const { items } = await service.as('dewi').resolution.listUnresolved({ limit: 500 });
    expect(items).toMatchObject([{ product: 'ewallet-topup', transfer: { referenceNumber: waiting.referenceNumber } }]);
  });

  test('a silent wallet is inquired after a restart, and gets a top-up again that it does not know', async () => {
    answer = script({ '38': 'silence', '39': [{ responseCode: '4043901' }, status('00')] });
    const order = newOrder();
    const asking = topUp(order);
    expect(await asking).toMatchObject({ status: TransferStatus.PENDING });
    await service.close();
    service = await world.start(database, clock, { RAIL_EWALLET_TOPUP_URL: wallets.url });
    const end = await ended(order, TransferStatus.SUCCESS);
    expect(intents(end?.transactionId)).toEqual([Intent.HOLD, Intent.CAPTURE]);
  }, 30_000);
});

describe('check-wallet', () => {
  const check = (over: object = {}) => {
    const { merchantId } = world.newMerchant();
    return service.ewalletTopups.checkWallet({ merchantId, channel: 'DANA', phoneNumber: '+62 812-3456-7890', ...over });
  };

  test('gives the name, and moves nothing', async () => {
    answer = script({ '37': { ...NAMED, customerName: 'DNID Budi Santoso' } });
    const { $typeName: _, ...found } = await check();
    expect(found).toEqual({ channel: 'DANA', phoneNumber: '+62 812-3456-7890', name: 'Budi Santoso' });
    // A top-up of an earlier test may still be asking for its customer's name, of another wallet.
    const asked = wallets.calls.filter(({ body }) => JSON.stringify(body).includes('DANA'));
    expect(asked.map(({ service: called, body }) => [called, body])).toEqual([
      [
        '37',
        {
          customerNumber: '6281234567890',
          amount: { value: '1000.00', currency: 'IDR' },
          additionalInfo: { beneficiaryProvider: 'DANA' },
        },
      ],
    ]);
  });

  test.each<[Answer, string]>([
    [{ responseCode: '4033705' }, 'not_found'],
    [{ responseCode: '4043711' }, 'not_found'],
    [{ responseCode: '4033702' }, 'beneficiary_limit'],
    [{ responseCode: '5003700' }, 'vendor_inactive'],
    [{ responseCode: '4003701' }, 'vendor_inactive'],
  ])('%j is %s', async (said, refusal) => {
    answer = script({ '37': said });
    expect(await refusalOf(check())).toEqual([refusal, []]);
  });

  test('refuses what is no mobile number or e-wallet, and a merchant without the product', async () => {
    expect(await refusalOf(check({ phoneNumber: '0211234567' }))).toEqual(['validation', ['phone_number']]);
    expect(await refusalOf(check({ channel: 'BCA' }))).toEqual(['validation', ['channel']]);
    const { merchantId } = world.newMerchant({ products: ['disbursement'] });
    expect(await refusalOf(check({ merchantId }))).toEqual(['product_not_allowed', []]);
    expect(wallets.calls).toEqual([]);
  });
});
