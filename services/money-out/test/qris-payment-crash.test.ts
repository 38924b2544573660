import { RefusalError } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { describe, expect, test } from 'vitest';
import { CODE_SEN, code, FEE_SEN, type QrisPayments, scriptedAcquirer, useQrisPayments } from './qris-payment-world.ts';
import { atEveryStep, eventsOf, START_SEN, surviving } from './saga-world.ts';

const { open } = useQrisPayments('qris_crash');

/** A request that is cut off by a crash, or by the refusal of what a crash has left. */
async function cutOff(request: Promise<unknown>): Promise<void> {
  await surviving(request).catch((error: unknown) => {
    if (!(error instanceof RefusalError)) throw error;
  });
}

function expectBooks({ ledger }: QrisPayments, isPaid: boolean): void {
  const { available, held, rail, fees } = ledger.balances;
  expect(available).toBe(isPaid ? START_SEN - CODE_SEN - FEE_SEN : START_SEN);
  expect([held, rail, fees]).toEqual(isPaid ? [0n, CODE_SEN, FEE_SEN] : [0n, 0n, 0n]);
}

describe.each([
  ['succeeded', 'an order'],
  ['succeeded', 'an inquiry and an order'],
  ['failed', 'an order'],
  ['failed', 'an inquiry and an order'],
] as const)('a payment that has %s, by %s', (decides, how) => {
  test.each([
    ['comes again', true],
    ['has gone', false],
  ])(
    'a crash at every step, and the merchant %s: the money moves once, and the code’s merchant has it',
    async (_, comesAgain) => {
      const isInquired = how !== 'an order';
      const steps = await atEveryStep(async (wrap) => {
        const calm = await open({ acquirer: scriptedAcquirer(decides) });
        const crashed = await open(calm, wrap);
        const qrData = code();
        const order = async ({ inquire, credit }: QrisPayments) => {
          if (isInquired) await inquire({ qrData });
          return credit(isInquired ? {} : { qrData });
        };
        await cutOff(order(crashed));
        if (comesAgain) await order(calm);
        const end = await calm.untilDone();

        const { acquirer, ledger } = calm;
        if (end === undefined) {
          // It died before the payment was written down, and no request came again: the code is not paid.
          expect([comesAgain, acquirer.decided.size, ledger.keys()]).toEqual([false, 0, []]);
          return;
        }
        expect(end.state.status).toBe(decides);
        expect(acquirer.decided.size).toBe(1);
        expect(acquirer.received).toEqual(decides === 'succeeded' ? [qrData] : []);
        expect(ledger.of(Intent.HOLD)).toHaveLength(1);
        expectBooks(calm, decides === 'succeeded');
        expect(eventsOf(end)).toEqual(['qris-issuer.accepted', `qris-issuer.${decides}`]);
      });
      expect(steps).toBeGreaterThan(isInquired ? 9 : 7);
    },
  );
});

test('a crash at every step of an order that the balance does not allow leaves the reference to the same order', async () => {
  await atEveryStep(async (wrap) => {
    const calm = await open();
    const crashed = await open(calm, wrap);
    const qrData = code();
    calm.ledger.balances.available = 1n;
    await cutOff(crashed.credit({ qrData }));
    await calm.untilDone();
    expect([calm.acquirer.paid.size, calm.ledger.balances.available]).toEqual([0, 1n]);
    calm.ledger.balances.available = START_SEN;
    await cutOff(calm.credit({ qrData }));
    // Where the renewal was lost, the ledger has refused this id for ever; the next order has another one.
    await calm.credit({ qrData });
    expect((await calm.untilDone())?.state.status).toBe('succeeded');
    expectBooks(calm, true);
  });
});

test('a crash at every step of an order for a code that is refused leaves the reference free', async () => {
  await atEveryStep(async (wrap) => {
    const calm = await open();
    const refused = { outcome: 'refused', problem: 'expired', code: '4034800', reason: 'Transaction Expired' } as const;
    const crashed = await open({ ...calm, acquirer: { ...calm.acquirer, decode: async () => refused } }, wrap);
    const qrData = code();
    await cutOff(crashed.credit({ qrData }));
    expect(calm.ledger.keys()).toEqual([]);
    // A crash before the claim was removed leaves it to the same code.
    await calm.credit({ qrData });
    expect((await calm.untilDone())?.state.status).toBe('succeeded');
  });
});
