import { type AdjustableClock, createClock } from '@gerbang/core';
import { type EventBatch, EventSourceService, TimelineService } from '@gerbang/proto/gerbang/events/v1/events';
import { implement, openChannel, startRpcServer } from '@gerbang/rpc';
import { type Closeable, ClosingStack, type Logger } from '@gerbang/runtime';
import { type Aggregates, connectStore, openAggregates, type Store } from '@gerbang/store';
import { startTestMongo, startTestNats, type TestNats, testLog } from '@gerbang/testkit';
import { type Bus, consume, createRelay, createTimeline, openBus, type Received, type Relay } from '../src/index.ts';

export type Thing = { n: number };

/** The collections of its aggregates. */
export const THINGS = ['things', 'others'];

/** What a consumer has received, message by message. */
export type Receipt = { aggregateId: string; seqs: bigint[] };

/** A service with events, its database, NATS, and a notifier that only remembers and confirms. */
export async function openShop(options: { log?: Logger; stalledAfterMs?: number; ackWaitMs?: number } = {}) {
  const log = options.log ?? testLog();
  const closing = new ClosingStack(log);
  const [mongo, nats] = await Promise.all([startTestMongo(), startTestNats()]);
  closing.push('mongo', () => mongo.stop());
  closing.push('nats', () => nats.stop());
  const store: Store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}shop`, appName: 'test' });
  closing.push('store', () => store.close());
  const clock: AdjustableClock = createClock();
  const bus: Bus = openBus({ access: { servers: nats.url }, name: 'test', log });
  closing.push('bus', () => bus.close());
  /** A relay of one replica. */
  const openRelay = (): Relay => {
    const relay = createRelay({ ...options, bus, store, service: 'shop', clock, log });
    closing.push('relay', () => relay.close());
    return relay;
  };
  const relay = openRelay();
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log,
    implementations: [...relay.serve(THINGS), implement(TimelineService, { listEvents: createTimeline(store, THINGS) }, ['cli'])],
    ready: () => true,
  });
  closing.push('rpc', () => server.close());
  const channel = openChannel({ address: `127.0.0.1:${server.port}`, tls: undefined });
  closing.push('channel', () => channel.close());
  const source = channel.client(EventSourceService);

  const things: Aggregates<Thing, string> = await openAggregates<Thing, string>(store, 'things', {
    schema: 1,
    afterWrite: relay.afterWrite,
  });
  /** As another replica writes them that publishes nothing after its writes: the sweep alone finds them. */
  const silent: Aggregates<Thing, string> = await openAggregates<Thing, string>(store, 'things', { schema: 1 });
  const others: Aggregates<Thing, string> = await openAggregates<Thing, string>(store, 'others', { schema: 1 });

  /** Under the notifier's name, over a bus of its own where one is given. */
  const startConsumer = (handle: (batches: EventBatch[]) => Promise<void>, over: Bus = bus): Closeable => {
    const consumer = consume({
      bus: over,
      service: 'shop',
      durable: 'notifier',
      batchMax: 50,
      ackWaitMs: options.ackWaitMs,
      log,
      handle: (messages: Received[]) => handle(messages.flatMap((message) => ('batch' in message ? [message.batch] : []))),
    });
    closing.push('consumer', () => consumer.close());
    return consumer;
  };

  return {
    mongoUri: mongo.uri,
    nats: nats satisfies TestNats,
    store,
    bus,
    clock,
    channel,
    source,
    relay,
    openRelay,
    things,
    silent,
    others,
    /** How many things have a tail that is not confirmed. */
    unconfirmed: () => store.collection('things').countDocuments({ 'tail.at': { $type: 'date' }, 'tail.0': { $exists: true } }),
    event: (type: string, bytes = 1) => ({ type, schema: 1, payload: new Uint8Array(bytes), atMs: clock.now() }),
    startConsumer,
    /** Receives as the notifier does; `confirms` says which aggregates are confirmed. */
    startNotifier(confirms: (aggregateId: string) => boolean = () => true) {
      const receipts: Receipt[] = [];
      const consumer = startConsumer(async (batches) => {
        for (const { aggregateId, events } of batches) receipts.push({ aggregateId, seqs: events.map(({ seq }) => seq) });
        const confirmations = batches
          .filter(({ aggregateId }) => confirms(aggregateId))
          .map(({ aggregateType, aggregateId, events }) => ({ aggregateType, aggregateId, upToSeq: events.at(-1)?.seq ?? 0n }));
        await source.confirm({ confirmations });
      });
      return {
        receipts,
        received: (id: string) => receipts.some(({ aggregateId }) => aggregateId === id),
        close: consumer.close,
      };
    },
    close: () => closing.close(),
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;
