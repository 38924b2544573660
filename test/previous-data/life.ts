import { setTimeout as sleep } from 'node:timers/promises';
import type { System } from '../../launcher/system.ts';
import { newOrder, order } from '../support/disbursement.ts';
import { accepted, call, dataOf, idr, isRecord, type MerchantClient, signIn } from '../support/merchant-client.ts';
import { newPaymentLink } from '../support/payment-link.ts';

/**
 * Something that a customer has still to pay: where the merchant reads it, how the customer pays it, and its status once it is
 * paid.
 */
export type Unpaid = { path: string; pay: { what: string; body: unknown }; paid: string };

/** What a version has left behind when it was killed, as the next one has to find it. */
export type Left = {
  accountId: string;
  /** Reference numbers of disbursements, with the transaction status that each has in the end. */
  transfers: Record<string, string>;
  /** Paths of resources, with the status that each keeps. */
  resources: Record<string, string>;
  unpaid: Unpaid[];
  /** Sen, once everything has come to its end; before anything unpaid is paid. */
  balance: { available: string; held: string; pending: string };
};

const RUPIAH = 50_000;
/** Far enough away for any version that opens the folder. */
const NEVER_MS = Date.UTC(2099, 0, 1);

/** Lets a merchant and its customers use every product once or twice, and leaves work half done: kill the system right after. */
export async function live(system: System): Promise<Left> {
  const { demo } = system;
  const merchant = await signIn(demo.base_url, demo);
  const [accountId, other] = demo.account_ids;
  const left: Left = { accountId, transfers: {}, resources: {}, unpaid: [], balance: { available: '', held: '', pending: '' } };
  const transfer = (reference: string, beneficiary: string) =>
    order(merchant, newOrder(accountId, { reference_number: reference, bank_account_number: beneficiary, amount: idr(RUPIAH) }));
  await transfer('old-paid', '1234567890');
  await transfer('old-failed', '1234560001');
  Object.assign(left.transfers, { 'old-paid': '00', 'old-failed': '06' });
  const move = { source_account_id: accountId, destination_account_id: other, amount: RUPIAH, reference_number: 'old-moved' };
  await accepted(merchant.api.POST('/api/v1.0/account-transfers', { body: move }));
  for (const one of await Promise.all([
    virtualAccounts(merchant, accountId),
    codes(merchant, accountId),
    checkouts(merchant, accountId),
    retail(merchant, accountId),
  ])) {
    const [first, second] = one;
    if (first === undefined || second === undefined) throw new Error('nothing was made to be paid');
    await payAll(system, [first]);
    left.resources[first.path] = first.paid;
    left.unpaid.push(second);
  }
  const link = await newPaymentLink(merchant, accountId, {});
  left.resources[`/api/v1.0/payment-link-manage/${accountId}/${link.id}`] = 'active';
  await settled(merchant, accountId);
  // The notifier is away: what happens now stays in its tails. The bank takes its time: the money stays held.
  await system.kill('notifier', 'SIGKILL');
  await transfer('old-unknown', '1234560002');
  left.transfers['old-unknown'] = '00';
  const { available } = await merchant.balance(accountId);
  left.balance = { available: String(available), held: '0', pending: '0' };
  return left;
}

/** Lets customers pay; throws unless the gateway takes it. */
export async function payAll({ demo }: System, unpaid: readonly Unpaid[]): Promise<void> {
  for (const { pay } of unpaid) {
    const { json, text } = await call('POST', `${demo.simulator_url}/sandbox/${pay.what}`, JSON.stringify(pay.body));
    if (json.accepted !== true) throw new Error(`not accepted: ${text}`);
  }
}

async function virtualAccounts(merchant: MerchantClient, accountId: string): Promise<Unpaid[]> {
  const make = async () => {
    const data = await made(merchant, `virtual-accounts/${accountId}`, {
      bank_code: 'BCA',
      kind: 'temporary',
      name: 'Budi',
      merchant_reff_no: 'old-va',
      expired_at: String(NEVER_MS),
      max_usage: 1,
      amount: RUPIAH,
    });
    const pay = { what: `virtual-accounts/${String(data.number)}/pay`, body: { amount: RUPIAH } };
    return { path: `/api/v1.0/virtual-accounts/${accountId}/${String(data.id)}`, pay, paid: 'completed' };
  };
  return [await make(), await make()];
}

async function codes(merchant: MerchantClient, accountId: string): Promise<Unpaid[]> {
  const make = async () => {
    const data = await made(merchant, `qris-dynamic/${accountId}/generate`, { amount: RUPIAH, expired_at: NEVER_MS });
    const pay = { what: 'qris/pay', body: { qr_data: data.qr_data } };
    return { path: `/api/v1.0/qris-dynamic/${accountId}/show/${String(data.id)}`, pay, paid: 'success' };
  };
  return [await make(), await make()];
}

async function checkouts(merchant: MerchantClient, accountId: string): Promise<Unpaid[]> {
  const make = async () => {
    const data = await made(merchant, `ewallet-checkout/${accountId}`, { channel: 'DANA', amount: RUPIAH, expired_at: NEVER_MS });
    const id = String(data.transaction_id);
    const pay = { what: `ewallet/${id}/confirm`, body: { outcome: 'success' } };
    return { path: `/api/v1.0/ewallet-checkout/${accountId}/${id}`, pay, paid: 'success' };
  };
  return [await make(), await make()];
}

async function retail(merchant: MerchantClient, accountId: string): Promise<Unpaid[]> {
  const make = async () => {
    const data = await made(merchant, `retail-transactions/${accountId}`, {
      retail_code: 'ALFAMART',
      amount: RUPIAH,
      customer_name: 'Budi',
      expired_at: String(NEVER_MS),
    });
    const pay = { what: `retail/${String(data.payment_code)}/pay`, body: { amount: RUPIAH } };
    return { path: `/api/v1.0/retail-transactions/${accountId}/${String(data.transaction_id)}`, pay, paid: 'paid' };
  };
  return [await make(), await make()];
}

async function made(merchant: MerchantClient, path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await merchant.send('POST', `/api/v1.0/${path}`, body);
  if (answer.http !== 200 && answer.http !== 201) throw new Error(`${path}: ${answer.http} ${answer.text}`);
  return dataOf(answer);
}

/** Waits until nothing of an account is pending any more. */
export async function settled(merchant: MerchantClient, accountId: string): Promise<void> {
  for (let waited = 0; waited < 300; waited++) {
    const { pending, held } = await merchant.balance(accountId);
    if (pending === 0n && held === 0n) return;
    await sleep(100);
  }
  throw new Error(`account ${accountId} has not settled within 30 s`);
}

/** Whether this is what `live` gives. */
export function isLeft(value: unknown): value is Left {
  return isRecord(value) && typeof value.accountId === 'string' && Array.isArray(value.unpaid) && isRecord(value.balance);
}
