import { createClock, RefusalError } from '@gerbang/core';
import type { BankTransferResult } from '@gerbang/rails/bank-transfer';
import { describe, expect, test } from 'vitest';
import type { StoredTransfer } from '../src/transfer/document.ts';
import type { TransferOrder } from '../src/transfer/product.ts';
import { holdFunds, sendToRail } from '../src/transfer/saga.ts';
import {
  AMOUNT_SEN,
  Crash,
  crashing,
  insert,
  ledgerWhen,
  newOrder,
  type SagaWorld,
  START_SEN,
  scriptedLedger,
  untilDone,
  useSagaWorld,
  type Wrap,
} from './saga-world.ts';

const { withBank } = useSagaWorld('quota_crash');
const clock = createClock();
const paid: BankTransferResult = { outcome: 'succeeded', railReference: 'r' };
const bank = { transfer: async () => paid, inquireTransfer: async () => paid };
/** Longer than the way of an order with a quota. */
const STEPS = 10;

let merchants = 0;
const newMerchant = () => `merchant-${++merchants}`;
const orderOf = (merchantId: string, dailySen: bigint): TransferOrder => ({
  ...newOrder(clock),
  merchantId,
  quota: { dailySen, monthlySen: 0n },
});

/** As the service does it: a request, then timers until the end. */
async function run(world: SagaWorld, order: TransferOrder): Promise<StoredTransfer | undefined> {
  try {
    const created = await insert(world, order);
    if (created !== undefined) await sendToRail(world.context, await holdFunds(world.context, created), { firstSend: true });
  } catch (error) {
    if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
  }
  return untilDone(world, order);
}

const worldOf = (ledger = scriptedLedger(), wrap?: Wrap) => withBank(bank, ledger, clock, wrap);

describe.each(['before', 'after'] as const)('a crash %s step', (when) => {
  test.each(Array.from({ length: STEPS }, (_, step) => step + 1))(
    '%i neither loses what was counted nor counts it twice',
    async (at) => {
      const merchantId = newMerchant();
      const ledger = scriptedLedger();
      const order = orderOf(merchantId, AMOUNT_SEN);
      const end = await run(await worldOf(ledger, crashing(at, when).wrap), order);
      expect(end?.state.status ?? 'gone').toBe(at === 1 && when === 'before' ? 'gone' : 'succeeded');
      expect(ledger.balances).toEqual(end === undefined ? ledgerWhen(false) : ledgerWhen(true));
      const next = await run(await worldOf(), orderOf(merchantId, AMOUNT_SEN));
      expect(next === undefined).toBe(end !== undefined);
      const last = await run(await worldOf(), orderOf(merchantId, 2n * AMOUNT_SEN));
      expect(last?.state.status).toBe('succeeded');
      expect(await run(await worldOf(), orderOf(merchantId, 2n * AMOUNT_SEN))).toBeUndefined();
    },
  );

  test.each([1, 2, 3, 4])('%i of an order that does not fit leaves nothing behind', async (at) => {
    const merchantId = newMerchant();
    const ledger = scriptedLedger();
    const order = orderOf(merchantId, AMOUNT_SEN - 1n);
    expect(await run(await worldOf(ledger, crashing(at, when).wrap), order)).toBeUndefined();
    expect(ledger.balances).toEqual(ledgerWhen(false));
    expect((await run(await worldOf(), orderOf(merchantId, AMOUNT_SEN)))?.state.status).toBe('succeeded');
  });

  test.each([1, 2, 3, 4, 5])('%i of an order that the ledger refuses gives its amount back', async (at) => {
    const merchantId = newMerchant();
    const poor = scriptedLedger(1n);
    expect(await run(await worldOf(poor, crashing(at, when).wrap), orderOf(merchantId, AMOUNT_SEN))).toBeUndefined();
    expect(poor.balances.available).toBe(1n);
    expect((await run(await worldOf(), orderOf(merchantId, AMOUNT_SEN)))?.state.status).toBe('succeeded');
  });
});

test('of processes that work on one order, one counts it and none holds what another has refused', async () => {
  const merchantId = newMerchant();
  for (const dailySen of [AMOUNT_SEN - 1n, AMOUNT_SEN]) {
    const ledger = scriptedLedger();
    const order = orderOf(merchantId, dailySen);
    const worlds = await Promise.all([1, 2, 3, 4].map(() => worldOf(ledger)));
    const [first] = worlds;
    const created = first && (await insert(first, order));
    if (created === undefined) throw new Error('taken');
    const held = await Promise.allSettled(worlds.map(({ context }) => holdFunds(context, created)));
    const isHeld = dailySen === AMOUNT_SEN;
    expect(held.map(({ status }) => status)).toEqual(held.map(() => (isHeld ? 'fulfilled' : 'rejected')));
    expect(ledger.balances.available < START_SEN).toBe(isHeld);
  }
});
