import { expect, it } from 'vitest';
import type { Payment, PaymentOrder } from '../payment/order.ts';
import { toOurPayment } from './our-payment.ts';
import { readPayments } from './payments.ts';

const FEES = { amountSen: 5n, feeSen: 0n, netSen: 5n, vendorFeeSen: 0n, ourMarginSen: 0n, basisPoints: 0, settleAtMs: 0 };
const REVERSAL = { kind: 'refunded', reportedAtMs: 0, takenFrom: 'account', attempt: 1 } as const;

function payment(id: string, paidAtMs: number, state: Payment['state'] = { status: 'paid', fees: FEES }): Payment {
  const order: PaymentOrder = {
    id,
    publicId: id,
    rail: 'va',
    railReference: `01JDX0W5B6Q3G8V2K4N7${id}`,
    paidTo: '7001412345678901',
    amountSen: 5n,
    tipSen: 0n,
    paidAtMs,
    receivedAtMs: paidAtMs,
    moneyTaken: true,
    payer: undefined,
    product: 'virtual-account',
    requestId: 'r',
    merchantId: 'm',
    accountId: 'a',
    partition: 'p0',
    merchantReffNo: '',
    paidNumber: undefined,
    fromSuspense: undefined,
  };
  return { order, state };
}

it.each([
  [{ status: 'paid', fees: FEES }, 'done'],
  [{ status: 'settled', fees: FEES, settledAtMs: 0 }, 'done'],
  [{ status: 'suspended', reason: 'unknown' }, 'done'],
  [{ status: 'accepted', fees: FEES }, 'open'],
  [{ status: 'received' }, 'open'],
  [{ status: 'refused', reason: 'expired' }, 'not-done'],
  [{ status: 'withdrawn', report: { kind: 'refunded', reportedAtMs: 0 } }, 'not-done'],
  [{ status: 'refunded', reason: 'unknown' }, 'returned'],
  [{ status: 'reversed', fees: FEES, reversal: REVERSAL, settledAtMs: undefined }, 'returned'],
  [{ status: 'contested', fees: FEES, reversal: REVERSAL, problem: 'short-balance', settledAtMs: undefined }, 'open'],
] as const)('stands as its rail sees it (%#)', (state, standing) => {
  expect(toOurPayment(payment('1', 0, state))).toMatchObject({ standing, status: state.status });
});

it('reads page after page, each payment once, also where more than a page have the same time', async () => {
  const times = [...Array.from({ length: 700 }, (_, i) => i), ...Array.from({ length: 2_500 }, () => 700), 701, 702];
  const all = times.map((paidAtMs, i) => payment(String(i).padStart(6, '0'), paidAtMs));
  const asked: number[] = [];
  const listPaid = async ({ fromMs, toMs, limit }: { fromMs: number; toMs: number; limit: number }) => {
    asked.push(limit);
    return all.filter(({ order }) => order.paidAtMs >= fromMs && order.paidAtMs < toMs).slice(0, limit);
  };
  const read: string[] = [];
  for await (const { payment: ours } of readPayments({ listPaid }, 'va', { fromMs: 0, toMs: 702 }, undefined)) read.push(ours.id);
  expect(read).toEqual(all.slice(0, -1).map(({ order }) => order.id));
  expect(asked.length).toBeGreaterThan(3);
});
