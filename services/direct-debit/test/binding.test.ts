import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import {
  BindStep,
  ConsentRequestSchema,
  CreateBindingRequestSchema,
  HandOverRequestSchema,
  OtpResult,
  ReportUnboundRequestSchema,
  SubmitOtpRequestSchema,
  UnbindRequestSchema,
  VerifyUnbindOtpRequestSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { deathsOf, dying, untilDeath } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import { consent } from '../src/bind-page/rpc/consent.ts';
import { handOver } from '../src/bind-page/rpc/hand-over.ts';
import { submitOtp } from '../src/bind-page/rpc/submit-otp.ts';
import type { StoredBinding } from '../src/binding/document.ts';
import { onBindingDue } from '../src/binding/on-due.ts';
import { createBinding } from '../src/binding/rpc/create-binding.ts';
import { unbind } from '../src/binding/rpc/unbind.ts';
import { verifyUnbindOtp } from '../src/binding/rpc/verify-unbind-otp.ts';
import type { Context } from '../src/context.ts';
import { reportUnbound } from '../src/report/rpc/report-unbound.ts';
import { useParts } from './parts-harness.ts';
import { newBank } from './scripted-bank.ts';

const parts = useParts();

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.refused;
    throw error;
  }
  return expect.fail('it was not refused');
}

async function again({ order }: StoredBinding): Promise<StoredBinding> {
  return (await parts.bindings().find(order.id)) ?? expect.fail('no binding');
}

const eventsOf = ({ document }: StoredBinding) => document.tail.map(({ event }) => event.replace('direct-debit.', ''));

/** A binding that is not begun by its customer yet, and the token of its page. */
async function newPage(context: Context, { order }: StoredBinding, over: object = {}) {
  const { merchantId, accountId, customerId, bankCode } = order;
  const same = { merchantId, accountId, customerId, bankCode, customerName: 'Ani', customerPhone: '081234567890' };
  const { binding, webviewUrl } = await createBinding(context, create(CreateBindingRequestSchema, { ...same, ...over }));
  const token = webviewUrl.slice(webviewUrl.lastIndexOf('/') + 1);
  const submit = (otp: string) => submitOtp(context, create(SubmitOtpRequestSchema, { token, otp }));
  const agree = () => consent(context, create(ConsentRequestSchema, { token, language: 'en' }));
  const find = async () => (await parts.bindings().find(binding?.bindingId ?? '')) ?? expect.fail('no binding');
  return { token, submit, agree, find };
}

describe('on the pages', () => {
  test('an OTP is counted down before the bank is asked, and the third wrong one ends the binding', async () => {
    const bank = newBank();
    const context = await parts.newContext(bank, newLedger());
    const { agree, submit, find } = await newPage(context, await parts.newBinding(context), { customerId: 'wrong' });
    await agree();
    const asked = bank.asked.length;
    expect((await submit('000000')).page).toMatchObject({ step: BindStep.OTP, otpAttemptsLeft: 2, otpResult: OtpResult.WRONG });
    expect((await submit('000000')).page).toMatchObject({ otpAttemptsLeft: 1 });
    expect((await submit('000000')).page).toMatchObject({ step: BindStep.FAILED, failedReason: 'otp_failed' });
    await submit('123456');
    expect(bank.asked.slice(asked)).toEqual(['verify', 'verify', 'verify']);
    expect(eventsOf(await find())).toEqual(['binding.failed']);
  });

  test('nothing that was entrusted is stored as it is', async () => {
    const context = await parts.newContext(newBank(), newLedger());
    const { document } = await parts.newBinding(context);
    const stored = JSON.stringify(document, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    for (const secret of ['081234567890', '"access"', '"refresh"', '"account"']) expect(stored).not.toContain(secret);
  });

  test('a customer has one active binding of an account; the second one fails and is ended at the bank', async () => {
    const bank = newBank();
    const context = await parts.newContext(bank, newLedger());
    const first = await parts.newBinding(context);
    const { agree, submit, find } = await newPage(context, first);
    await agree();
    expect((await submit('123456')).page).toMatchObject({ step: BindStep.FAILED, failedReason: 'already_bound' });
    expect([(await again(first)).state.status, bank.state.unbinds]).toEqual(['active', 1]);
    expect((await find()).state).toMatchObject({ leftover: undefined });
  });

  test('of two at once only one gets the account', async () => {
    const context = await parts.newContext(newBank(), newLedger());
    const known = await parts.newBinding(context);
    const pages = [await newPage(context, known, { customerId: 'both' }), await newPage(context, known, { customerId: 'both' })];
    for (const { agree } of pages) await agree();
    await Promise.all(pages.map(({ submit }) => submit('123456')));
    const states = await Promise.all(pages.map(async ({ find }) => (await find()).state.status));
    expect(states.sort()).toEqual(['active', 'failed']);
  });

  test('the code of the way back is given once', async () => {
    const context = await parts.newContext(newBank(), newLedger());
    const known = await parts.newBinding(context);
    const redirectUrl = 'https://shop.example/bound?x=1';
    const { token, agree, submit, find } = await newPage(context, known, { customerId: 'back', redirectUrl });
    const back = () => handOver(context, create(HandOverRequestSchema, { token }));
    expect((await back()).location).toBe('');
    await agree();
    await submit('123456');
    const ways = (await Promise.all([back(), back()])).map(({ location }) => new URL(location).searchParams);
    const codes = ways.flatMap((way) => way.getAll('handover_code'));
    expect(codes).toEqual([(await find()).handoverCode]);
    expect(codes[0]).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test('of two submissions at once, what the bank says late of the one does not end what it has accepted of the other', async () => {
    const bank = newBank();
    const late = Promise.withResolvers<void>();
    const binds: string[] = [];
    const plain = await parts.newContext(bank, newLedger());
    const rail: Context['rail'] = {
      ...plain.rail,
      async verifyOtp(_request, { otp }) {
        if (otp === '123456') return { outcome: 'accepted' };
        await late.promise;
        return { outcome: 'failed', code: '4000401', reason: 'Bad Request' };
      },
      async bind(_request, authCode) {
        binds.push(authCode);
        return { outcome: 'pending' };
      },
    };
    const { agree, submit, find } = await newPage({ ...plain, rail }, await parts.newBinding(plain), { customerId: 'twice' });
    await agree();
    const second = submit('654321');
    await Promise.all([submit('123456'), submit('123456')]);
    late.resolve();
    await second;
    const after = await find();
    expect([after.state.status, eventsOf(after), binds]).toEqual(['connecting', [], ['code']]);
  });

  test('a token with another secret opens nothing', async () => {
    const context = await parts.newContext(newBank(), newLedger());
    const { token } = await newPage(context, await parts.newBinding(context), { customerId: 'other' });
    const other = `${token.slice(0, 32)}${'A'.repeat(43)}`;
    expect(await refusalOf(consent(context, create(ConsentRequestSchema, { token: other, language: 'id' })))).toBe(
      'transaction_not_found',
    );
  });
});

const deaths = deathsOf(12);

test.each(deaths)('a binding whose process dies $when step $step while it is connected becomes active once', async (death) => {
  const bank = newBank();
  const context = await parts.newContext(bank, newLedger());
  const known = await parts.newBinding(context);
  const { agree, token, submit, find } = await newPage(context, known, { customerId: `dies-${death.when}-${death.step}` });
  await agree();
  const dead = await parts.newContext(bank, newLedger(), dying(death));
  await untilDeath(submitOtp(dead, create(SubmitOtpRequestSchema, { token, otp: '123456' })));
  await dead.background.settled();
  // The customer loads the page again, and the timer comes.
  await submit('123456');
  for (let round = 0; round < 3; round++) {
    const binding = await find();
    if (binding.state.status === 'connecting')
      await Promise.all([onBindingDue(context, binding), onBindingDue(context, binding)]);
  }
  const after = await find();
  expect([after.state.status, eventsOf(after)]).toEqual(['active', ['binding.succeeded']]);
});

describe('tokens', () => {
  test('are refreshed by the timer, and the binding stays active', async () => {
    const bank = newBank();
    const context = await parts.newContext(bank, newLedger());
    const binding = await parts.newBinding(context);
    await onBindingDue(context, binding);
    expect(bank.asked.filter((what) => what === 'refresh')).toHaveLength(1);
    expect((await again(binding)).state.status).toBe('active');
  });

  test('whose refresh is refused end the binding, unless the bank still takes the access token', async () => {
    const bank = newBank();
    const context = await parts.newContext(bank, newLedger());
    const binding = await parts.newBinding(context);
    bank.state.refresh = 'refuses';
    await onBindingDue(context, binding);
    expect((await again(binding)).state).toMatchObject({ status: 'active', tries: 1 });
    bank.state.isBound = false;
    await onBindingDue(context, await again(binding));
    const after = await again(binding);
    expect(after.state).toMatchObject({ status: 'unbound', by: 'token_refused' });
    expect(eventsOf(after)).toEqual(['binding.succeeded', 'unbinding.succeeded']);
  });

  test('a report that the bank does not confirm changes nothing', async () => {
    const bank = newBank();
    const context = await parts.newContext(bank, newLedger());
    const binding = await parts.newBinding(context);
    const report = create(ReportUnboundRequestSchema, { partnerReference: binding.order.id });
    await reportUnbound(context, report);
    expect((await again(binding)).state.status).toBe('active');
    bank.state.isBound = false;
    await reportUnbound(context, report);
    await reportUnbound(context, report);
    expect((await again(binding)).state).toMatchObject({ status: 'unbound', by: 'bank' });
  });
});

describe('an unbinding', () => {
  const begin = async (bank = newBank()) => {
    const context = await parts.newContext(bank, newLedger());
    const binding = await parts.newBinding(context);
    const of = { merchantId: binding.order.merchantId, bindingId: binding.order.id };
    const ask = () => unbind(context, create(UnbindRequestSchema, of));
    type Handoff = Awaited<ReturnType<typeof ask>>['otpHandoff'];
    const verify = (otp: string, otpHandoff: Handoff) =>
      verifyUnbindOtp(context, create(VerifyUnbindOtpRequestSchema, { ...of, otp, ...(otpHandoff && { otpHandoff }) }));
    return { context, binding, ask, verify };
  };

  test('takes its hand-over once, and only as it is', async () => {
    const { context, binding, ask, verify } = await begin();
    const { otpHandoff: older } = await ask();
    const { otpHandoff } = await ask();
    if (otpHandoff === undefined || older === undefined) return expect.fail('there is no hand-over');
    const forged = [
      { ...otpHandoff, token: `A${otpHandoff.token.slice(1)}` },
      { ...otpHandoff, expiredAtMs: otpHandoff.expiredAtMs + 1n },
      { ...otpHandoff, bindingId: '00000000-0000-4000-8000-000000000000' },
      older,
    ];
    for (const block of forged) expect(await refusalOf(verify('123456', block))).toBe('validation');
    expect((await verify('123456', otpHandoff)).result).toBe(OtpResult.ACCEPTED);
    expect(await refusalOf(verify('123456', otpHandoff))).toBe('validation');
    await context.background.settled();
    expect((await again(binding)).state).toMatchObject({ status: 'unbound', by: 'merchant' });
  });

  test('ends with the third wrong OTP, and the binding stays active', async () => {
    const { binding, ask, verify } = await begin();
    const { otpHandoff } = await ask();
    const left = [];
    for (let attempt = 0; attempt < 3; attempt++) left.push((await verify('000000', otpHandoff)).attemptsLeft);
    expect(left).toEqual([2, 1, 0]);
    expect(await refusalOf(verify('123456', otpHandoff))).toBe('validation');
    const after = await again(binding);
    expect([after.state.status, eventsOf(after)]).toEqual(['active', ['binding.succeeded', 'unbinding.failed']]);
  });

  test('whose OTP is not given in time, or whose last answer is lost, is off, and the merchant is notified', async () => {
    const left = await begin();
    await left.ask();
    const { state } = await again(left.binding);
    if (state.status !== 'active' || state.unbinding?.stage !== 'otp') return expect.fail('it waits for no OTP');
    const { expiresAtMs } = state.unbinding.otp;
    expect((await again(left.binding)).document.due_at?.getTime()).toBe(expiresAtMs);
    await onBindingDue({ ...left.context, clock: createClock(() => expiresAtMs) }, await again(left.binding));
    const lost = await begin();
    lost.context.rail.verifyOtp = async () => ({ outcome: 'unknown', reason: 'no answer' });
    const { otpHandoff } = await lost.ask();
    for (let attempt = 0; attempt < 3; attempt++) expect(await refusalOf(lost.verify('123456', otpHandoff))).toBe('unavailable');
    for (const { binding } of [left, lost]) {
      const after = await again(binding);
      expect([after.state.status, eventsOf(after)]).toEqual(['active', ['binding.succeeded', 'unbinding.failed']]);
    }
  });

  test('that is confirmed is not ended by what the bank says late of another attempt', async () => {
    const { context, binding, ask, verify } = await begin();
    const late = Promise.withResolvers<void>();
    context.rail.verifyOtp = async (_request, { otp }) => {
      if (otp === '123456') return { outcome: 'accepted' };
      await late.promise;
      return { outcome: 'expired' };
    };
    context.rail.unbind = async () => ({ outcome: 'unknown', reason: 'no answer' });
    const { otpHandoff } = await ask();
    const second = verify('000000', otpHandoff);
    expect((await verify('123456', otpHandoff)).result).toBe(OtpResult.ACCEPTED);
    await context.background.settled();
    late.resolve();
    await second;
    const after = await again(binding);
    expect(after.state).toMatchObject({ status: 'active', unbinding: { stage: 'confirmed' } });
    expect(eventsOf(after)).toEqual(['binding.succeeded']);
  });
});
