import { eventually } from '@gerbang/testkit';
import { bindAccount } from '../support/bind-account.ts';
import { call, type Demo } from '../support/merchant-client.ts';
import type { Recorder } from './recorder.ts';

const idr = (value: string) => ({ value, currency: 'IDR' });
const BINDING = {
  bank_code: 'BRI',
  customer_id: 'pelanggan-42',
  customer_name: 'Ani Lestari',
  customer_phone: '081234567890',
  redirect_url: 'https://toko.example/terhubung',
};
/** How long an OTP lives, and a little more. */
const OTP_MS = 301_000;

/** Binds, charges, refunds and unbinds, with every webhook of direct debit. */
export async function directDebit(recorder: Recorder, account: string, demo: Demo): Promise<void> {
  const { call: use, refused } = recorder;
  const bindingId = await bind(recorder, account);
  await use('listDirectDebitBindings', { query: `?account_id=${account}&limit=2` });
  await refused('createDirectDebitBinding', { body: { ...BINDING, account_id: account, bank_code: 'CITI' } });

  const order = { account_id: account, binding_id: bindingId, reference_number: 'tagihan-1', amount: idr('100000.00') };
  const charged = await use('chargeDirectDebit', { body: { ...order, description: 'Langganan November' } });
  const path = { transaction_id: String(charged.transaction_id) };
  await eventually('a charge succeeds', async () => (await use('showDirectDebitTransaction', { path })).status === 'SUCCESS');
  await refused('chargeDirectDebit', { body: { ...order, amount: idr('1.00') } });
  await refund(recorder, path, demo);
  await otps(recorder, { ...order, amount: idr('900000.00') }, demo);
  await use('listDirectDebitTransactions', { query: `?account_id=${account}&limit=2` });
  await unbind(recorder, bindingId, demo);
  await failures(recorder, account, demo);
}

async function bind({ call: use }: Pick<Recorder, 'call'>, account: string, more: object = {}): Promise<string> {
  const made = await use('createDirectDebitBinding', { body: { account_id: account, ...BINDING, ...more } });
  const path = { binding_id: String(made.binding_id) };
  await bindAccount(String(made.webview_url));
  await eventually('an account is bound', async () => (await use('showDirectDebitBinding', { path })).status === 'ACTIVE');
  return path.binding_id;
}

async function refund({ call: use, refused }: Recorder, path: { transaction_id: string }, demo: Demo): Promise<void> {
  await use('refundDirectDebit', { path, body: { reference_number: 'retur-1', amount: idr('30000.00') } });
  await refused('refundDirectDebit', { path, body: { reference_number: 'retur-2', amount: idr('70001.00') } });
  await forced(demo, 'failed', () => refused('refundDirectDebit', { path, body: { reference_number: 'retur-3' } }));
  await use('showDirectDebitTransaction', { path });
}

async function otps({ call: use, refused }: Recorder, order: object, demo: Demo): Promise<void> {
  const first = await use('chargeDirectDebit', { body: { ...order, reference_number: 'tagihan-2' } });
  const transaction_id = String(first.transaction_id);
  await refused('verifyDirectDebitOtp', { body: { otp: '000000', transaction_id } });
  await refused('verifyDirectDebitOtp', { body: { otp: '123456' } });
  await use('verifyDirectDebitOtp', { body: { otp: '123456', transaction_id } });
  await use('chargeDirectDebit', { body: { ...order, reference_number: 'tagihan-3' } });
  await call('POST', `${demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms: OTP_MS }));
}

async function unbind({ call: use, refused }: Recorder, bindingId: string, demo: Demo): Promise<void> {
  const path = { binding_id: bindingId };
  const confirm = async (otp: string) => {
    const { otp_handoff: unbind_context } = await use('unbindDirectDebit', { path });
    return { body: { otp, binding_id: bindingId, unbind_context } };
  };
  // The bank does not end it: it stays active.
  await forced(demo, 'failed', async () => {
    await use('verifyDirectDebitOtp', await confirm('123456'));
    await eventually('the bank has refused', async () => hasStopped(bindingId, use));
  });
  await use('verifyDirectDebitOtp', await confirm('123456'));
  await eventually('a binding ends', async () => (await use('showDirectDebitBinding', { path })).status === 'UNBOUND');
  await refused('unbindDirectDebit', { path });
}

/** Only an unbinding that is not confirmed any more asks for an OTP again. */
async function hasStopped(bindingId: string, use: Recorder['call']): Promise<boolean> {
  return (await use('unbindDirectDebit', { path: { binding_id: bindingId } })).otp_required === true;
}

/** A customer who declines, and one who never comes. */
async function failures({ call: use }: Recorder, account: string, demo: Demo): Promise<void> {
  const declined = await use('createDirectDebitBinding', { body: { account_id: account, ...BINDING } });
  await fetch(`${declined.webview_url}/decline`, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' });
  const left = await use('createDirectDebitBinding', { body: { account_id: account, ...BINDING } });
  await call('POST', `${demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms: 1_801_000 }));
  const path = { binding_id: String(left.binding_id) };
  await eventually('a binding expires', async () => (await use('showDirectDebitBinding', { path })).status === 'EXPIRED');
  // The document shows one that can be charged.
  await bind({ call: use }, account, { customer_id: 'pelanggan-43' });
}

async function forced(demo: Demo, outcome: string, work: () => Promise<unknown>): Promise<void> {
  const rail = `${demo.simulator_url}/sandbox/rails/direct-debit`;
  await call('PUT', rail, JSON.stringify({ outcome }));
  await work();
  await call('DELETE', rail);
}
