import { createClock } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { BankTransferInquiryResult, BankTransferResult } from '@gerbang/rails/bank-transfer';
import { describe, expect, test } from 'vitest';
import { change } from '../src/transfer/change.ts';
import type { StoredTransfer } from '../src/transfer/document.ts';
import { compensate, postOutcome } from '../src/transfer/posting.ts';
import type { Outcome, TransferOrder } from '../src/transfer/product.ts';
import { holdFunds, settle, writeSent } from '../src/transfer/saga.ts';
import type { Resolution } from '../src/transfer/state.ts';
import {
  atEveryStep,
  crashing,
  eventsOf,
  insert,
  ledgerWhen,
  newOrder,
  type SagaWorld,
  scriptedLedger,
  surviving,
  type TestLedger,
  untilDone,
  useSagaWorld,
  type Wrap,
} from './saga-world.ts';

const { withBank } = useSagaWorld('contradictions');

type Answer = 'succeeded' | 'failed' | 'canceled' | 'returned';

const ANSWERS: Record<Answer, Outcome> = {
  succeeded: { outcome: 'succeeded', railReference: 'r1' },
  failed: { outcome: 'failed', code: '4031814', reason: 'no', cause: 'other' },
  canceled: { outcome: 'canceled' },
  returned: { outcome: 'returned', railReference: 'r0', reason: 'closed account' },
};
const NOT_PAID: Answer[] = ['failed', 'canceled', 'returned'];
const ALL: Answer[] = ['succeeded', ...NOT_PAID];

/** What the bank says when it is asked; it has no canceled transfers. */
const INQUIRED: Record<Answer, BankTransferInquiryResult> = {
  succeeded: { outcome: 'succeeded', railReference: 'r1' },
  failed: { outcome: 'failed', code: '4031814', reason: 'no', cause: 'other' },
  canceled: { outcome: 'failed', code: '2003600/05', reason: 'canceled', cause: 'other' },
  returned: { outcome: 'returned', railReference: 'r0', reason: 'closed account' },
};

const bankSaying = (answer: Answer) => ({
  transfer: async (): Promise<BankTransferResult> => ({ outcome: 'unknown', reason: 'timeout' }),
  inquireTransfer: async () => INQUIRED[answer],
});

const endOf = (answer: Answer) => (answer === 'returned' ? 'refunded' : answer);
const isDisputed = ({ state }: StoredTransfer) => 'paid' in state && state.paid !== undefined;

type Scene = { ledger: TestLedger; order: TransferOrder; world(answer: Answer, wrap?: Wrap): Promise<SagaWorld> };

/** A transfer that the rail has got; its ledger, and worlds whose bank answers inquiries so. */
async function aSentTransfer(): Promise<Scene & { sent: StoredTransfer; calm: SagaWorld }> {
  const clock = createClock();
  const ledger = scriptedLedger();
  const order = newOrder(clock);
  const world = (answer: Answer, wrap?: Wrap) => withBank(bankSaying(answer), ledger, clock, wrap);
  const calm = await world('succeeded');
  const created = await insert(calm, order);
  if (created === undefined) throw new Error('taken');
  return { ledger, order, world, calm, sent: await writeSent(calm.context, await holdFunds(calm.context, created)) };
}

async function reread(world: SagaWorld, order: TransferOrder): Promise<StoredTransfer> {
  const found = await world.find(order);
  if (found === undefined) throw new Error('gone');
  return found;
}

describe('a rail that reports on a transfer that has ended', () => {
  const pairs = ALL.flatMap((first) => ALL.map((second) => [first, second] as const));

  test.each(pairs)('%s, then %s, over a crash at every step, and however often', async (first, second) => {
    const steps = await atEveryStep(async (wrap) => {
      const { ledger, order, world, calm, sent } = await aSentTransfer();
      await settle(calm.context, sent, ANSWERS[first]);
      const before = await reread(calm, order);
      const crashed = await world(second, wrap);
      // The rail comes again until it has been answered, and once more.
      await surviving(settle(crashed.context, before, ANSWERS[second]));
      await surviving(settle(crashed.context, await reread(calm, order), ANSWERS[second]));
      await settle(calm.context, await reread(calm, order), ANSWERS[second]);
      await untilDone(calm, order);

      const end = await reread(calm, order);
      const isReturned = first === 'succeeded' && second !== 'succeeded';
      const isDoubted = first !== 'succeeded' && second === 'succeeded';
      expect([end.state.status, isDisputed(end)]).toEqual([isReturned ? 'refunded' : endOf(first), isDoubted]);
      expect(ledger.balances).toEqual(ledgerWhen(first === 'succeeded' && !isReturned));
      expect(ledger.of(Intent.COMPENSATE)).toHaveLength(isReturned ? 1 : 0);
      const published = ['disbursement.accepted', `disbursement.${endOf(first)}`];
      expect(eventsOf(end)).toEqual(isReturned ? [...published, 'disbursement.refunded'] : published);
      const counted = calm.counts.contradicted + crashed.counts.contradicted;
      expect(counted).toBeLessThanOrEqual(isReturned || isDoubted ? 1 : 0);
      expect((await calm.context.transfers.listUnresolved(1_000)).some((one) => one.document._id === end.document._id)).toBe(
        isDoubted,
      );
    });
    // A report that changes nothing only reads.
    const isContradiction = (first === 'succeeded') !== (second === 'succeeded');
    expect(steps > 0).toBe(isContradiction);
  });
});

describe('a rail that is asked after the ledger has moved and the write was lost', () => {
  test.each(ALL)('captured, then %s', async (second) => {
    await atEveryStep(async (wrap) => {
      const { ledger, order, world, calm, sent } = await aSentTransfer();
      await postOutcome(calm.context, sent, Intent.CAPTURE);
      const crashed = await world(second, wrap);
      await surviving(settle(crashed.context, sent, ANSWERS[second]));
      const end = await untilDone(await world(second), order);
      const isPaid = second === 'succeeded';
      expect(end?.state.status).toBe(isPaid ? 'succeeded' : 'refunded');
      expect(ledger.balances).toEqual(ledgerWhen(isPaid));
      const published = ['disbursement.accepted', 'disbursement.succeeded'];
      expect(eventsOf(end)).toEqual(isPaid ? published : [...published, 'disbursement.refunded']);
    });
  });

  test.each(['succeeded', 'failed', 'returned'] as const)('released, then %s', async (second) => {
    await atEveryStep(async (wrap) => {
      const { ledger, order, world, calm, sent } = await aSentTransfer();
      await postOutcome(calm.context, sent, Intent.RELEASE);
      const crashed = await world(second, wrap);
      await surviving(settle(crashed.context, sent, ANSWERS[second]));
      const end = await untilDone(await world(second), order);
      expect(end?.state.status).toBe(second === 'returned' ? 'refunded' : 'failed');
      expect(end !== undefined && isDisputed(end)).toBe(second === 'succeeded');
      expect(ledger.balances).toEqual(ledgerWhen(false));
      expect(eventsOf(end)).toHaveLength(2);
    });
  });

  test('another answer meanwhile, of a bank that changes its mind again, moves nothing twice', async () => {
    const { ledger, order, world, calm, sent } = await aSentTransfer();
    await postOutcome(calm.context, sent, Intent.CAPTURE);
    const { wrap } = crashing(3, 'after');
    const crashed = await world('failed', wrap);
    await surviving(settle(crashed.context, sent, ANSWERS.failed));
    expect((await reread(calm, order)).state).toMatchObject({ status: 'succeeded', returned: { reason: 'no' } });
    await settle(calm.context, await reread(calm, order), ANSWERS.succeeded);
    expect((await untilDone(calm, order))?.state.status).toBe('refunded');
    expect(ledger.balances).toEqual(ledgerWhen(false));
  });
});

/** Two operators agree. */
async function decideBoth({ context, find }: SagaWorld, order: TransferOrder, outcome: Resolution): Promise<StoredTransfer> {
  const read = async () => {
    const found = await find(order);
    if (found === undefined) throw new Error('gone');
    return found;
  };
  const { state } = await read();
  if ('proposal' in state && state.proposal === undefined)
    await change(context, await read(), [{ type: 'propose', operator: 'ana', outcome }]);
  return compensate(context, await change(context, await read(), [{ type: 'approve', operator: 'budi', outcome }]));
}

describe('operators', () => {
  const aDisputedTransfer = async () => {
    const scene = await aSentTransfer();
    await settle(scene.calm.context, scene.sent, ANSWERS.failed);
    await settle(scene.calm.context, await reread(scene.calm, scene.order), ANSWERS.succeeded);
    return scene;
  };

  test('confirm that a released transfer was paid, over a crash at every step', async () => {
    await atEveryStep(async (wrap) => {
      const { ledger, order, world, calm } = await aDisputedTransfer();
      await surviving(decideBoth(await world('succeeded', wrap), order, 'succeeded'));
      await untilDone(calm, order);
      if ((await reread(calm, order)).state.status !== 'succeeded') await decideBoth(calm, order, 'succeeded');
      const end = await reread(calm, order);
      expect(end.state).toMatchObject({ status: 'succeeded', railReference: 'r1' });
      expect(ledger.balances).toEqual(ledgerWhen(true));
      expect(eventsOf(end)).toEqual(['disbursement.accepted', 'disbursement.failed', 'disbursement.succeeded']);
      expect(end.document.unresolved_at).toBeUndefined();
    });
  });

  test('approve again what the account could not bear', async () => {
    const { ledger, order, calm } = await aDisputedTransfer();
    const [before] = [ledger.balances.available];
    ledger.balances.available = 1n;
    const refused = await decideBoth(calm, order, 'succeeded');
    expect(refused.state).toMatchObject({ status: 'failed', paid: { reason: expect.stringContaining('insufficient_balance') } });
    expect((await calm.context.transfers.listUnresolved(1_000)).map((one) => one.document._id)).toContain(refused.document._id);
    ledger.balances.available = before;
    expect((await decideBoth(calm, order, 'succeeded')).state.status).toBe('succeeded');
    expect(ledger.balances).toEqual(ledgerWhen(true));
    expect(ledger.keys().slice(-2)).toEqual([1, 2].map((number) => `${order.transactionId}:compensation:${number}`));
  });

  test('dismiss the report, and nothing has happened', async () => {
    const { ledger, order, calm } = await aDisputedTransfer();
    const end = await decideBoth(calm, order, 'failed');
    expect([end.state.status, isDisputed(end), end.document.unresolved_at]).toEqual(['failed', false, undefined]);
    expect(ledger.balances).toEqual(ledgerWhen(false));
  });

  test('book a return that the rail never reported, and a payment after it', async () => {
    const { ledger, order, calm, sent } = await aSentTransfer();
    await settle(calm.context, sent, ANSWERS.succeeded);
    expect((await decideBoth(calm, order, 'failed')).state.status).toBe('refunded');
    expect(ledger.balances).toEqual(ledgerWhen(false));
    expect((await decideBoth(calm, order, 'succeeded')).state.status).toBe('succeeded');
    expect(ledger.balances).toEqual(ledgerWhen(true));
    expect((await decideBoth(calm, order, 'failed')).state.status).toBe('refunded');
    expect(ledger.balances).toEqual(ledgerWhen(false));
  });

  test('who decided an open transfer before have proposed nothing for its correction', async () => {
    const { order, calm, sent } = await aSentTransfer();
    const ended = await settle(calm.context, sent, ANSWERS.failed);
    // Earlier versions left the proposal on the document of a transfer that had ended.
    const left = { proposed_operator: 'ana', proposed_outcome: 'succeeded' } as const;
    await calm.context.transfers.aggregates.collection.updateOne({ _id: ended.document._id }, { $set: left });
    const approval = { type: 'approve', operator: 'budi', outcome: 'succeeded' } as const;
    await expect(change(calm.context, await reread(calm, order), [approval])).rejects.toMatchObject({
      refusal: { refused: 'bad_request' },
    });
  });
});
