import { create, toBinary } from '@bufbuild/protobuf';
import { type Nats, openNats } from '@gerbang/bus/nats';
import { RefusalError, refuse } from '@gerbang/core';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { CheckVersionsRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { eventually, freePort, startTestNats, type TestNats, testLog } from '@gerbang/testkit';
import { afterEach, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const PATH = '/api/v1.0/balance-inquiry';
const started: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (let one = started.pop(); one !== undefined; one = started.pop()) await one.close();
});

/** An edge that knows two merchants, so that a poll, which asks after both, can be told from a question after a hint. */
async function startKnowing(environment: Record<string, string> = {}) {
  const edge = await startEdge(environment);
  started.push(edge);
  edge.fakes.ledger.getBalance = async () => ({});
  const merchants = [edge.merchant(), edge.merchant()] as const;
  for (const merchant of merchants) expect(await statusOf(edge, merchant)).toBe(200);
  return { edge, merchants };
}

async function statusOf(edge: Edge, merchant: FakeMerchant): Promise<number> {
  return (await edge.send('GET', PATH, { headers: edge.signedIn(merchant) })).http;
}

/**
 * From now on polls go unanswered, and what is cached can be read again only when a hint has led to a change: what the edge knows
 * of it, it has from there.
 */
function answerHintsAlone({ fakes }: Edge): void {
  const silent = async () => {
    throw new RefusalError(refuse('timeout'));
  };
  fakes.merchant = {
    getAccess: silent,
    async checkVersions({ merchants }) {
      const [only] = merchants;
      if (only === undefined || merchants.length > 1) return silent();
      const known = fakes.merchants.find(({ merchantId }) => merchantId === only.id);
      if (known?.version === only.version) return {};
      delete fakes.merchant.getAccess;
      return { changedMerchantIds: [only.id] };
    },
  };
}

function revoke(merchant: FakeMerchant): void {
  merchant.active = false;
  merchant.version++;
}

async function publisher(server: TestNats): Promise<(bytes: Uint8Array) => void> {
  const nats: Nats = openNats({ access: { servers: server.url }, name: 'test', log: testLog() });
  started.push(nats);
  const connection = await nats.reached();
  return (bytes) => connection.publish('gerbang.merchant.merchants', bytes);
}

const hintOf = (merchantId: string) =>
  toBinary(
    EventBatchSchema,
    create(EventBatchSchema, { service: 'merchant', aggregateType: 'merchants', aggregateId: merchantId }),
  );

async function natsOn(port: number): Promise<TestNats> {
  const server = await startTestNats({ port });
  started.push({ close: () => server.stop() });
  return server;
}

test('NATS starts after the edge, and again: a hint of a revoked credential puts it out without any poll', async () => {
  const port = await freePort();
  const { edge, merchants } = await startKnowing({ NATS_URL: `nats://127.0.0.1:${port}` });
  const [first, second] = merchants;
  const server = await natsOn(port);
  const publish = await publisher(server);
  answerHintsAlone(edge);
  const isOut = (merchant: FakeMerchant) => async () => {
    // Nobody tells when the edge has subscribed; a hint too many does no harm.
    publish(hintOf(merchant.merchantId));
    return (await statusOf(edge, merchant)) === 401;
  };
  revoke(first);
  await eventually('the first is out', isOut(first));

  edge.fakes.merchant = {};
  await server.restart({ loseStore: true });
  for (const merchant of [second, edge.merchant()]) expect(await statusOf(edge, merchant)).toBe(200);
  answerHintsAlone(edge);
  revoke(second);
  await eventually('the second is out', isOut(second));
}, 30_000);

test('without NATS, and so without hints, the poll puts it out', async () => {
  const { edge, merchants } = await startKnowing();
  const [merchant, other] = merchants;
  revoke(merchant);
  await eventually('out', async () => (await statusOf(edge, merchant)) === 401);
  expect(await statusOf(edge, other)).toBe(200);
});

test('hints of nothing, of strangers and by the thousand make it ask now and then, and change nothing', async () => {
  const port = await freePort();
  const server = await natsOn(port);
  const { edge, merchants } = await startKnowing({ NATS_URL: server.url });
  const [merchant, revoked] = merchants;
  const publish = await publisher(server);
  const reads = () => edge.fakes.calls.filter(({ method }) => method === 'getAccess').length;
  const asked = () =>
    edge.fakes.calls.flatMap(({ method, request }) => {
      const { merchants } = request as Partial<CheckVersionsRequest>;
      const [only, ...more] = (method === 'checkVersions' && merchants) || [];
      return only === undefined || more.length > 0 ? [] : [only.id];
    });
  await eventually('it listens', () => {
    publish(hintOf(merchant.merchantId));
    return asked().length > 0;
  });
  const before = { reads: reads(), asked: asked().length };
  const flood = 2_000;
  for (let i = 0; i < flood; i++) {
    publish(hintOf(merchant.merchantId));
    publish(hintOf(`nobody-${i}`));
    publish(Uint8Array.of(0xff, i % 256));
  }
  revoke(revoked);
  await eventually('what is true among them counts', async () => {
    publish(hintOf(revoked.merchantId));
    return (await statusOf(edge, revoked)) === 401;
  });
  expect(await statusOf(edge, merchant)).toBe(200);
  expect(reads() - before.reads).toBe(1);
  expect(asked().length - before.asked).toBeLessThan(flood / 10);
  expect(asked().filter((id) => id.startsWith('nobody'))).toEqual([]);
}, 30_000);
