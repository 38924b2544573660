import { create } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { TransferSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { BackgroundWork } from '@gerbang/runtime';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { cancelOrder } from '../src/transfer/cancel.ts';
import { commonFields } from '../src/transfer/message.ts';
import { onTransferDue } from '../src/transfer/on-due.ts';
import type { Outcome, Product } from '../src/transfer/product.ts';
import { cancelTransfer, holdFunds, sendToRail } from '../src/transfer/saga.ts';
import {
  crashing,
  eventsOf,
  insert,
  ledgerWhen,
  newOrder,
  scriptedLedger,
  surviving,
  untilDone,
  useSagaWorld,
} from './saga-world.ts';

const { contextOf } = useSagaWorld('cancel');

const LIFE_MS = 7_200_000;
const fields = z.object({ voucher_phone: z.string(), voucher_expires_at: z.date() });

/** A rail that gives a code, and answers by a script. */
function scriptedRail() {
  const says: { inquiry: Outcome; cancel: Outcome } = {
    inquiry: { outcome: 'pending' },
    cancel: { outcome: 'canceled' },
  };
  const calls = { send: 0, inquire: 0, cancel: 0 };
  const held = Promise.withResolvers<void>();
  return { says, calls, hangs: false, held: held.promise, release: () => held.resolve() };
}

/** A product with a code, which can be canceled and expires, as a disbursement does not. Its events are of types that exist. */
function createVoucher(rail: ReturnType<typeof scriptedRail>): Product {
  const { says, calls } = rail;
  return {
    name: 'voucher',
    rail: 'vouchers',
    channelOf: () => '',
    beneficiaryOf: (details) => fields.parse(details).voucher_phone,
    requestOf: (order, details) => JSON.stringify([order.transactionId, fields.parse(details).voucher_phone]),
    async send() {
      calls.send++;
      return { outcome: 'pending', receipt: { code: '123456' } };
    },
    async inquire() {
      calls.inquire++;
      return says.inquiry;
    },
    mayResend: () => true,
    cancel: {
      async send() {
        calls.cancel++;
        if (rail.hangs) await rail.held;
        return says.cancel;
      },
      expiresAtMs: (details) => fields.parse(details).voucher_expires_at.getTime(),
    },
    toMessage: (order, _details, state) => create(TransferSchema, commonFields(order, state)),
    toEvent: (kind) => ({ type: `disbursement.${kind}`, schema: 1, payload: new Uint8Array() }),
  };
}

const details = ({ createdAtMs }: { createdAtMs: number }, lifeMs = LIFE_MS) => ({
  voucher_phone: '0812',
  voucher_expires_at: new Date(createdAtMs + lifeMs),
});

/** What a cancellation needs of the placing context beyond the saga's. */
function placing() {
  const unused = async () => {
    throw new Error('not part of this test');
  };
  const merchants = { profile: unused, account: unused, admit: unused, admitProduct: unused, close: async () => {} };
  return { merchants, inProgress: new Set<string>(), background: new BackgroundWork() };
}

async function aVoucher(lifeMs = LIFE_MS) {
  const clock = createClock();
  const ledger = scriptedLedger();
  const rail = scriptedRail();
  const product = createVoucher(rail);
  const world = await contextOf(product, ledger, clock);
  const order = newOrder(clock);
  const created = await insert(world, order, details(order, lifeMs));
  if (created === undefined) throw new Error('taken');
  const sent = await sendToRail(world.context, await holdFunds(world.context, created), { firstSend: true });
  return { clock, ledger, rail, product, world, order, sent };
}

describe('a transfer that can be canceled', () => {
  test('keeps the rail’s receipt and its own details', async () => {
    const { world, order, sent } = await aVoucher();
    expect(sent.state).toMatchObject({ status: 'sent', receipt: { code: '123456' } });
    expect((await world.find(order))?.document).toMatchObject({ voucher_phone: '0812', receipt: { code: '123456' } });
  });

  test.each<[string, Outcome, Outcome, string, boolean]>([
    ['agrees', { outcome: 'canceled' }, { outcome: 'pending' }, 'canceled', false],
    ['says that it was paid', { outcome: 'succeeded', railReference: 'r' }, { outcome: 'pending' }, 'succeeded', true],
    ['says that it had failed', failure(), { outcome: 'pending' }, 'failed', false],
    ['refuses, since it was paid', unknown(), { outcome: 'succeeded', railReference: 'r' }, 'succeeded', true],
    ['refuses, since it has expired there', unknown(), { outcome: 'canceled' }, 'canceled', false],
  ])('whose rail %s, over a crash at every step', async (_what, cancel, inquiry, status, isPaid) => {
    for (let at = 1, goesOn = true; goesOn; at++) {
      for (const when of ['before', 'after'] as const) {
        const { clock, ledger, rail, product, world, order, sent } = await aVoucher();
        Object.assign(rail.says, { cancel, inquiry });
        const { wrap, hit } = crashing(at, when);
        const cancellation = product.cancel && { ...product.cancel, send: wrap(product.cancel.send) };
        const crashed = await contextOf(
          { ...product, inquire: wrap(product.inquire), ...(cancellation && { cancel: cancellation }) },
          ledger,
          clock,
          wrap,
        );
        const found = await crashed.find(order);
        if (found === undefined) throw new Error('gone');
        await surviving(cancelTransfer(crashed.context, found, 'canceled'));
        // A crash before the request was written leaves the transfer as it was: the merchant asks again.
        await cancelTransfer(world.context, (await world.find(order)) ?? sent, 'canceled');
        const end = await untilDone(world, order);
        expect(end?.state.status).toBe(status);
        expect(ledger.balances).toEqual(ledgerWhen(isPaid));
        expect(eventsOf(end)).toEqual(['disbursement.accepted', `disbursement.${status}`]);
        expect(rail.calls.send).toBe(1);
        goesOn = hit();
      }
    }
  });

  test('keeps its hold, and is not sent again, until the rail has answered', async () => {
    const { ledger, rail, world, order, sent } = await aVoucher();
    Object.assign(rail.says, { cancel: unknown(), inquiry: { outcome: 'not_found' } });
    const canceling = await cancelTransfer(world.context, sent, 'canceled');
    expect(canceling.state).toMatchObject({ status: 'canceling', receipt: { code: '123456' } });
    expect(world.product.toMessage(order, canceling.document, canceling.state).status).toBe(TransferStatus.PENDING);
    for (let i = 0; i < 3; i++) await onTransferDue(world.context, new Set(), (await world.find(order)) ?? sent);
    expect(rail.calls).toMatchObject({ send: 1, cancel: 4 });
    expect(ledger.of(Intent.RELEASE)).toEqual([]);
    rail.says.cancel = { outcome: 'canceled' };
    expect((await untilDone(world, order))?.state).toMatchObject({ status: 'canceled', cancelReason: 'canceled' });
    expect(ledger.balances).toEqual(ledgerWhen(false));
  });

  test('is canceled by its timer when it expires, and not before', async () => {
    const { clock, rail, world, order } = await aVoucher();
    const due = async () => (await world.find(order))?.document.due_at?.getTime();
    for (let i = 0; i < 20; i++) {
      const now = await world.find(order);
      if (now?.state.status !== 'sent') break;
      expect(await due()).toBeLessThanOrEqual(order.createdAtMs + LIFE_MS);
      clock.setOffset(Math.max(0, ((await due()) ?? 0) - Date.now()));
      if (clock.now() < order.createdAtMs + LIFE_MS) expect(rail.calls.cancel).toBe(0);
      await onTransferDue(world.context, new Set(), now);
    }
    expect((await world.find(order))?.state).toMatchObject({ status: 'canceled', cancelReason: 'expired' });
    expect(rail.calls.cancel).toBe(1);
  });

  test('goes to the operators a day after its expiry, not after its order', async () => {
    const { clock, rail, world, order, sent } = await aVoucher(100 * 3_600_000);
    clock.setOffset(99 * 3_600_000);
    await onTransferDue(world.context, new Set(), sent);
    expect((await world.find(order))?.state).toMatchObject({ status: 'sent', unresolvedAtMs: undefined });
    Object.assign(rail.says, { cancel: unknown() });
    clock.setOffset(125 * 3_600_000);
    await onTransferDue(world.context, new Set(), (await world.find(order)) ?? sent);
    expect((await world.find(order))?.state).toMatchObject({ status: 'canceling', unresolvedAtMs: expect.any(Number) });
  });

  test('is canceled by the merchant, within the time for an answer, also while its order is not done', async () => {
    const { world, order, ledger, rail } = await aVoucher();
    const context = { ...world.context, ...placing() };
    const again = await insert(
      world,
      { ...order, referenceNumber: 'other', transactionId: `${order.transactionId}2` },
      details(order),
    );
    if (again === undefined) throw new Error('taken');
    expect((await cancelOrder(context, again))?.state).toMatchObject({ status: 'canceled', cancelReason: 'canceled' });
    const poor = await insert(
      world,
      { ...order, referenceNumber: 'poor', transactionId: `${order.transactionId}3`, amountSen: 10n ** 15n },
      details(order),
    );
    if (poor === undefined) throw new Error('taken');
    expect(await cancelOrder(context, poor)).toBeUndefined();
    expect(await world.find({ ...order, referenceNumber: 'poor' })).toBeUndefined();
    rail.hangs = true;
    const found = await world.find(order);
    if (found === undefined) throw new Error('gone');
    expect((await cancelOrder(context, found))?.state.status).toBe('canceling');
    rail.release();
    await context.background.settled();
    expect((await world.find(order))?.state.status).toBe('canceled');
    expect(ledger.balances).toEqual(ledgerWhen(false));
  }, 10_000);

  test('is not canceled once it has ended', async () => {
    const { rail, world, order, sent } = await aVoucher();
    rail.says.inquiry = { outcome: 'succeeded', railReference: 'r' };
    await untilDone(world, order);
    expect((await cancelTransfer(world.context, sent, 'canceled')).state.status).toBe('succeeded');
    expect(rail.calls.cancel).toBe(0);
  });
});

function failure(): Outcome {
  return { outcome: 'failed', code: 'x', reason: 'no', cause: 'recipient_limit' };
}

function unknown(): Outcome {
  return { outcome: 'unknown', reason: 'will not say' };
}
