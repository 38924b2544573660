import { call, dataOf, type MerchantClient } from './merchant-client.ts';

/** Makes a payment link and gives its address and id. */
export async function newPaymentLink(
  merchant: MerchantClient,
  accountId: string,
  body: Record<string, unknown>,
): Promise<{ id: number; url: string }> {
  const asked = { title: 'Kopi Susu Gula Aren', amount: 30_000, required_customer_detail: false, ...body };
  const answer = await merchant.send('POST', `/api/v1.0/payment-link-manage/${accountId}`, asked);
  const { id, payment_url: url } = dataOf(answer);
  if (typeof id !== 'number' || typeof url !== 'string') throw new Error(`no payment link: ${answer.text}`);
  return { id, url };
}

/** Lets a customer of the sandbox bank pay; throws unless the gateway takes it. */
export async function pay(simulatorUrl: string, what: string, body: unknown): Promise<void> {
  const { json, text } = await call('POST', `${simulatorUrl}/sandbox/${what}`, JSON.stringify(body));
  if (json.accepted !== true) throw new Error(`not accepted: ${text}`);
}
