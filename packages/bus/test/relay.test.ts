import { createClock } from '@gerbang/core';
import { EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import { type Implementation, openChannel, startRpcServer } from '@gerbang/rpc';
import { type Aggregates, connectStore, openAggregates, type Store } from '@gerbang/store';
import { eventually, startTestMongo, startTestNats, type TestMongo, type TestNats, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bus, consume, createRelay, openBus, type Received, type Relay } from '../src/index.ts';

type State = { n: number };

const log = testLog();
const clock = createClock();
let mongo: TestMongo;
let nats: TestNats;
let store: Store;
let bus: Bus;
let relay: Relay;
let things: Aggregates<State, string>;
let eventServices: Implementation[];

beforeAll(async () => {
  [mongo, nats] = await Promise.all([startTestMongo(), startTestNats()]);
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}relay`, appName: 'test' });
  bus = openBus({ access: { servers: nats.url }, name: 'test', log });
  relay = createRelay({ bus, store, service: 'shop', clock, log });
  things = await openAggregates<State, string>(store, 'things', { schema: 1, afterWrite: relay.afterWrite });
  eventServices = relay.serve(['things']);
});

afterAll(async () => {
  await relay?.close();
  await bus?.close();
  await store?.close();
  await Promise.all([nats?.stop(), mongo?.stop()]);
});

const event = (type: string) => ({ type, schema: 1, payload: new Uint8Array([7]), atMs: clock.now() });

/** Sequence numbers received, by aggregate. */
function collect() {
  const seen = new Map<string, bigint[]>();
  const handle = async (messages: Received[]) => {
    for (const message of messages) {
      if (!('batch' in message)) throw new Error('unreadable');
      const { aggregateId, events } = message.batch;
      seen.set(aggregateId, [...(seen.get(aggregateId) ?? []), ...events.map(({ seq }) => seq)]);
    }
  };
  return { seen, handle };
}

test('a written event reaches the consumer; a confirmed one leaves the tail for the timeline', async () => {
  const { seen, handle } = collect();
  const consumer = consume({ bus, service: 'shop', durable: 'one', batchMax: 50, log, handle });
  const first = await things.insert('a', 'm1', { n: 1 }, [event('made')]);
  if (first === undefined) throw new Error('a is taken');
  await things.change(first, { set: { n: 2 }, events: [event('changed')] });
  await eventually('both events', () => seen.get('a')?.includes(2n));

  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log,
    implementations: eventServices,
    ready: () => true,
  });
  const channel = openChannel({ address: `127.0.0.1:${server.port}`, tls: undefined });
  const source = channel.client(EventSourceService);
  const confirmation = { aggregateType: 'things', aggregateId: 'a', upToSeq: 2n };
  for (let repeat = 0; repeat < 2; repeat++) await source.confirm({ confirmations: [confirmation] });
  expect((await things.find('a'))?.tail).toEqual([]);
  expect((await things.find('a'))?.version).toBe(2n);
  const timeline = await store
    .collection<{ _id: string; event: string }>('events')
    .find({}, { sort: { _id: 1 } })
    .toArray();
  expect(timeline.map(({ _id, event: type }) => [_id, type])).toEqual([
    ['things:a:1', 'made'],
    ['things:a:2', 'changed'],
  ]);
  await expect(source.confirm({ confirmations: [{ ...confirmation, aggregateType: 'other' }] })).rejects.toMatchObject({
    refusal: { refused: 'validation' },
  });
  await channel.close();
  await server.close();
  await consumer.close();
});

test('NATS killed and its store lost in the middle: everything arrives all the same', async () => {
  const { seen, handle } = collect();
  const consumer = consume({ bus, service: 'shop', durable: 'two', batchMax: 50, log, handle });
  const ids = Array.from({ length: 100 }, (_, i) => `b${i}`);
  const writing = (async () => {
    for (const id of ids) await things.insert(id, 'm1', { n: 1 }, [event('made')]);
  })();
  await eventually('some have arrived', () => seen.size > 10);
  await nats.restart({ loseStore: true });
  await writing;
  await eventually('all have arrived', () => ids.every((id) => seen.has(id)), 30_000);
  await consumer.close();
}, 60_000);

test('a handler that fails gets its messages again', async () => {
  const { seen, handle } = collect();
  let failed = false;
  const consumer = consume({
    bus,
    service: 'shop',
    durable: 'three',
    batchMax: 50,
    log,
    handle: async (messages) => {
      if (!failed) {
        failed = true;
        throw new Error('not now');
      }
      await handle(messages);
    },
  });
  await things.insert('c', 'm1', { n: 1 }, [event('made')]);
  await eventually('it came again', () => seen.has('c'));
  expect(failed).toBe(true);
  await consumer.close();
});
