import { createClock, RefusalError } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { EwalletTopupInquiryResult, EwalletTopupResult } from '@gerbang/rails/ewallet-topup';
import { describe, expect, test } from 'vitest';
import { toDetailFields } from '../src/ewallet-topup/document.ts';
import { createEwalletTopup } from '../src/ewallet-topup/ewallet-topup.ts';
import { holdFunds, sendToRail } from '../src/transfer/saga.ts';
import { Crash, crashing, insert, ledgerWhen, newOrder, scriptedLedger, untilDone, useSagaWorld } from './saga-world.ts';

const { contextOf } = useSagaWorld('ewallet_topup');

const DETAILS = toDetailFields({ channel: 'GOPAY', phoneNumber: '081234567890', railPhoneNumber: '6281234567890' });

/** A wallet that keeps what it decided for the first request, as `decides` says, and refuses repetitions as inconsistent. */
function scriptedWallet(decides: 'succeeded' | 'failed') {
  const decided = new Set<string>();
  const refusal: EwalletTopupResult = { outcome: 'failed', code: '4033805', reason: 'no', cause: 'other' };
  const outcome: EwalletTopupResult = decides === 'succeeded' ? { outcome: 'succeeded', railReference: 'w' } : refusal;
  return {
    decided,
    async topUp({ partnerReference }: { partnerReference: string }): Promise<EwalletTopupResult> {
      if (decided.has(partnerReference)) return { outcome: 'unknown', reason: '4043818' };
      decided.add(partnerReference);
      return outcome;
    },
    inquireTopup: async ({ partnerReference }: { partnerReference: string }): Promise<EwalletTopupInquiryResult> =>
      decided.has(partnerReference) ? outcome : { outcome: 'not_found' },
    inquireWallet: async () => ({ outcome: 'found' as const, name: 'Budi' }),
  };
}

describe.each(['succeeded', 'failed'] as const)('a top-up that has %s', (decides) => {
  const steps = Array.from({ length: 12 }, (_, i) => i + 1).flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const]);

  test.each(steps)('crash at step %i, %s it: the money moves once and as the wallet says', async (at, when) => {
    const clock = createClock();
    const ledger = scriptedLedger();
    const wallet = scriptedWallet(decides);
    const { wrap } = crashing(at, when);
    const rail = {
      topUp: wrap(wallet.topUp),
      inquireTopup: wrap(wallet.inquireTopup),
      inquireWallet: wrap(wallet.inquireWallet),
    };
    const world = await contextOf(createEwalletTopup(rail), ledger, clock, wrap);
    const order = newOrder(clock);
    try {
      const created = await insert(world, order, DETAILS);
      if (created !== undefined) await sendToRail(world.context, await holdFunds(world.context, created), { firstSend: true });
    } catch (error) {
      if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
    }
    const end = await untilDone(world, order);
    if (end === undefined) {
      // It died before the top-up was written down: nothing has happened.
      expect([at, when]).toEqual([1, 'before']);
      expect([ledger.of(Intent.HOLD), wallet.decided.size]).toEqual([[], 0]);
      return;
    }
    expect(end.state.status).toBe(decides);
    expect(ledger.of(Intent.HOLD)).toHaveLength(1);
    expect(ledger.of(Intent.CAPTURE)).toHaveLength(decides === 'succeeded' ? 1 : 0);
    expect(ledger.of(Intent.RELEASE)).toHaveLength(decides === 'failed' ? 1 : 0);
    expect(ledger.balances).toEqual(ledgerWhen(decides === 'succeeded'));
    expect(world.counts).toMatchObject({ contradicted: 0, corrected: 0 });
  });
});
