import { eventually } from '@gerbang/testkit';
import type { System } from '../../launcher/system.ts';
import { call, dataOf, isRecord, signIn } from '../support/merchant-client.ts';
import { newPaymentLink, pay } from '../support/payment-link.ts';

/** Nothing listens there: webhooks of the run reach nobody. The hooks put it in place of every URL that is generated. */
const DISCARD = 'http://127.0.0.1:9/';
const AMOUNT = 150_000;

/**
 * What requests can not bring about, since it takes a customer or time: a paid virtual account, a payment link that was opened,
 * a webhook that was tried. The generated requests find them by the lists.
 */
export async function prepareWorld({ demo }: System): Promise<void> {
  const [account] = demo.account_ids;
  const merchant = await signIn(demo.base_url, demo);
  await merchant.send('PUT', '/api/v1.0/callback-settings', { transaction_notif_url: DISCARD });
  const order = { bank_code: 'BCA', kind: 'permanent', name: 'Budi', merchant_reff_no: 'INV-1', amount: AMOUNT };
  const { number } = dataOf(await merchant.send('POST', `/api/v1.0/virtual-accounts/${account}`, order));
  await pay(demo.simulator_url, `virtual-accounts/${number}/pay`, { amount: AMOUNT });
  const link = await newPaymentLink(merchant, account, { amount: AMOUNT });
  await call('GET', link.url);
  for (const list of [`va-transactions/${account}`, `payment-link-histories/${account}`, 'webhook-deliveries']) {
    await eventually(`an item of ${list}`, async () => {
      const { items } = dataOf(await merchant.send('GET', `/api/v1.0/${list}`));
      return Array.isArray(items) && items.some(isRecord);
    });
  }
}
