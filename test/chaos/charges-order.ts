import type { DirectDebitBinding, DirectDebitTransaction } from '../support/api.d.ts';
import { idr, newReference } from '../support/merchant-client.ts';
import type { World } from './world.ts';

/** What the customer does with an OTP: gives it, gives it after a wrong one, gives wrong ones only, or never gives it. */
export const OTPS = ['right', 'right', 'second', 'wrong', 'never'] as const;

export type RefundOrder = {
  reference: string;
  /** Rupiah; undefined: what is left. */
  amount: number | undefined;
  /** Only once the charge has settled, so that it comes out of what is available. */
  isLate: boolean;
  /** The refund under which it was answered. */
  refundId: string | undefined;
};

export type ChargeOrder = {
  reference: string;
  bindingId: string;
  /** Rupiah. More than 500,000 needs an OTP. */
  amount: number;
  otp: (typeof OTPS)[number];
  /** In the order in which they are made. */
  refunds: readonly RefundOrder[];
  /** It, and its refunds, are sent to both edges at the same time. */
  isTwin: boolean;
};

const OTP_AMOUNT = 600_000;
const PLAIN_AMOUNT = 10_000;

/** The `index`-th charge: every third needs an OTP; what is refunded of it and how takes turns. No two amounts are alike. */
export function newCharge(index: number, bindingId: string): ChargeOrder {
  const amount = (index % 3 === 0 ? OTP_AMOUNT : PLAIN_AMOUNT) + index;
  const reference = newReference('charge');
  const refund = (part: number | undefined, isLate: boolean): RefundOrder => {
    return { reference: newReference('refund'), amount: part, isLate, refundId: undefined };
  };
  const part = Math.floor(amount / 3);
  const refunds = [[], [refund(part, false)], [refund(undefined, false)], [refund(part, false), refund(undefined, true)]];
  return {
    reference,
    bindingId,
    amount,
    otp: OTPS[Math.floor(index / 3) % OTPS.length] ?? 'right',
    refunds: refunds[index % refunds.length] ?? [],
    isTwin: index % 5 === 0,
  };
}

/** Of ten customers these have charges that fail, that stay silent and are paid, and that stay silent and fail. */
const MAGIC = ['0001', '0002', '0003'];

export function newCustomer(index: number): { customer_id: string; customer_name: string; customer_phone: string } {
  const ending = MAGIC[index % 10] ?? String(5_000 + (index % 3_000));
  return { customer_id: newReference('customer'), customer_name: 'Ani Lestari', customer_phone: `08123456${ending}` };
}

/** What a call of the API has come to; undefined where there was no answer that says anything. `data`: of the envelope. */
export type Said<Data> = { http: number; data: Data | undefined; error: unknown } | undefined;

type Sent<Data> = Promise<{ data?: { data: Data }; error?: unknown; response: Response }>;

/** An answer of the API as it is to a careful merchant: where the connection breaks, or at 5xx, it says nothing. */
export async function said<Data>(sent: Sent<Data>): Promise<Said<Data>> {
  try {
    const { data, error, response } = await sent;
    return response.status >= 500 ? undefined : { http: response.status, data: data?.data, error };
  } catch (problem) {
    // fetch throws a TypeError where the connection breaks. Any other error is a fault of the gateway or of this test.
    if (!(problem instanceof TypeError)) throw problem;
    return undefined;
  }
}

export function charge(world: World, edge: 0 | 1, { reference, bindingId, amount }: ChargeOrder) {
  const body = { account_id: world.source, binding_id: bindingId, reference_number: reference, amount: idr(amount) };
  return said(world.merchants[edge].api.POST('/api/v2.0/direct-debit/charge', { body }));
}

export function refund(world: World, edge: 0 | 1, transactionId: string, { reference, amount }: RefundOrder) {
  const path = { transaction_id: transactionId };
  const body = { reference_number: reference, ...(amount !== undefined && { amount: idr(amount) }) };
  return said(
    world.merchants[edge].api.POST('/api/v2.0/direct-debit/transaction/{transaction_id}/refund', { params: { path }, body }),
  );
}

/** The charge under a reference; throws where it has more than one. */
export async function findCharge(world: World, edge: 0 | 1, reference: string): Promise<DirectDebitTransaction | undefined> {
  const query = { account_id: world.source, reference_number: reference };
  const found = await said(world.merchants[edge].api.GET('/api/v2.0/direct-debit/transaction', { params: { query } }));
  const items = found?.data?.items ?? [];
  if (items.length > 1) throw new Error(`${reference} has ${items.length} charges`);
  return items[0];
}

export async function findBinding(world: World, edge: 0 | 1, bindingId: string): Promise<DirectDebitBinding | undefined> {
  const path = { binding_id: bindingId };
  return (await said(world.merchants[edge].api.GET('/api/v2.0/direct-debit/binding/{binding_id}', { params: { path } })))?.data;
}
