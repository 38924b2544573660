import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import {
  call,
  dataOf,
  idr,
  isRecord,
  type MerchantClient,
  newReference,
  sen,
  signIn,
  statusOf,
} from '../support/merchant-client.ts';
import { type Hook, startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

/** A bank takes back a transfer that it has paid, and reports so on rails_url. */

let system: System;
let sink: WebhookSink;
let merchant: MerchantClient;
let account: string;

beforeAll(async () => {
  sink = await startWebhookSink();
  system = await startSystem({ name: 'reversal', shuffleUnsorted: true });
  account = system.demo.account_ids[0];
  merchant = await signIn(system.demo.base_url, system.demo);
  await merchant.send('PUT', '/api/v1.0/callback-settings', { disbursement_notif_url: sink.url });
}, 120_000);

afterAll(async () => {
  await system?.stop();
  await sink?.close();
});

/** Transfers and waits until the merchant was notified of it. */
async function pay() {
  const order = {
    account_id: account,
    reference_number: newReference('reversal'),
    bank_code: '014',
    bank_account_number: '1234567890',
    amount: idr(150_000),
  };
  const answer = await merchant.signed('/api/v2.0/disbursement/transfer', order);
  expect(answer.json.response_code, answer.text).toBe('SP000');
  const data = dataOf(answer);
  expect(statusOf(data)).toBe('00');
  const paid = { reference: order.reference_number, id: String(data.transaction_id), gross: sen(data.gross_amount) };
  await eventually('the webhook of the payment', () => sink.about(paid.reference).length > 0);
  return paid;
}

const reverse = (id: string) => call('POST', `${system.demo.simulator_url}/sandbox/transfers/${id}/reverse`, '{}');
const inquire = async (reference: string) => {
  const body = { account_id: account, reference_number: reference };
  return dataOf(await merchant.send('POST', '/api/v2.0/disbursement/inquiry-status', body));
};
const outcomeOf = ({ body }: Hook) => [body.event, body.response_code, isRecord(body.data) && statusOf(body.data)];

test('money that came back is on the account again, and the merchant is notified', async () => {
  const before = await merchant.balance(account);
  const paid = await pay();
  expect(before.available - (await merchant.balance(account)).available).toBe(paid.gross);
  expect(paid.gross).toBeGreaterThan(15_000_000n);

  expect((await reverse(paid.id)).json).toEqual({ reversed: true, told: true });
  expect(statusOf(await inquire(paid.reference))).toBe('04');
  expect(await merchant.balance(account)).toEqual(before);
  const outcomes = await eventually('the webhook of the return', () => {
    const hooks = sink.about(paid.reference);
    return hooks.length > 1 ? hooks.map(outcomeOf) : undefined;
  });
  expect(outcomes).toEqual([
    ['disbursement', 'SP000', '00'],
    ['disbursement', 'SP001', '04'],
  ]);
  expect(await system.verifyLedger()).toEqual([]);

  const refunded = await inquire(paid.reference);
  expect((await reverse(paid.id)).json).toEqual({ reversed: true, told: true });
  expect(await inquire(paid.reference)).toEqual(refunded);
  expect(await merchant.balance(account)).toEqual(before);
  // The webhook of a later transfer: one for the repeated report would be here by then.
  await pay();
  expect(sink.about(paid.reference)).toHaveLength(2);
  expect(await system.verifyLedger()).toEqual([]);
});
