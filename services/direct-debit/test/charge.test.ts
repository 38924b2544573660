import { create } from '@bufbuild/protobuf';
import { RefusalError } from '@gerbang/core';
import {
  OtpResult,
  RefundChargeRequestSchema,
  ReportChargeRequestSchema,
  VerifyChargeOtpRequestSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { FeeRuleSchema, LimitSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { expect, test } from 'vitest';
import { advanceCharge, onChargeDue } from '../src/charge/advance.ts';
import { type NewCharge, placeCharge } from '../src/charge/place.ts';
import { refundCharge } from '../src/charge/rpc/refund-charge.ts';
import { verifyChargeOtp } from '../src/charge/rpc/verify-charge-otp.ts';
import type { Context } from '../src/context.ts';
import { reportCharge } from '../src/report/rpc/report-charge.ts';
import { useParts } from './parts-harness.ts';
import { newBank } from './scripted-bank.ts';

const parts = useParts();
const FEE = create(FeeRuleSchema, { product: 'direct-debit', fixedSen: 4_000_00n });

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.refused;
    throw error;
  }
  return expect.fail('it was not refused');
}

async function orderFor(context: Context, over: Partial<NewCharge> = {}): Promise<NewCharge> {
  const { merchantId, accountId, id: bindingId } = (await parts.newBinding(context)).order;
  return { merchantId, accountId, bindingId, referenceNumber: 'r-1', amountSen: 100_000_00n, description: '', ...over };
}

test('the same order again is the same charge, and other content is refused', async () => {
  const bank = newBank();
  const context = await parts.newContext(bank, newLedger());
  const wanted = await orderFor(context);
  const all = await Promise.all(Array.from({ length: 20 }, () => placeCharge(context, wanted)));
  expect(new Set(all.map(({ order }) => order.id)).size).toBe(1);
  expect(bank.charges.size).toBe(1);
  expect(await refusalOf(placeCharge(context, { ...wanted, amountSen: 1_00n }))).toBe('duplicate_reference');
});

test('the third wrong OTP fails the charge, and nothing goes to the bank', async () => {
  const bank = newBank();
  const context = await parts.newContext(bank, newLedger());
  const { order } = await placeCharge(context, await orderFor(context, { amountSen: 500_001_00n }));
  const verify = (otp: string) =>
    verifyChargeOtp(
      context,
      create(VerifyChargeOtpRequestSchema, { merchantId: order.merchantId, transactionId: order.id, otp }),
    );
  for (const left of [2, 1, 0]) expect(await verify('000000')).toMatchObject({ result: OtpResult.WRONG, attemptsLeft: left });
  expect(await refusalOf(verify('123456'))).toBe('transaction_failed');
  expect([bank.charges.size, (await parts.charges().find(order.id))?.state.status]).toEqual([0, 'failed']);
});

test('attempts that come at once are counted one by one', async () => {
  const bank = newBank();
  const context = await parts.newContext(bank, newLedger());
  const { order } = await placeCharge(context, await orderFor(context, { amountSen: 600_000_00n }));
  const given = create(VerifyChargeOtpRequestSchema, { merchantId: order.merchantId, transactionId: order.id, otp: '000000' });
  const before = bank.asked.length;
  await Promise.allSettled(Array.from({ length: 10 }, () => verifyChargeOtp(context, given)));
  expect(bank.asked.slice(before)).toEqual(['verify', 'verify', 'verify']);
  expect((await parts.charges().find(order.id))?.state.status).toBe('failed');
});

test('limits hold for a payment and for the day of a binding; what has failed does not count', async () => {
  const limit = { product: 'direct-debit', minimumSen: 1_000_00n, maximumSen: 150_000_00n, dailyMaximumSen: 250_000_00n };
  const limits = [create(LimitSchema, limit)];
  const bank = newBank();
  const context = await parts.newContext(bank, newLedger(), dying(), { limits });
  const refusing = await parts.newContext(newBank({ charge: 'refuses' }), newLedger(), dying(), { limits });
  const wanted = await orderFor(context);
  const order = (referenceNumber: string, amountSen: bigint) => ({ ...wanted, referenceNumber, amountSen });
  expect(await refusalOf(placeCharge(context, order('a', 999_99n)))).toBe('account_limit');
  expect(await refusalOf(placeCharge(context, order('a', 150_000_01n)))).toBe('account_limit');
  expect((await placeCharge(refusing, order('failed', 150_000_00n))).state.status).toBe('failed');
  await placeCharge(context, order('b', 150_000_00n));
  const rest = await Promise.allSettled(['c', 'd', 'e'].map((reference) => placeCharge(context, order(reference, 100_000_00n))));
  expect(rest.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a full refund of an unsettled charge takes the fee from available, and is refused where that is short', async () => {
  const bank = newBank();
  const ledger = newLedger();
  const context = await parts.newContext(bank, ledger, dying(), { fees: [FEE], settleInMs: 3_600_000 });
  const { order } = await placeCharge(context, await orderFor(context));
  expect(ledger.balance).toEqual({ pending: 96_000_00n, available: 0n });
  const refund = (referenceNumber: string, amountSen?: bigint) => {
    const of = { merchantId: order.merchantId, transactionId: order.id, referenceNumber };
    return refundCharge(context, create(RefundChargeRequestSchema, { ...of, ...(amountSen !== undefined && { amountSen }) }));
  };
  expect(await refusalOf(refund('short'))).toBe('insufficient_balance');
  expect([ledger.balance.pending, bank.refunds.size]).toEqual([96_000_00n, 0]);
  ledger.balance.available = 4_000_00n;
  // Nothing was recorded, so the reference is free.
  expect((await refund('short')).refund).toMatchObject({ amountSen: 100_000_00n });
  expect(ledger.balance).toEqual({ pending: 0n, available: 0n });
  expect(await refusalOf(refund('more', 1_00n))).toBe('validation');
});

test('what refunds have taken from pending does not settle', async () => {
  const ledger = newLedger();
  const bank = newBank();
  const context = await parts.newContext(bank, ledger, dying(), { fees: [FEE], settleInMs: 3_600_000 });
  const { order } = await placeCharge(context, await orderFor(context));
  const of = { merchantId: order.merchantId, transactionId: order.id, referenceNumber: 'part', amountSen: 50_000_00n };
  await refundCharge(context, create(RefundChargeRequestSchema, of));
  const charge = await parts.charges().find(order.id);
  if (charge?.state.status !== 'paid') return expect.fail('it is not paid');
  // As if its time had come.
  const due = { ...charge, state: { ...charge.state, fees: { ...charge.state.fees, settleAtMs: 0 } } };
  await advanceCharge(context, due);
  expect(ledger.balance).toEqual({ pending: 0n, available: 46_000_00n });
});

test('a charge that failed here and was taken by the bank goes to suspense once, and the failure stands', async () => {
  const bank = newBank({ charge: 'refuses' });
  const posted: string[] = [];
  const ledger = newLedger();
  const context = await parts.newContext(bank, ledger);
  const { order } = await placeCharge(context, await orderFor(context));
  const taken = bank.charges.get(order.id);
  if (taken !== undefined) taken.isTaken = true;
  const suspending: Context = {
    ...context,
    ledger: {
      ...context.ledger,
      async post({ postingKey = '' }) {
        posted.push(postingKey);
        return { $typeName: 'gerbang.ledger.v1.PostResponse', availableAfterSen: 0n, postedAtMs: 1n };
      },
    },
  };
  const report = create(ReportChargeRequestSchema, { partnerReference: order.id });
  await reportCharge(suspending, report);
  expect(posted).toEqual([`${order.id}:suspense`]);
  expect((await parts.charges().find(order.id))?.state.status).toBe('failed');
});

test('a charge whose answer is lost is asked about, and never sent under another reference', async () => {
  const bank = newBank({ charge: 'lost' });
  const context = await parts.newContext(bank, newLedger());
  const placed = await placeCharge(context, await orderFor(context));
  expect(placed.state.status).toBe('sending');
  await onChargeDue(context, placed);
  expect([...bank.charges.keys()]).toEqual([placed.order.id]);
  expect(bank.asked.filter((what) => what === 'charge')).toHaveLength(1);
});

test('a charge that the bank has accepted and does not know yet waits, and is not sent again at once', async () => {
  const bank = newBank();
  const plain = await parts.newContext(bank, newLedger());
  const asked: string[] = [];
  const rail: Context['rail'] = {
    ...plain.rail,
    async charge() {
      asked.push('charge');
      return { outcome: 'accepted' };
    },
    async inquireCharge() {
      asked.push('status');
      return asked.length < 10 ? { outcome: 'not_found' } : { outcome: 'unknown', reason: 'asked too often' };
    },
  };
  const { state } = await placeCharge({ ...plain, rail }, await orderFor(plain));
  expect(asked).toEqual(['charge', 'status']);
  expect(state).toMatchObject({ status: 'sending', sends: 1, inquiries: 1 });
});

test('a charge that failed after its OTP is asked about by the external id that it would have gone out with', async () => {
  const bank = newBank();
  const plain = await parts.newContext(bank, newLedger());
  const sent: string[] = [];
  const rail: Context['rail'] = {
    ...plain.rail,
    async charge({ externalId }) {
      sent.push(externalId);
      return { outcome: 'failed', code: '4035414', reason: 'Insufficient Funds' };
    },
    async inquireCharge({ externalId }) {
      sent.push(externalId);
      return { outcome: 'not_found' };
    },
  };
  const context = { ...plain, rail };
  const { order } = await placeCharge(context, await orderFor(plain, { amountSen: 600_000_00n }));
  const { merchantId, id: transactionId } = order;
  await verifyChargeOtp(context, create(VerifyChargeOtpRequestSchema, { merchantId, transactionId, otp: '123456' }));
  await context.background.settled();
  await reportCharge(context, create(ReportChargeRequestSchema, { partnerReference: order.id }));
  expect([sent.length, new Set(sent).size]).toEqual([2, 1]);
});

test('a charge for which only the bank wants an OTP is refunded by the external id that it went out with', async () => {
  const bank = newBank();
  const plain = await parts.newContext(bank, newLedger());
  const sent: string[] = [];
  const rail: Context['rail'] = {
    ...plain.rail,
    async charge(request, by, options) {
      sent.push(request.externalId);
      return by.chargeToken === undefined ? { outcome: 'otp' } : plain.rail.charge(request, by, options);
    },
  };
  const context = { ...plain, rail };
  const { order, state } = await placeCharge(context, await orderFor(plain));
  expect(state.status).toBe('awaiting-otp');
  const { merchantId, id: transactionId } = order;
  await verifyChargeOtp(context, create(VerifyChargeOtpRequestSchema, { merchantId, transactionId, otp: '123456' }));
  await context.background.settled();
  await refundCharge(context, create(RefundChargeRequestSchema, { merchantId, transactionId, referenceNumber: 'b-1' }));
  const [refund] = bank.refunds.values();
  expect([sent.length, refund?.request.originalExternalId]).toEqual([2, sent[1]]);
});

test('a charge that needs no OTP takes none', async () => {
  const context = await parts.newContext(newBank(), newLedger());
  const { order } = await placeCharge(context, await orderFor(context));
  const { merchantId, id: transactionId } = order;
  const given = create(VerifyChargeOtpRequestSchema, { merchantId, transactionId, otp: '999999' });
  expect(await refusalOf(verifyChargeOtp(context, given))).toBe('transaction_failed');
});

test.each([
  ['of 1970', 0, 'ours'],
  ['of 2999', Date.parse('2999-01-01T00:00:00Z'), 'ours'],
  ['of eleven minutes ahead', Date.now() + 660_000, 'ours'],
  ['of a minute ago', Date.now() - 60_000, "the bank's"],
  ['of half an hour ago', Date.now() - 1_800_000, "the bank's"],
])('a charge settles by a believable time; the bank tells one %s', async (_what, paidAtMs, whose) => {
  const bank = newBank();
  bank.told.paidAtMs = paidAtMs;
  const counted: string[] = [];
  const made = await parts.newContext(bank, newLedger(), dying(), { settleInMs: 3_600_000 });
  const context: Context = { ...made, metrics: { ...made.metrics, timeNotBelieved: () => void counted.push('alert') } };
  const { order, state } = await placeCharge(context, await orderFor(context));
  if (state.status !== 'paid') return expect.fail(`it is ${state.status}`);
  const chargedAtMs = state.fees.settleAtMs - 3_600_000;
  expect(counted).toEqual(whose === 'ours' ? ['alert'] : []);
  if (whose !== 'ours') expect(chargedAtMs).toBe(paidAtMs);
  else expect(Math.abs(chargedAtMs - order.createdAtMs)).toBeLessThan(60_000);
});
