import { createServer } from 'node:http';
import { createClock, newUlid } from '@gerbang/core';
import { newOperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import { CardOperatorService } from '@gerbang/proto/gerbang/cards/v1/operators';
import { OperatorGateService, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { ReconciliationService } from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import { implement, openChannel, startRpcServer } from '@gerbang/rpc';
import { eventually, freePort, startTestMongo, testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';

const DAY = '2026-11-21';
const clock = createClock(() => Date.parse('2026-11-22T09:00:00+07:00'));
const STRANGER = `99${newUlid(clock.now())}`;
const closing: (() => Promise<unknown>)[] = [];
const key = await newOperatorKey('ani');
const asked: string[] = [];
let port: number;

beforeAll(async () => {
  const mongo = await startTestMongo();
  closing.push(() => mongo.stop());
  const gate = createOperatorGate([{ id: 'ani', role: Role.SUPPORT, publicKey: publicKeyOf(key) }]);
  const neighbours = await startRpcServer({
    ...{ host: '127.0.0.1', port: 0, tls: undefined, log: testLog(), ready: () => true },
    implementations: [implement(OperatorGateService, gate.handlers, [])],
  });
  closing.push(() => neighbours.close());
  const address = `127.0.0.1:${neighbours.port}`;
  const acquirer = await startAcquirer();
  const environment = {
    GERBANG_ENV: 'sandbox',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    MONGODB_URI: mongo.uri,
    MONGODB_DB_PREFIX: mongo.databasePrefix,
    NATS_URL: `nats://127.0.0.1:${await freePort()}`,
    RPC_PORT: '0',
    ADMIN_PORT: '0',
    MERCHANT_RPC: address,
    LEDGER_RPC: address,
    MONEY_IN_RPC: address,
    PAY_URL: 'http://pay',
    GERBANG_KEKS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    RAIL_CARD_URL: `${acquirer}/card`,
    RAIL_CARD_HISTORY_URL: `${acquirer}/books`,
    RAIL_CARD_CLIENT_KEY: 'k',
    RAIL_CARD_CLIENT_SECRET: 's',
  };
  const service = await startService(readConfig(environment), { clock });
  closing.push(() => service.close());
  port = service.port;
}, 30_000);

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** An acquirer whose books have a capture that we know nothing of. */
async function startAcquirer(): Promise<string> {
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { searchParams } = new URL(request.url ?? '', 'http://acquirer');
    const at = `${DAY}T10:00:00.000+07:00`;
    const isIn = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? '') <= Date.parse(at));
    const item = { id: 't1', type: 'capture', reference: STRANGER, amount: { value: '5.00', currency: 'IDR' }, at };
    const items = isIn[0] === true && isIn[1] === false ? [item] : [];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ items, next_cursor: null }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => new Promise((closed) => server.close(closed)));
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : expect.fail('no port');
}

test('operators reconcile the card rail, and see what waits', async () => {
  const channel = openChannel({ address: `127.0.0.1:${port}`, tls: undefined });
  closing.push(() => channel.close());
  const authorize = operatorAuthorizer(key, 'cards');
  const reconciliation = channel.client(ReconciliationService, { authorize });
  expect((await reconciliation.listRails({})).rails).toEqual(['card', 'card-refund']);
  for (const rail of ['card', 'card-refund']) {
    await reconciliation.runReconciliation({ rail, day: DAY });
    await eventually(`${rail} is compared`, async () => {
      const { items } = await reconciliation.listReconciliations({ rail, day: DAY, limit: 1 });
      return items[0]?.status === 'done' ? items[0] : undefined;
    });
  }
  const { items } = await reconciliation.listDifferences({ state: 'open', limit: 10 });
  expect(items.map(({ rail, kind, row }) => [rail, kind, row?.remark])).toEqual([['card', 'missing-here', STRANGER]]);
  expect(asked.every((path) => path.startsWith('/books/v1/history?'))).toBe(true);
  const cards = channel.client(CardOperatorService, { authorize });
  expect((await cards.listAttention({ limit: 10 })).items).toEqual([]);
});
