import { create } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import {
  CancelCardlessWithdrawalRequestSchema,
  CardlessWithdrawalStatus,
  CreateCardlessWithdrawalRequestSchema,
  GetCardlessWithdrawalRequestSchema,
  ListCardlessWithdrawalsRequestSchema,
} from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { eventually, testLog } from '@gerbang/testkit';
import { describe, expect, test } from 'vitest';
import { cancelCardlessWithdrawal } from '../src/cardless-withdrawal/rpc/cancel.ts';
import { createCardlessWithdrawal } from '../src/cardless-withdrawal/rpc/create.ts';
import { getCardlessWithdrawal } from '../src/cardless-withdrawal/rpc/get.ts';
import { listCardlessWithdrawals } from '../src/cardless-withdrawal/rpc/list.ts';
import { withdrawalCodes } from '../src/cardless-withdrawal/sealed-place.ts';
import type { Context } from '../src/context.ts';
import { onTransferDue } from '../src/transfer/on-due.ts';
import { dump, formsOf, keysOf, textOf, useCardless } from './cardless-world.ts';
import { refusalOf } from './harness.ts';

const newWorld = useCardless('cardless');
const AMOUNT_SEN = 100_000_00n;
const LIFE_MS = 2 * 3_600_000;

type World = Awaited<ReturnType<typeof newWorld>>;

let count = 0;
function orderOf({ merchantId, accountId }: World, over: object = {}) {
  count++;
  const body = { bankCode: 'BCA', phoneNumber: '081234567890', amountSen: AMOUNT_SEN, referenceNumber: `ref-${count}` };
  return create(CreateCardlessWithdrawalRequestSchema, { merchantId, accountId, ...body, ...over });
}

async function order(world: World, over: object = {}, context: Context = world.context) {
  const { transfer, withdrawalCode, replayed } = await createCardlessWithdrawal(context, orderOf(world, over));
  if (transfer === undefined) throw new Error('no transfer');
  return { transfer, withdrawalCode, replayed, transactionId: transfer.transactionId };
}

const show = ({ merchantId, accountId, context: own }: World, transactionId: string, context: Context = own) =>
  getCardlessWithdrawal(context, create(GetCardlessWithdrawalRequestSchema, { merchantId, accountId, transactionId }));
const cancel = ({ merchantId, accountId, context }: World, transactionId: string) =>
  cancelCardlessWithdrawal(context, create(CancelCardlessWithdrawalRequestSchema, { merchantId, accountId, transactionId }));

async function fire(world: World, transactionId: string, context = world.context) {
  const found = await context.transfers.findByTransactionId(transactionId);
  if (found !== undefined) await onTransferDue(context, new Set(), found);
}

/** The ledger when `cash` was drawn so often; there is no fee in these tests. */
const balancesAfter = (drawn: bigint, held = 0n) => ({
  available: 1_000_000_00n - (drawn + held) * AMOUNT_SEN,
  held: held * AMOUNT_SEN,
  rail: drawn * AMOUNT_SEN,
  fees: 0n,
});

const { SUCCESS, PAYING, PENDING, CANCELED } = TransferStatus;

describe('an order', () => {
  test('holds the amount and shows the code, in its answer and for as long as it can be used', async () => {
    const world = await newWorld();
    const { transfer, withdrawalCode, transactionId } = await order(world);
    expect(withdrawalCode).toBe(world.bank.codeOf(transactionId));
    expect(transfer).toMatchObject({
      status: PENDING,
      balanceAfterSen: 900_000_00n,
      cardlessWithdrawal: { bankCode: 'BCA', bankName: 'Bank Central Asia', phoneNumber: '081234567890', expired: false },
    });
    expect(Number(transfer.cardlessWithdrawal?.expiredAtMs) - Number(transfer.createdAtMs)).toBeLessThanOrEqual(LIFE_MS);
    expect(Number(transfer.cardlessWithdrawal?.expiredAtMs) - Number(transfer.createdAtMs)).toBeGreaterThan(LIFE_MS - 5_000);
    expect(world.ledger.balances).toEqual(balancesAfter(0n, 1n));
    expect((await show(world, transactionId)).withdrawalCode).toBe(withdrawalCode);
    expect(world.bank.withdraw(transactionId)).toBe(true);
    await fire(world, transactionId);
    expect(await show(world, transactionId)).toMatchObject({ transfer: { status: SUCCESS }, withdrawalCode: '' });
    expect(world.ledger.balances).toEqual(balancesAfter(1n));
  });

  test('again under its reference is the same one, also when its expiry is over; other content is refused', async () => {
    const world = await newWorld();
    const referenceNumber = 'same';
    const expiredAtMs = BigInt(world.clock.now() + 60_000);
    const first = await order(world, { referenceNumber, expiredAtMs });
    const second = await order(world, { referenceNumber, expiredAtMs });
    expect(second).toEqual(first);
    expect(await refusalOf(order(world, { referenceNumber, expiredAtMs: expiredAtMs + 1n }))).toEqual([
      'duplicate_reference',
      [],
    ]);
    expect(await refusalOf(order(world, { referenceNumber }))).toEqual(['duplicate_reference', []]);
    world.clock.setOffset(61_000);
    await fire(world, first.transactionId);
    expect(await order(world, { referenceNumber, expiredAtMs })).toMatchObject({
      transactionId: first.transactionId,
      transfer: { status: CANCELED, cardlessWithdrawal: { expired: true } },
      withdrawalCode: '',
    });
    expect(await refusalOf(order(world, { expiredAtMs }))).toEqual(['validation', ['expired_at']]);
    expect(await refusalOf(order(world, { referenceNumber, expiredAtMs, amountSen: 50_000_00n }))).toEqual([
      'validation',
      ['expired_at'],
    ]);
    expect(world.bank.calls.createCode).toBe(1);
  });

  test('again while the bank is asked is the same one, and the code is not lost', async () => {
    const world = await newWorld();
    const answer = world.bank.pause();
    const first = order(world, { referenceNumber: 'twice' });
    await eventually('the bank is asked', () => world.bank.calls.createCode === 1);
    const second = await order(world, { referenceNumber: 'twice' });
    expect(second).toMatchObject({ transfer: { status: PAYING }, withdrawalCode: '' });
    answer();
    const { transactionId, withdrawalCode } = await first;
    expect([transactionId, withdrawalCode]).toEqual([second.transactionId, world.bank.codeOf(transactionId)]);
    expect((await show(world, transactionId)).withdrawalCode).toBe(withdrawalCode);
    expect(world.bank.calls.createCode).toBe(1);
    expect(world.ledger.balances).toEqual(balancesAfter(0n, 1n));
  });

  test.each([
    ['bank_code', { bankCode: 'JAGO' }],
    ['amount', { amountSen: 50_000_01n }],
    ['amount', { amountSen: 5_050_000_00n }],
    ['amount', { amountSen: 0n }],
    ['expired_at', { expiredAtMs: 1_700_000_000_000n }],
  ])('with a wrong %s is refused', async (field, over) => {
    const world = await newWorld();
    expect(await refusalOf(order(world, over))).toEqual(['validation', [field]]);
    expect(world.ledger.keys()).toEqual([]);
  });

  test('without the balance is refused, and nothing is left of it', async () => {
    const world = await newWorld(['k1'], 1_000n);
    expect(await refusalOf(order(world, { referenceNumber: 'poor' }))).toEqual(['insufficient_balance', []]);
    expect(world.bank.calls.createCode).toBe(0);
    expect(await world.context.transfers.find(world.accountId, 'poor')).toBeUndefined();
  });

  test('whose answer was lost gets its code by the next inquiry, and one that never came is sent again', async () => {
    const world = await newWorld();
    world.bank.is.mute = true;
    const lost = await order(world);
    expect(lost).toMatchObject({ transfer: { status: PAYING }, withdrawalCode: '' });
    world.bank.is.mute = false;
    await fire(world, lost.transactionId);
    expect((await show(world, lost.transactionId)).withdrawalCode).toBe(world.bank.codeOf(lost.transactionId));
    world.bank.is.away = true;
    const never = await order(world);
    expect(never.transfer.status).toBe(PAYING);
    world.bank.is.away = false;
    await fire(world, never.transactionId);
    expect(await show(world, never.transactionId)).toMatchObject({
      transfer: { status: PENDING },
      withdrawalCode: world.bank.codeOf(never.transactionId),
    });
    expect(world.ledger.balances).toEqual(balancesAfter(0n, 2n));
  });
});

describe('a cancellation', () => {
  test('gives the money back when the bank has agreed; a second one answers the same', async () => {
    const world = await newWorld();
    const { transactionId } = await order(world);
    const first = await cancel(world, transactionId);
    expect(first.transfer).toMatchObject({ status: CANCELED, cardlessWithdrawal: { expired: false } });
    expect(await cancel(world, transactionId)).toEqual(first);
    expect(world.bank.calls.cancel).toBe(1);
    expect(world.bank.withdraw(transactionId)).toBe(false);
    expect(world.ledger.balances).toEqual(balancesAfter(0n));
  });

  test('that comes after the customer is answered as withdrawn', async () => {
    const world = await newWorld();
    const { transactionId } = await order(world);
    world.bank.withdraw(transactionId);
    expect((await cancel(world, transactionId)).transfer?.status).toBe(SUCCESS);
    expect((await cancel(world, transactionId)).transfer?.status).toBe(SUCCESS);
    expect(world.ledger.balances).toEqual(balancesAfter(1n));
  });

  test('whose answer is lost keeps the hold until the bank has said so, and the customer may still be first', async () => {
    const world = await newWorld();
    const { transactionId } = await order(world);
    world.bank.is.away = true;
    expect((await cancel(world, transactionId)).transfer?.status).toBe(PENDING);
    await fire(world, transactionId);
    expect(world.ledger.balances).toEqual(balancesAfter(0n, 1n));
    expect(world.bank.withdraw(transactionId)).toBe(true);
    world.bank.is.away = false;
    await fire(world, transactionId);
    expect((await show(world, transactionId)).transfer?.status).toBe(SUCCESS);
    expect(world.ledger.balances).toEqual(balancesAfter(1n));
  });

  test('of an order that has never reached the bank ends it there for good', async () => {
    const world = await newWorld();
    world.bank.is.away = true;
    const { transactionId } = await order(world);
    world.bank.is.away = false;
    expect((await cancel(world, transactionId)).transfer?.status).toBe(CANCELED);
    expect(world.bank.withdraw(transactionId)).toBe(false);
    expect(world.ledger.balances).toEqual(balancesAfter(0n));
  });
});

describe('the expiry', () => {
  test('is asked of the bank at its moment, not before, and is no cancellation', async () => {
    const world = await newWorld();
    const { transactionId } = await order(world, { expiredAtMs: BigInt(world.clock.now() + 1_500) });
    const due = async () => (await world.context.transfers.findByTransactionId(transactionId))?.document.due_at?.getTime() ?? 0;
    expect(await due()).toBeLessThanOrEqual(world.clock.now() + 1_500);
    await fire(world, transactionId);
    expect(world.bank.calls.cancel).toBe(0);
    expect((await show(world, transactionId)).transfer?.status).toBe(PENDING);
    world.clock.setOffset(2_000);
    expect(await due()).toBeLessThanOrEqual(world.clock.now());
    await fire(world, transactionId);
    expect((await show(world, transactionId)).transfer).toMatchObject({
      status: CANCELED,
      cardlessWithdrawal: { expired: true },
    });
    expect(world.ledger.balances).toEqual(balancesAfter(0n));
  });

  test('that the bank tells first, and one during a cancellation, are expiries', async () => {
    const world = await newWorld();
    const [told, canceled] = [await order(world), await order(world)];
    world.bank.is.away = true;
    await cancel(world, canceled.transactionId);
    world.bank.is.away = false;
    // The bank's clock is ahead of ours.
    const found = await world.context.transfers.findByTransactionId(told.transactionId);
    const ahead = { ...world.context, clock: createClock() };
    world.clock.setOffset(LIFE_MS + 1_000);
    if (found !== undefined) await onTransferDue(ahead, new Set(), found);
    await fire(world, canceled.transactionId);
    for (const { transactionId } of [told, canceled])
      expect((await show(world, transactionId)).transfer).toMatchObject({
        status: CANCELED,
        cardlessWithdrawal: { expired: true },
      });
    expect(world.bank.calls.cancel).toBe(2);
    expect(world.ledger.balances).toEqual(balancesAfter(0n));
  });

  test('of one that was drawn in time is a withdrawal', async () => {
    const world = await newWorld();
    const { transactionId } = await order(world);
    world.bank.withdraw(transactionId);
    world.clock.setOffset(LIFE_MS + 1_000);
    await fire(world, transactionId);
    expect((await show(world, transactionId)).transfer?.status).toBe(SUCCESS);
    expect(world.ledger.balances).toEqual(balancesAfter(1n));
  });
});

test('the list has a filter for each status', async () => {
  const world = await newWorld();
  const { PENDING: pending, ACTIVE, WITHDRAWN, EXPIRED, CANCELED: canceled, FAILED, UNSPECIFIED } = CardlessWithdrawalStatus;
  const drawn = await order(world);
  world.bank.withdraw(drawn.transactionId);
  await fire(world, drawn.transactionId);
  const taken = await order(world);
  await cancel(world, taken.transactionId);
  const over = await order(world, { expiredAtMs: BigInt(world.clock.now() + 1_000) });
  world.clock.setOffset(2_000);
  await fire(world, over.transactionId);
  const active = await order(world);
  world.bank.is.away = true;
  const open = await order(world);
  const list = async (status: CardlessWithdrawalStatus) => {
    const { merchantId, accountId } = world;
    const request = create(ListCardlessWithdrawalsRequestSchema, { merchantId, accountId, limit: 10, status });
    return (await listCardlessWithdrawals(world.context, request)).transfers.map(({ transactionId }) => transactionId);
  };
  const expected: [CardlessWithdrawalStatus, { transactionId: string }[]][] = [
    [pending, [open]],
    [ACTIVE, [active]],
    [WITHDRAWN, [drawn]],
    [EXPIRED, [over]],
    [canceled, [taken]],
    [FAILED, []],
    [UNSPECIFIED, [open, active, over, taken, drawn]],
  ];
  for (const [status, those] of expected) expect(await list(status)).toEqual(those.map(({ transactionId }) => transactionId));
});

describe('the code', () => {
  const idempotencyKey = { key: 'k', route: 'POST /x', bodyHash: 'h' };

  test('is in the answer, its replays and show, and nowhere else: database, events, lists, logs', async () => {
    const world = await newWorld();
    const first = await order(world, { referenceNumber: 'key', idempotencyKey });
    const replayed = await order(world, { referenceNumber: 'key', idempotencyKey });
    expect(replayed).toEqual({ ...first, replayed: true });
    const codes = [first.withdrawalCode];
    for (let i = 0; i < 3; i++) {
      const { withdrawalCode, transactionId } = await order(world);
      codes.push(withdrawalCode);
      if (i === 0) world.bank.withdraw(transactionId);
      if (i === 1) world.bank.is.away = true;
      if (i > 0) expect(textOf(await cancel(world, transactionId))).not.toContain(withdrawalCode);
      await fire(world, transactionId);
      world.bank.is.away = false;
      await fire(world, transactionId);
    }
    const { merchantId, accountId } = world;
    const request = create(ListCardlessWithdrawalsRequestSchema, { merchantId, accountId, limit: 10 });
    const everywhere = {
      database: await dump(world.store),
      list: textOf(await listCardlessWithdrawals(world.context, request)),
      log: world.logged.join(''),
    };
    for (const [where, text] of Object.entries(everywhere)) {
      expect(text, where).toContain(first.transactionId);
      for (const code of codes) for (const form of formsOf(code)) expect(text.includes(form), `${form} in ${where}`).toBe(false);
    }
    expect(everywhere.database).toContain('cardless-withdrawal.accepted');
    expect(new Set(codes).size).toBe(4);
  });

  test('is sealed by the newest key at the next inquiry; replays need the key of their time', async () => {
    const world = await newWorld(['1']);
    const { transactionId, withdrawalCode } = await order(world, { referenceNumber: 'key', idempotencyKey });
    const during = await world.contextWith(['2', '1']);
    expect((await show(world, transactionId, during)).withdrawalCode).toBe(withdrawalCode);
    expect((await order(world, { referenceNumber: 'key', idempotencyKey }, during)).withdrawalCode).toBe(withdrawalCode);
    await fire(world, transactionId, during);
    const after = await world.contextWith(['2']);
    expect((await show(world, transactionId, after)).withdrawalCode).toBe(withdrawalCode);
    await expect(order(world, { referenceNumber: 'key', idempotencyKey }, after)).rejects.toThrow(
      'no key-encryption key with id 1',
    );
  });

  test('is sealed again by command; then the old key may go', async () => {
    const world = await newWorld(['1']);
    const { transactionId, withdrawalCode } = await order(world);
    const walk = withdrawalCodes({ store: world.store, keys: keysOf('2', '1'), log: testLog() });
    expect(await walk.reseal('')).toEqual({ resealed: 1, overtaken: 0, failed: 0, next: '' });
    expect(Object.fromEntries((await walk.count('')).counts)).toEqual({ 'v2:env:2': 1 });
    expect((await show(world, transactionId, await world.contextWith(['2']))).withdrawalCode).toBe(withdrawalCode);
  });

  test('of one withdrawal, copied to another one, opens nothing', async () => {
    const world = await newWorld();
    const [rich, thief] = [await order(world), await order(world)];
    const { collection } = world.context.transfers.aggregates;
    const stolen = await collection.findOne({ transaction_id: rich.transactionId });
    await collection.updateOne({ transaction_id: thief.transactionId }, { $set: { receipt: stolen?.receipt ?? {} } });
    await expect(show(world, thief.transactionId)).rejects.toThrow();
  });
});
