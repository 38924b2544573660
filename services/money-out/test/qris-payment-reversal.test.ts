import { create } from '@bufbuild/protobuf';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { ListUnresolvedRequestSchema } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { QrisPaymentRail } from '@gerbang/rails/qris-payment';
import { describe, expect, test } from 'vitest';
import { listUnresolved } from '../src/resolution/rpc/list-unresolved.ts';
import { refusalOf } from './harness.ts';
import { CODE_SEN, code, FEE_SEN, type QrisPayments, scriptedAcquirer, useQrisPayments } from './qris-payment-world.ts';
import { atEveryStep, eventsOf, START_SEN, surviving } from './saga-world.ts';

const { open } = useQrisPayments('qris_reversals');
const silence = { outcome: 'unknown', reason: 'silence' } as const;

/** A payment that has been made, or whose outcome stays unknown and is for the operators. */
async function aPayment(decides: 'succeeded' | 'pending'): Promise<QrisPayments> {
  const calm = await open({ acquirer: scriptedAcquirer(decides) });
  await calm.credit({ qrData: code() });
  return calm;
}

/** The same, over an acquirer that answers otherwise. */
const withRail = (calm: QrisPayments, over: Partial<QrisPaymentRail>) =>
  open({ ...calm, acquirer: { ...calm.acquirer, ...over } });

async function waiting({ context, accountId }: QrisPayments) {
  const { items } = await listUnresolved(context, create(ListUnresolvedRequestSchema, { limit: 500 }));
  return items.filter(({ transfer }) => transfer?.accountId === accountId);
}

function expectBooks({ ledger }: QrisPayments, isPaid: boolean): void {
  const { available, held, rail } = ledger.balances;
  expect([available, held, rail]).toEqual(isPaid ? [START_SEN - CODE_SEN - FEE_SEN, 0n, CODE_SEN] : [START_SEN, 0n, 0n]);
}

/** Two operators want it; one of them again where a crash has cut the command off. */
async function both(crashed: QrisPayments, calm: QrisPayments, outcome: string): Promise<void> {
  for (const operator of ['ana', 'budi']) await surviving(crashed.resolve(operator, outcome));
  for (const operator of ['ana', 'budi']) {
    const state = (await calm.find())?.state;
    const isBack = state?.status === 'succeeded' && state.returned !== undefined;
    const isAsked = state?.status !== 'sent' && (state?.status !== 'succeeded' || state.refund !== undefined || isBack);
    if (!isAsked) await calm.resolve(operator, outcome);
  }
}

describe('a payment whose outcome stays unknown', () => {
  test('is canceled when two operators want it and the acquirer agrees, over a crash at every step', async () => {
    const steps = await atEveryStep(async (wrap) => {
      const calm = await aPayment('pending');
      await both(await open(calm, wrap), calm, 'cancel');
      const end = await calm.untilDone();
      expect(end?.state).toMatchObject({ status: 'canceled', cancelReason: 'canceled' });
      expect(eventsOf(end)).toEqual(['qris-issuer.accepted', 'qris-issuer.canceled']);
      expect(calm.ledger.of(Intent.RELEASE)).toHaveLength(1);
      expectBooks(calm, false);
      expect(await waiting(calm)).toEqual([]);
    });
    expect(steps).toBeGreaterThan(5);
  });

  test.each<[string, 'succeeded' | 'failed' | 'returned', string]>([
    ['has made it meanwhile', 'succeeded', 'succeeded'],
    ['had refused it', 'failed', 'failed'],
    ['had given it back', 'returned', 'refunded'],
  ])('is inquired where the acquirer %s', async (_, decided, status) => {
    const calm = await aPayment('pending');
    for (const reference of calm.acquirer.decided.keys()) calm.acquirer.decided.set(reference, decided);
    await calm.resolve('ana', 'cancel');
    expect(await calm.resolve('budi', 'cancel')).toEqual({ decided: true });
    expect((await calm.find())?.state.status).toBe(status);
    expectBooks(calm, status === 'succeeded');
  });

  test.each<[string, Partial<QrisPaymentRail>]>([
    ['gives no answer', { cancel: async () => silence }],
    ['does not know it', { cancel: async () => ({ outcome: 'not_found' }), query: async () => ({ outcome: 'not_found' }) }],
    [
      'refuses, and says nothing else',
      { cancel: async () => ({ outcome: 'unknown', reason: '4057701' }), query: async () => silence },
    ],
  ])('keeps its funds held, and is not paid again, while the acquirer %s', async (_, over) => {
    const calm = await aPayment('pending');
    const silent = await withRail(calm, over);
    await silent.resolve('ana', 'cancel');
    await silent.resolve('budi', 'cancel');
    for (let i = 0; i < 2; i++) await silent.due();
    expect((await calm.find())?.state.status).toBe('canceling');
    expect(calm.ledger.balances.held).toBe(CODE_SEN + FEE_SEN);
    expect(calm.acquirer.decided.size).toBe(1);
    expect(await waiting(calm)).toHaveLength(1);
    expect(await refusalOf(calm.resolve('ana', 'cancel'))).toEqual(['bad_request', []]);
    // What has happened is for the two to say.
    await calm.resolve('ana', 'failed');
    await calm.resolve('budi', 'failed');
    expect((await calm.find())?.state.status).toBe('failed');
    expectBooks(calm, false);
  });

  test('cannot be refunded, and is not canceled by one operator', async () => {
    const calm = await aPayment('pending');
    expect(await refusalOf(calm.resolve('ana', 'refund'))).toEqual(['bad_request', []]);
    for (let i = 0; i < 2; i++) expect(await calm.resolve('ana', 'cancel')).toEqual({ decided: false });
    expect(await waiting(calm)).toMatchObject([{ proposedBy: 'ana', proposedOutcome: 'cancel' }]);
    expect((await calm.find())?.state.status).toBe('sent');
  });
});

describe('a payment that was made', () => {
  test('is given back when two operators want it and the acquirer does it, over a crash at every step', async () => {
    const steps = await atEveryStep(async (wrap) => {
      const calm = await aPayment('succeeded');
      await both(await open(calm, wrap), calm, 'refund');
      const end = await calm.untilDone();
      expect(end?.state).toMatchObject({ status: 'refunded', compensations: 1 });
      expect(eventsOf(end)).toEqual(['qris-issuer.accepted', 'qris-issuer.succeeded', 'qris-issuer.refunded']);
      expect(calm.ledger.of(Intent.COMPENSATE)).toHaveLength(1);
      expectBooks(calm, false);
      expect([calm.acquirer.refunds.size, calm.acquirer.received]).toEqual([1, []]);
      expect(await waiting(calm)).toEqual([]);
    });
    expect(steps).toBeGreaterThan(5);
  });

  test('stays paid where the acquirer refuses the first request, and can be asked for again', async () => {
    const calm = await aPayment('succeeded');
    const settled = { outcome: 'refused', code: '4037815', reason: 'settled' } as const;
    const refusing = await withRail(calm, { refund: async () => settled });
    await refusing.resolve('ana', 'refund');
    await expect(refusing.resolve('budi', 'refund')).rejects.toMatchObject({
      refusal: { refused: 'transaction_failed', message: expect.stringContaining('4037815 settled') },
    });
    expect((await calm.find())?.state).toMatchObject({ status: 'succeeded', refund: undefined, proposal: undefined });
    expect((await calm.find())?.document.due_at).toBeUndefined();
    expectBooks(calm, true);
    expect(await waiting(calm)).toEqual([]);
    await both(calm, calm, 'refund');
    expect((await calm.find())?.state.status).toBe('refunded');
    expectBooks(calm, false);
  });

  test('is asked about, and then asked for again under the same number, where the acquirer gives no answer', async () => {
    const calm = await aPayment('succeeded');
    const asked: [string, boolean][] = [];
    const silent = await withRail(calm, {
      refund: async ({ refundReference }, { firstSend }) => {
        asked.push([refundReference, firstSend]);
        return silence;
      },
    });
    await silent.resolve('ana', 'refund');
    await silent.resolve('budi', 'refund');
    await silent.due();
    expect(asked.map(([, firstSend]) => firstSend)).toEqual([true, false]);
    expect(new Set(asked.map(([reference]) => reference)).size).toBe(1);
    expect(asked[0]?.[0]).toMatch(/^[0-9A-Z]{25}$/);
    expect(await waiting(calm)).toMatchObject([{ reason: 'refund: silence' }]);
    expectBooks(calm, true);
    // The first request was done after all.
    for (const reference of calm.acquirer.decided.keys()) calm.acquirer.decided.set(reference, 'returned');
    await silent.due();
    expect(asked).toHaveLength(2);
    expect((await calm.find())?.state.status).toBe('refunded');
    expectBooks(calm, false);
  });

  test.each([
    ['stop it', 'succeeded', 'succeeded', true],
    ['know that it was given back', 'failed', 'refunded', false],
  ])('and whose refund stays open can be decided by two who %s', async (_, outcome, status, isPaid) => {
    const calm = await aPayment('succeeded');
    const silent = await withRail(calm, { refund: async () => silence });
    for (const wanted of ['refund', outcome]) for (const operator of ['ana', 'budi']) await silent.resolve(operator, wanted);
    expect((await calm.find())?.state.status).toBe(status);
    expectBooks(calm, isPaid);
    expect(await waiting(calm)).toEqual([]);
  });

  test('cannot be canceled, nor refunded twice', async () => {
    const calm = await aPayment('succeeded');
    expect(await refusalOf(calm.resolve('ana', 'cancel'))).toEqual(['bad_request', []]);
    await both(calm, calm, 'refund');
    expect(await refusalOf(calm.resolve('ana', 'refund'))).toEqual(['bad_request', []]);
  });
});
