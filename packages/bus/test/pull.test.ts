import { eventually, startTestNats, type TestNats, testLog } from '@gerbang/testkit';
import type { Msg } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bus, type Connected, openBus } from '../src/bus.ts';
import { ack, deliveryCountOf, nak, type Pull, pull } from '../src/pull.ts';
import { ACK_WAIT_MS, ensureConsumer, ensureStream } from '../src/stream.ts';

const STREAM = 'gerbang-shop';

let nats: TestNats;
let bus: Bus;
let connected: Connected;
let pulls: Pull[];

beforeEach(async () => {
  pulls = [];
  nats = await startTestNats();
  bus = openBus({ access: { servers: nats.url }, name: 'test', log: testLog() });
  connected = await bus.connected();
  await ensureStream(connected.manager, 'shop', 1);
});
afterEach(async () => {
  for (const one of pulls) one.cut();
  await bus.close();
  await nats.stop();
});

const prepare = (durable: string) =>
  ensureConsumer(connected.manager, { service: 'shop', durable, unacknowledgedMax: 1_000, ackWaitMs: ACK_WAIT_MS });

async function publish(count: number): Promise<void> {
  const { connection } = connected;
  for (let i = 0; i < count; i++) connection.publish('gerbang.shop.things', new Uint8Array([i]));
  await connection.flush();
}

function start(durable: string, accept: (message: Msg) => void, silenceMs?: number): Pull {
  const { connection } = connected;
  const started = pull(connection, {
    stream: STREAM,
    durable,
    inboxPrefix: '_INBOX.test',
    batch: 10,
    accept,
    ...(silenceMs !== undefined && { silenceMs }),
  });
  pulls.push(started);
  return started;
}

test('messages come in their order, over any number of requests', async () => {
  await prepare('one');
  await publish(35);
  const got: number[] = [];
  const { over, end } = start('one', (message) => {
    got.push(message.data[0] ?? -1);
    ack(message);
  });
  await eventually('what was there', () => got.length === 35);
  await publish(3);
  await eventually('what has come since', () => got.length === 38);
  end();
  await over;
  expect(got).toEqual([...Array.from({ length: 35 }, (_, i) => i), 0, 1, 2]);
});

test('what comes after the end belongs to a request that was made before, and nothing comes once it is over', async () => {
  await prepare('one');
  await publish(35);
  let got = 0;
  const { over, end } = start('one', () => {
    got++;
    if (got === 1) end();
  });
  await over;
  expect(got).toBe(10);
  const { num_ack_pending: withUs, num_waiting: requests } = await connected.manager.consumers.info(STREAM, 'one');
  expect([withUs, requests]).toEqual([10, 0]);
});

test('a message that is given back comes again, at once or after its time', async () => {
  await prepare('one');
  await publish(1);
  const counts: number[] = [];
  start('one', (message) => {
    counts.push(deliveryCountOf(message));
    if (counts.length === 1) nak(message);
    else if (counts.length === 2) nak(message, 50);
    else ack(message);
  });
  await eventually('three times', () => counts.length === 3, 5_000);
  expect(counts).toEqual([1, 2, 3]);
});

test('a request that got lost is made again', async () => {
  await publish(1);
  let got = 0;
  // Nobody hears it: there is no such consumer yet.
  start('later', () => got++, 100);
  await prepare('later');
  await eventually('the message', () => got === 1);
});

test('it is over with an error when its consumer is deleted', async () => {
  await prepare('one');
  await publish(1);
  let got = 0;
  const { over } = start('one', () => got++);
  const refused = expect(over).rejects.toThrow('409 Consumer Deleted');
  await eventually('it has begun', () => got === 1);
  await connected.manager.consumers.delete(STREAM, 'one');
  await refused;
});

test('it is over when its connection is closed', async () => {
  await prepare('one');
  const { over } = start('one', () => {});
  await bus.close();
  await over;
});

test.each([
  { since: 'NATS 2.2', reply: '$JS.ACK.gerbang-shop.notifier.3.120.131.1763769600000000000.7' },
  { since: 'NATS 2.10, with domains', reply: '$JS.ACK._.Xk3fP0.gerbang-shop.notifier.3.120.131.1763769600000000000.7.a1' },
])('the reply subject of $since tells how often a message was handed out', ({ reply }) => {
  expect(deliveryCountOf({ reply })).toBe(3);
});
