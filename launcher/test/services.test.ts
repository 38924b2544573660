import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Route } from '../cluster/balancer.ts';
import { readPorts } from '../ports.ts';
import { processTable } from '../processes.ts';
import { ensureSecrets } from '../secrets.ts';
import { EVENT_OWNERS, SERVICES } from '../services.ts';

const dataFolder = mkdtempSync(path.join(tmpdir(), 'gerbang-services-'));
afterAll(() => rmSync(dataFolder, { recursive: true }));

/** The processes of a start with these variables of ports. */
function tableWith(env: Record<string, string>, replicas = 1) {
  return processTable({
    root: '/gerbang',
    dataFolder,
    ports: readPorts(env),
    secrets: ensureSecrets(dataFolder),
    mongodbUri: 'mongodb://127.0.0.1:27027',
    natsUrl: undefined,
    replicas,
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

test('with replicas there are several of each service, at addresses of their own, behind names and a balancer', () => {
  const table = tableWith({ GERBANG_PORT_OFFSET: '20000' }, 2);
  const several = SERVICES.flatMap(({ name }) => (name === 'simulator' ? [name] : [`${name}-1`, `${name}-2`]));
  expect(table.map(({ name }) => name)).toEqual(['nats-1', 'nats-2', 'nats-3', ...several, 'balancer']);
  const named = (name: string) => table.find((process) => process.name === name);
  expect(named('edge-2')).toMatchObject({
    env: {
      EDGE_HOST: '127.0.0.3',
      EDGE_PORT: '28080',
      RAILS_HOST: '127.0.0.3',
      ADMIN_HOST: '127.0.0.3',
      MONEY_OUT_RPC: 'money-out.gerbang.internal:29103',
      LEDGER_RPC: '127.0.0.2:29102,127.0.0.3:29102',
      NATS_URL: 'nats://127.0.0.2:24223,nats://127.0.0.3:24223,nats://127.0.0.4:24223',
      STREAM_REPLICAS: '3',
      REPLICAS: '2',
    },
    ready: { http: 'http://127.0.0.3:29200/readyz' },
  });
  expect(named('edge-1')?.args.join(' ')).toContain('money-out.gerbang.internal=127.0.0.2&money-out.gerbang.internal=127.0.0.3');
  expect(named('nats-2')?.args.join(' ')).toContain(
    '-a 127.0.0.3 -p 24223 -js -sd ' +
      `${path.join(dataFolder, 'nats-2')} --server_name nats-2 --cluster_name gerbang --cluster nats://127.0.0.3:26223 ` +
      '--routes nats://127.0.0.2:26223,nats://127.0.0.3:26223,nats://127.0.0.4:26223',
  );
  const routes: Route[] = JSON.parse(named('balancer')?.args.at(-1) ?? '');
  expect(routes.find(({ port }) => port === 28_080)?.targets).toEqual([
    { host: '127.0.0.2', probe: 'http://127.0.0.2:29200/readyz' },
    { host: '127.0.0.3', probe: 'http://127.0.0.3:29200/readyz' },
  ]);
  expect(routes.map(({ port }) => port)).toContain(29_101);
});
