import { createServer } from 'node:http';
import { newOperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import { TimelineService } from '@gerbang/proto/gerbang/events/v1/events';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { OperatorGateService, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type Handlers, implement, openChannel as openRpcChannel, type RpcServer, startRpcServer } from '@gerbang/rpc';
import { freePort, startTestMongo, startTestNats, type TestMongo, type TestNats, testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRelay } from '../src/events.ts';
import { assembleService, type Foundation, listenHttp, openClock } from '../src/index.ts';
import { openHintConnection, openMerchants } from '../src/merchants.ts';
import { openOperatorGate } from '../src/operators.ts';
import { openChannel, openLedger, serveRpc } from '../src/rpc.ts';
import { openStore, openTimer } from '../src/store.ts';

let mongo: TestMongo;
let nats: TestNats;
let merchant: RpcServer;
beforeAll(async () => {
  [mongo, nats, merchant] = await Promise.all([startTestMongo(), startTestNats(), startGate()]);
});
afterAll(async () => {
  await Promise.all([mongo.stop(), nats.stop(), merchant.close()]);
});

/** An operator who may only read. */
const vera = await newOperatorKey('vera');

/** The merchant service as others ask it about operators. */
function startGate(): Promise<RpcServer> {
  const gate = createOperatorGate([{ id: vera.id, role: Role.VIEWER, publicKey: publicKeyOf(vera) }]);
  const implementations = [implement(OperatorGateService, gate.handlers, [])];
  return startRpcServer({ host: '127.0.0.1', port: 0, tls: undefined, log: testLog(), implementations, ready: () => true });
}

const log = testLog();

function configOf(over: { RPC_PORT?: number; ADMIN_PORT?: number } = {}) {
  return {
    GERBANG_ENV: 'sandbox' as const,
    LOG_LEVEL: 'silent',
    ADMIN_HOST: '127.0.0.1',
    DRAIN_DELAY_MS: 0,
    ADMIN_PORT: 0,
    RPC_HOST: '127.0.0.1',
    RPC_PORT: 0,
    tls: undefined,
    MONGODB_URI: mongo.uri,
    MONGODB_DB_PREFIX: mongo.databasePrefix,
    NATS_URL: nats.url,
    STREAM_REPLICAS: 1,
    LEDGER_RPC: ['127.0.0.1:9'],
    MERCHANT_RPC: `127.0.0.1:${merchant.port}`,
    ...over,
  };
}

const handlers: Handlers<typeof LedgerService> = {
  post: async () => ({ availableAfterSen: 7n }),
  getBalance: async () => ({}),
  verify: async () => ({}),
};

/** A service with every part that the foundation knows. */
function startWhole(config: ReturnType<typeof configOf>, closed: string[] = []) {
  return assembleService({ name: 'money-test', config, log }, async (foundation) => {
    foundation.closing.push('first', () => void closed.push('first'));
    const clock = await openClock(foundation);
    const store = await openStore(foundation);
    const { bus, relay } = openRelay(foundation, store, clock);
    openLedger(foundation);
    openMerchants(foundation, bus);
    await openTimer(foundation, 'timer', {
      collection: store.collection<{ due_at?: Date }>('things'),
      clock,
      leaseMs: 1_000,
      handle: async () => {},
    });
    const served = await serveRpc(foundation, {
      implementations: [implement(LedgerService, handlers, []), ...relay.serve(['things'], openOperatorGate(foundation))],
      store,
    });
    foundation.closing.push('last', () => void closed.push('last'));
    return { ...served, database: store.db.databaseName };
  });
}

/** Calls the service as another one does; the caller is closed afterwards. */
async function ask(port: number) {
  const caller = await assembleService({ name: 'caller', config: configOf(), log }, async (foundation) => ({
    ledger: openChannel(foundation, 'ledger', `127.0.0.1:${port}`).client(LedgerService),
  }));
  try {
    return await caller.ledger.post({}, { timeoutMs: 1_000, retry: false });
  } finally {
    await caller.close();
  }
}

async function probe(port: number): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
}

test('a service is assembled from its parts, answers, and closes them in reverse order', async () => {
  const closed: string[] = [];
  const service = await startWhole(configOf(), closed);
  expect(service.database).toBe(`${mongo.databasePrefix}money_test`);
  expect(await probe(service.adminPort)).toBe(200);
  expect(await ask(service.port)).toMatchObject({ availableAfterSen: 7n });
  await service.close();
  expect(closed).toEqual(['last', 'first']);
  await expect(probe(service.adminPort)).rejects.toThrow();
  await expect(ask(service.port)).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
});

test('the timeline of its aggregates is read by operators only', async () => {
  const service = await startWhole(configOf());
  const channel = openRpcChannel({ address: `127.0.0.1:${service.port}`, tls: undefined });
  try {
    const request = { aggregateType: 'things', aggregateId: 'a' };
    const refusal = { refusal: { refused: 'unauthorized' } };
    await expect(channel.client(TimelineService).listEvents(request)).rejects.toMatchObject(refusal);
    const signed = channel.client(TimelineService, { authorize: operatorAuthorizer(vera, 'money-test') });
    expect(await signed.listEvents(request)).toMatchObject({ events: [], more: false });
  } finally {
    await channel.close();
    await service.close();
  }
});

test('a start that fails closes what was opened, and tells why', async () => {
  const taken = createServer();
  const adminPort = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const config = configOf({ RPC_PORT: await freePort(), ADMIN_PORT: adminPort });
  const closed: string[] = [];
  await expect(startWhole(config, closed)).rejects.toThrow('EADDRINUSE');
  expect(closed).toEqual(['first']);
  await new Promise((resolve) => taken.close(resolve));
  // The port of the first start is free again: the same configuration starts now.
  const service = await startWhole(config);
  expect(await ask(service.port)).toMatchObject({ availableAfterSen: 7n });
  await service.close();
});

test('a part that cannot be closed keeps no other from closing', async () => {
  const closed: string[] = [];
  const service = await assembleService({ name: 'stuck', config: configOf(), log, closeStepMs: 20 }, async ({ closing }) => {
    closing.push('first', () => void closed.push('first'));
    closing.push('hangs', () => new Promise(() => {}));
    closing.push('fails', () => Promise.reject(new Error('on purpose')));
    return {};
  });
  await service.close();
  expect(closed).toEqual(['first']);
});

test('a clock given by a test goes before the sandbox’s', async () => {
  const given = { now: () => 42, onAdvance: () => () => {} };
  const config = { ...configOf(), SANDBOX_CLOCK_URL: 'http://127.0.0.1:9/sandbox/clock' };
  const service = await assembleService({ name: 'clock', config, log }, async (foundation) => {
    return { clock: await openClock(foundation, given) };
  });
  expect(service.clock.now()).toBe(42);
  await service.close();
});

test('an HTTP app listens, tells its URL, and is closed with the service', async () => {
  const server = createServer((_, response) => response.end('hello'));
  const app = {
    server,
    listen: ({ host, port }: { host: string; port: number }) =>
      new Promise<string>((resolve) => server.listen(port, host, () => resolve(''))),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  const open = async (foundation: Foundation) => ({
    url: await listenHttp(foundation, 'http', app, { host: '127.0.0.1', port: 0 }),
  });
  const service = await assembleService({ name: 'pages', config: configOf(), log }, open);
  expect(await (await fetch(service.url, { headers: { connection: 'close' } })).text()).toBe('hello');
  await service.close();
  await expect(fetch(service.url)).rejects.toThrow();
});

test('a connection for hints alone is made in the background and closed with the service', async () => {
  const service = await assembleService({ name: 'hints', config: configOf(), log }, async (foundation) => ({
    nats: openHintConnection(foundation),
  }));
  const connection = await service.nats.reached();
  await service.close();
  expect(connection.isClosed()).toBe(true);
});
