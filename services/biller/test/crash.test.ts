import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { describe, expect, test } from 'vitest';
import {
  crashing,
  failure,
  inquire,
  ledgerWhen,
  newToken,
  pay,
  scriptedBiller,
  scriptedLedger,
  silence,
  success,
  surviving,
  untilDone,
  useBiller,
} from './world.ts';

const { open } = useBiller('crash');

describe.each([
  ['success', 'succeeded', () => scriptedBiller(success(newToken()))],
  ['failure', 'failed', () => scriptedBiller(failure)],
  ['silence, then success', 'succeeded', () => scriptedBiller(success(newToken()), silence)],
  ['silence, then failure', 'failed', () => scriptedBiller(failure, silence)],
] as const)('%s', (_name, expected, newBiller) => {
  const steps = Array.from({ length: 10 }, (_, i) => i + 1).flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const]);

  test.each(steps)('crash at step %i, %s it: the money moves once and as the biller says', async (at, when) => {
    const ledger = scriptedLedger();
    const biller = newBiller();
    const { wrap } = crashing(at, when);
    const replica = await open(biller, ledger, { wrap });
    const { referenceNumber } = await inquire(replica);
    await surviving(pay(replica, referenceNumber));
    await replica.context.background.settled();
    const end = await untilDone(replica, referenceNumber);

    if (end === undefined) {
      // It died before the purchase was written down: nothing has happened.
      expect(at).toBeLessThanOrEqual(2);
      expect([ledger.of(Intent.HOLD), biller.calls]).toEqual([0, 0]);
      return;
    }
    expect(end.state.status).toBe(expected);
    expect(ledger.of(Intent.HOLD)).toBe(1);
    expect(ledger.of(Intent.CAPTURE)).toBe(expected === 'succeeded' ? 1 : 0);
    expect(ledger.of(Intent.RELEASE)).toBe(expected === 'failed' ? 1 : 0);
    expect(ledger.balances).toEqual(ledgerWhen(expected === 'succeeded'));
    expect(biller.bought).toEqual(new Set([referenceNumber]));
    expect(end.document.tail.map(({ event }) => event)).toEqual(['biller-payment.accepted', `biller-payment.${expected}`]);
    expect(replica.counts).toMatchObject({ contradictions: 0, duplicates: 0 });
  });
});

test('the steps of the longest way are all in the tables', async () => {
  const { wrap, hit } = crashing(10, 'before');
  const replica = await open(scriptedBiller(success(), silence), scriptedLedger(), { wrap });
  const { referenceNumber } = await inquire(replica);
  await pay(replica, referenceNumber);
  await untilDone(replica, referenceNumber);
  expect(hit()).toBe(false);
});
