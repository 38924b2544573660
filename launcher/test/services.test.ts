import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readPorts } from '../ports.ts';
import { processTable } from '../processes.ts';
import { ensureSecrets } from '../secrets.ts';
import { EVENT_OWNERS, SERVICES } from '../services.ts';

const dataFolder = mkdtempSync(path.join(tmpdir(), 'gerbang-services-'));
afterAll(() => rmSync(dataFolder, { recursive: true }));

/** The processes of a start with these variables of ports. */
function tableWith(env: Record<string, string>) {
  return processTable({
    root: '/gerbang',
    dataFolder,
    ports: readPorts(env),
    secrets: ensureSecrets(dataFolder),
    mongodbUri: 'mongodb://127.0.0.1:27027',
    natsUrl: undefined,
    replicas: 1,
    env: {},
  });
}

test('every service of the table is a process with its ports and its probe', () => {
  const table = tableWith({ GERBANG_PORT_OFFSET: '20000', PAY_PORT: '7000' });
  expect(table.map(({ name }) => name)).toEqual(['nats', ...SERVICES.map(({ name }) => name)]);
  const checkout = table.find(({ name }) => name === 'checkout');
  expect(checkout).toMatchObject({
    args: expect.arrayContaining(['/gerbang/services/checkout/src/main.ts']),
    env: { ADMIN_PORT: '29207', PAY_PORT: '7000', MONEY_IN_RPC: '127.0.0.1:29105' },
    ready: { http: 'http://127.0.0.1:29207/readyz' },
  });
  const moneyIn = table.find(({ name }) => name === 'money-in');
  expect(moneyIn?.env).toMatchObject({
    RPC_PORT: '29105',
    PAY_URL: 'http://127.0.0.1:7000',
    RAIL_QRIS_URL: 'http://127.0.0.1:28070',
  });
});

test('the notifier is told every service that publishes events', () => {
  const notifier = tableWith({ GERBANG_PORT_OFFSET: '20000' }).find(({ name }) => name === 'notifier');
  const sources = notifier?.env.EVENT_SOURCES?.split(',') ?? [];
  expect(sources.toSorted()).toEqual([
    'biller=127.0.0.1:29107',
    'cards=127.0.0.1:29108',
    'direct-debit=127.0.0.1:29106',
    'merchant=127.0.0.1:29101',
    'money-in=127.0.0.1:29105',
    'money-out=127.0.0.1:29103',
  ]);
  expect(new Set(sources.map((source) => source.split('=')[0]))).toEqual(new Set(EVENT_OWNERS.values()));
});
