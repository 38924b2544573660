import type { paths } from './api.d.ts';
import { accepted, call, type MerchantClient } from './merchant-client.ts';

const CREATE = '/api/v1.0/payment-link-manage/{account_id}';
type Asked = paths[typeof CREATE]['post']['requestBody']['content']['application/json'];

/** Makes a payment link and gives its address and id. */
export async function newPaymentLink(
  merchant: MerchantClient,
  accountId: string,
  body: Partial<Asked>,
): Promise<{ id: number; url: string }> {
  const asked = { title: 'Kopi Susu Gula Aren', amount: 30_000, required_customer_detail: false, ...body };
  const made = merchant.api.POST(CREATE, { params: { path: { account_id: accountId } }, body: asked });
  const { id, payment_url: url } = await accepted(made);
  return { id, url };
}

/** Lets a customer of the sandbox bank pay; throws unless the gateway takes it. */
export async function pay(simulatorUrl: string, what: string, body: unknown): Promise<void> {
  const { json, text } = await call('POST', `${simulatorUrl}/sandbox/${what}`, JSON.stringify(body));
  if (json.accepted !== true) throw new Error(`not accepted: ${text}`);
}
