import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { orderSteadily } from '../operate/steady-orders.ts';
import { inquire, notifyAt } from '../support/disbursement.ts';
import { type MerchantClient, signIn } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

let system: System;
let sink: WebhookSink;
let merchant: MerchantClient;

beforeAll(async () => {
  sink = await startWebhookSink();
  system = await startSystem({ name: 'cluster', replicas: 2, env: { RATE_LIMIT_PER_MINUTE: '100000' } });
  merchant = await signIn(system.demo.base_url, system.demo);
  await notifyAt(merchant, sink.url);
}, 120_000);
afterAll(async () => {
  await system?.stop();
  await sink?.close();
});

test('two of each service: one of them is replaced or dies while merchants order, and they notice nothing', async () => {
  const [accountId] = system.demo.account_ids;
  const orders = orderSteadily(merchant, accountId, 10);
  for (const replaced of ['edge-1', 'money-out-2', 'ledger-1']) {
    await system.kill(replaced, 'SIGTERM');
    await system.ready();
  }
  await system.kill('nats-2', 'SIGKILL');
  await system.ready();
  const { taken, failures } = await orders.stop();
  expect(failures).toEqual([]);
  const unfinished = new Set(taken);
  await eventually(
    'all have succeeded, and their webhooks have come',
    async () => {
      const one = unfinished.values().next().value;
      if (one === undefined) return true;
      const { transaction_status } = await inquire(merchant, accountId, one);
      if (transaction_status.code === '00' && sink.about(one).length > 0) unfinished.delete(one);
      return false;
    },
    60_000,
  );
  for (const reference of taken) expect(sink.about(reference), reference).toHaveLength(1);
  expect(await system.verifyLedger()).toEqual([]);
}, 120_000);
