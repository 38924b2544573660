import type { Disbursement, paths } from './api.d.ts';
import { accepted, idr, type MerchantClient, newReference } from './merchant-client.ts';

export const TRANSFER = '/api/v2.0/disbursement/transfer';

export type Order = paths[typeof TRANSFER]['post']['requestBody']['content']['application/json'];

/** An order that the sandbox's bank pays, unless `over` names another beneficiary; with a reference of its own. */
export function newOrder(accountId: string, over: Partial<Order> = {}): Order {
  return {
    account_id: accountId,
    reference_number: newReference('order'),
    bank_code: '014',
    bank_account_number: '1234567890',
    amount: idr(150_000),
    ...over,
  };
}

/** Orders a transfer and gives the answer, also that of an error. */
export function order(merchant: MerchantClient, body: Order, idempotencyKey?: string) {
  const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  return merchant.api.POST(TRANSFER, { params: { header }, body });
}

/** Orders a transfer and gives it; throws where the API has refused. */
export function transfer(merchant: MerchantClient, body: Order): Promise<Disbursement> {
  return accepted(order(merchant, body));
}

/** The transfer with that reference; throws where there is none. */
export function inquire(merchant: MerchantClient, accountId: string, reference: string): Promise<Disbursement> {
  return accepted(inquireStatus(merchant, accountId, reference));
}

/** Inquires the status of a transfer and gives the answer, also that of an error. */
export function inquireStatus(merchant: MerchantClient, accountId: string, reference: string) {
  const body = { account_id: accountId, reference_number: reference };
  return merchant.api.POST('/api/v2.0/disbursement/inquiry-status', { body });
}

/** Sends the merchant's webhooks about disbursements to this URL from now on. */
export async function notifyAt(merchant: MerchantClient, url: string): Promise<void> {
  await accepted(merchant.api.PUT('/api/v1.0/callback-settings', { body: { disbursement_notif_url: url } }));
}
