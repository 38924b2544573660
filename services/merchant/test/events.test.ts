import { fromBinary } from '@bufbuild/protobuf';
import { consume, openBus, type Received } from '@gerbang/bus';
import { listenForMerchantHints } from '@gerbang/neighbours';
import { type Event, EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import { AccountChangedSchema, AccountStatus, MerchantChangedSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { openChannel } from '@gerbang/rpc';
import { eventually, freePort, testLog } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { newMerchant, useMerchantService } from './harness.ts';

const system = useMerchantService();
const operator = 'budi';
const log = testLog();

test('every change is announced, in order, without secrets; what is confirmed goes to the timeline', async () => {
  const database = system.newDatabase();
  const { operators, service } = await system.start({ database });
  const { merchantId, clientId, accountIds } = await operators.createMerchant(newMerchant);
  const [accountId = ''] = accountIds;
  await operators.rotateSecret({ operator, merchantId, clientId });
  await operators.setFrozen({ operator, merchantId, accountId, frozen: true });

  const events = new Map<string, Map<bigint, Event>>();
  const handle = async (messages: Received[]) => {
    for (const message of messages) {
      if (!('batch' in message)) throw new Error('unreadable');
      const { aggregateType, aggregateId, merchantId: owner, events: tail } = message.batch;
      if (owner !== merchantId) continue;
      const key = `${aggregateType}:${aggregateId}`;
      const known = events.get(key) ?? new Map();
      for (const event of tail) known.set(event.seq, event);
      events.set(key, known);
    }
  };
  const bus = openBus({ access: { servers: system.natsUrl() }, name: 'test', log });
  const consumer = consume({ bus, service: 'merchant', durable: 'test', batchMax: 50, log, handle });
  await eventually('all events', () => {
    const sizes = [`merchants:${merchantId}`, `accounts:${accountId}`].map((key) => events.get(key)?.size);
    return sizes.join() === '2,2';
  });
  await consumer.close();
  await bus.close();

  const [created, rotated] = [...(events.get(`merchants:${merchantId}`)?.values() ?? [])];
  expect([created?.type, rotated?.type]).toEqual(['merchant.created', 'merchant.updated']);
  const change = fromBinary(MerchantChangedSchema, rotated?.payload ?? new Uint8Array());
  expect(change).toMatchObject({ merchantId, change: 'secret-rotated', clientId });
  const [opened, frozen] = [...(events.get(`accounts:${accountId}`)?.values() ?? [])];
  expect([opened?.type, frozen?.type]).toEqual(['account.created', 'account.updated']);
  const account = fromBinary(AccountChangedSchema, frozen?.payload ?? new Uint8Array()).account;
  expect(account).toMatchObject({ accountId, merchantId, status: AccountStatus.FROZEN, version: 2n });

  const channel = openChannel({ address: `127.0.0.1:${service.port}`, tls: undefined });
  const confirmations = [{ aggregateType: 'merchants', aggregateId: merchantId, upToSeq: 2n }];
  await channel.client(EventSourceService).confirm({ confirmations });
  await channel.close();
  const store = await system.openDatabase(database);
  const merchant = await store.collection<{ _id: string }>('merchants').findOne({ _id: merchantId });
  expect(merchant).toMatchObject({ tail: [], version: 2n });
  const timeline = await store
    .collection<{ _id: string; event: string }>('events')
    .find({ _id: { $gt: `merchants:${merchantId}:`, $lt: `merchants:${merchantId};` } }, { sort: { _id: 1 } })
    .toArray();
  expect(timeline.map(({ event }) => event)).toEqual(['merchant.created', 'merchant.updated']);
});

test('without NATS the service starts, answers and changes; probes and metrics tell', async () => {
  const port = await freePort();
  const { merchants, operators, service } = await system.start({ env: { NATS_URL: `nats://127.0.0.1:${port}` } });
  const { merchantId, clientId } = await operators.createMerchant(newMerchant);
  await operators.setFrozen({ operator, merchantId, frozen: true });
  expect((await merchants.getAccess({ by: { case: 'clientId', value: clientId } })).access?.merchantId).toBe(merchantId);
  const probe = (path: string) => fetch(`http://127.0.0.1:${service.adminPort}${path}`);
  expect((await probe('/livez')).status).toBe(200);
  expect((await probe('/readyz')).status).toBe(200);
  const metrics = await (await probe('/metrics')).text();
  expect(metrics).toContain('gerbang_operator_commands_total{command="merchant.freeze",service="merchant"} 1');
});

test('everything is there again after a restart', async () => {
  const database = system.newDatabase();
  const before = await system.start({ database });
  const made = await before.operators.createMerchant(newMerchant);
  await before.merchants.updateCallbackSettings({
    merchantId: made.merchantId,
    settings: { disbursementNotifUrl: 'https://a.example/' },
    update: ['disbursement_notif_url'],
  });
  const { merchants: listed } = await before.operators.listMerchants({});
  await before.close();
  const after = await system.start({ database });
  expect((await after.operators.listMerchants({})).merchants).toEqual(listed);
  const { access } = await after.merchants.getAccess({ by: { case: 'clientId', value: made.clientId } });
  expect(access?.credentials[0]?.clientSecret).toBe(made.clientSecret);
  const { settings } = await after.merchants.getCallbackSettings({ merchantId: made.merchantId });
  expect(settings?.disbursementNotifUrl).toBe('https://a.example/');
});

test('every change is a hint at once to whoever listens, of the merchant or of the account', async () => {
  const { operators } = await system.start({ database: system.newDatabase() });
  const bus = openBus({ access: { servers: system.natsUrl() }, name: 'test', log });
  const hints: string[] = [];
  const listening = listenForMerchantHints({
    nats: bus,
    log,
    onHint: ({ merchantId, accountId }) => hints.push(`${merchantId}/${accountId ?? ''}`),
  });
  const { merchantId, clientId, accountIds } = await operators.createMerchant(newMerchant);
  const [accountId = ''] = accountIds;
  // Neither of the two is announced again by itself: what comes now is the change.
  await eventually('the merchant', () => hints.includes(`${merchantId}/`));
  hints.length = 0;
  await operators.disableCredential({ operator, merchantId, clientId });
  await eventually('the credential', () => hints.includes(`${merchantId}/`));
  await operators.setFrozen({ operator, merchantId, accountId, frozen: true });
  await eventually('the account', () => hints.includes(`${merchantId}/${accountId}`));
  await listening.close();
  await bus.close();
});
