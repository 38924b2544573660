import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@gerbang/runtime';
import { createAuthority, eventually, startTestNats, type TestNats, testLog } from '@gerbang/testkit';
import type { NatsConnection } from '@nats-io/transport-node';
import { Binary } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessFromConfig, type Bus, consume, openBus } from '../src/index.ts';
import { watchLag } from '../src/lag.ts';
import { createPublisher, type Publisher } from '../src/publisher.ts';

const FILE = path.resolve(import.meta.dirname, '../../../deploy/nats/users.conf');
const text = readFileSync(FILE, 'utf8');
const USERS = [...text.matchAll(/user: "([a-z-]+)"/g)].map((match) => match[1] ?? '');
const PUBLISHERS = USERS.filter((user) => text.includes(`STREAM.UPDATE.gerbang-${user}"`));
const HEARERS = ['money-out', 'money-in', 'direct-debit', 'biller', 'cards', 'edge'];

const log = testLog();
const certificate = createAuthority();
// The client verifies names only, no addresses.
const serverTls = certificate('nats', { hosts: 'DNS:localhost' });
let nats: TestNats;
const opened: Bus[] = [];

const tlsUrl = (url: string) => url.replace('nats://127.0.0.1', 'tls://localhost');
const passwordOf = (user: string) => `secret-of-${user}`;

beforeAll(async () => {
  const config = path.join(mkdtempSync(path.join(tmpdir(), 'gerbang-nats-conf-')), 'nats.conf');
  const { ca, cert, key } = serverTls;
  writeFileSync(config, `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}" }\n${text}`);
  const variable = (user: string) => `NATS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;
  const env = Object.fromEntries(USERS.map((user) => [variable(user), passwordOf(user)]));
  nats = await startTestNats({ config, env });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});
afterAll(() => nats.stop());

function settings(user: string, password = passwordOf(user)) {
  const NATS_URL = tlsUrl(nats.url);
  return { NATS_URL, NATS_USER: user, NATS_PASSWORD: password, NATS_TLS_CA: serverTls.ca };
}

/** A bus as the service of this name opens it. */
function busOf(user: string): Bus {
  const bus = openBus({ access: accessFromConfig(settings(user)), name: user, log });
  opened.push(bus);
  return bus;
}

function publisherOf(user: string, service = user): Publisher {
  return createPublisher({ bus: busOf(user), service });
}

const event = { seq: 1n, event: 'made', at: new Date(0), schema: 1, payload: new Binary(new Uint8Array([7])), traceparent: '' };
const aggregate = (id: string) => ({ _id: id, merchant_id: 'm', tail: [event] });

/** Publishes without JetStream, and says whether the server has refused it. */
async function isRefused(connection: NatsConnection, subject: string): Promise<boolean> {
  const before = violations.length;
  connection.publish(subject, new Uint8Array([1]));
  await connection.flush();
  await sleep(20);
  return violations.length > before;
}

/** Refusals that the server has told the connections that are followed. */
const violations: string[] = [];
async function follow(connection: NatsConnection): Promise<void> {
  for await (const status of connection.status()) if (status.type === 'error') violations.push(String(status.error));
}

test('every service that publishes or listens has a user', () => {
  expect(USERS.toSorted()).toEqual([...HEARERS, 'merchant', 'notifier'].toSorted());
  expect(PUBLISHERS).toEqual(USERS.filter((user) => user !== 'edge' && user !== 'notifier'));
});

describe('its own user is enough', () => {
  test('the notifier consumes every stream, and makes one that is missing', async () => {
    const { manager } = await busOf('notifier').connected();
    const got = new Set<string>();
    const consumers = PUBLISHERS.map((service) =>
      consume({
        bus: busOf('notifier'),
        service,
        durable: 'notifier',
        batchMax: 10,
        log,
        handle: async (messages) => {
          for (const message of messages) if ('batch' in message) got.add(message.batch.service);
        },
      }),
    );
    await eventually('consumers', async () => (await manager.consumers.info('gerbang-biller', 'notifier')).name === 'notifier');
    for (const service of PUBLISHERS) await publisherOf(service).publish('things', aggregate('b'));
    await eventually('events of all', () => got.size === PUBLISHERS.length);
    await Promise.all(consumers.map((consumer) => consumer.close()));
    for (const service of PUBLISHERS) {
      const { num_ack_pending } = await manager.consumers.info(`gerbang-${service}`, 'notifier');
      expect(num_ack_pending, service).toBe(0);
    }
  });

  test.each(PUBLISHERS)('%s makes its stream, publishes, and asks how far the notifier is', async (service) => {
    const publisher = publisherOf(service);
    await publisher.publish('things', aggregate('a'));
    const lag = watchLag({ bus: busOf(service), service, log });
    expect(await lag.ask()).toBeGreaterThan(0);
    lag.close();
    publisher.close();
  });

  test.each(HEARERS)('%s hears hints of changed merchants', async (service) => {
    const connection = await busOf(service).reached();
    let heard = 0;
    connection.subscribe('gerbang.merchant.>', { callback: (error) => void (error === null && heard++) });
    await connection.flush();
    await publisherOf('merchant').publish('merchants', aggregate('m'));
    await eventually('the hint', () => heard === 1);
  });
});

describe('what belongs to others is refused', () => {
  test.each(USERS)('%s publishes and changes nothing of another service', async (user) => {
    const connection = await busOf(user).reached();
    follow(connection).catch(() => {});
    for (const other of PUBLISHERS.filter((service) => service !== user)) {
      const subjects = [`gerbang.${other}.things`, `$JS.API.STREAM.UPDATE.gerbang-${other}`];
      const ofConsumers = [`$JS.API.STREAM.DELETE.gerbang-${other}`, `$JS.API.STREAM.PURGE.gerbang-${other}`];
      const toNotifier = [`$JS.API.CONSUMER.DELETE.gerbang-${other}.notifier`, `$JS.ACK.gerbang-${other}.notifier.1.1.1.1.0`];
      for (const subject of [...subjects, ...ofConsumers, ...(user === 'notifier' ? [] : toNotifier)])
        expect(await isRefused(connection, subject), `${user} ${subject}`).toBe(true);
    }
    expect(await isRefused(connection, `$JS.API.STREAM.DELETE.gerbang-${user}`)).toBe(true);
  });

  test.each(USERS)('%s reads no events and no answers of another service', async (user) => {
    const connection = await busOf(user).reached();
    const refused: string[] = [];
    const hears = HEARERS.includes(user) ? ['merchant'] : [];
    const others = PUBLISHERS.filter((service) => !hears.includes(service)).map((service) => `gerbang.${service}.>`);
    const inboxes = USERS.filter((other) => other !== user).map((other) => `_INBOX.${other}.>`);
    const subjects = [...others, ...inboxes, '_INBOX.>', 'gerbang.>', '$JS.>', '>'];
    for (const subject of subjects)
      connection.subscribe(subject, { callback: (error) => void (error !== null && refused.push(subject)) });
    await connection.flush();
    await eventually('all of them', () => refused.length === subjects.length);
  });

  test('a relay in the name of another publishes nothing', async () => {
    await expect(publisherOf('money-in', 'money-out').publish('transfers', aggregate('x'))).rejects.toThrow();
  });
});

describe('a connection', () => {
  test.each([
    ['with a wrong password', () => settings('money-in', 'guessed')],
    ['without a user', () => ({ NATS_URL: tlsUrl(nats.url), NATS_TLS_CA: serverTls.ca })],
  ])('%s is refused, which operators see', async (_what, config) => {
    const lines: string[] = [];
    const told = createLogger({ service: 'test', level: 'info' }, { write: (line) => lines.push(line) });
    opened.push(openBus({ access: accessFromConfig(config()), name: 'money-in', log: told }));
    await eventually('the line', () => lines.some((line) => line.includes('NATS refuses the user of this service')));
    expect(lines.join()).not.toContain('guessed');
  });

  test('to a server of another authority is not made', async () => {
    const access = accessFromConfig({ ...settings('money-in'), NATS_TLS_CA: createAuthority()('nats').ca });
    const bus = openBus({ access, name: 'money-in', log });
    opened.push(bus);
    await sleep(1_000);
    expect(bus.isConnected()).toBe(false);
  });

  test('by tls:// is not made to a server without TLS', async () => {
    const plain = await startTestNats();
    const bus = openBus({
      access: accessFromConfig({ NATS_URL: tlsUrl(plain.url) }),
      name: 'money-in',
      log,
    });
    await sleep(1_000);
    expect(bus.isConnected()).toBe(false);
    await bus.close();
    await plain.stop();
  });
});

describe('contradictory variables stop the start', () => {
  test.each([
    [{ NATS_USER: 'a' }, 'NATS_USER and NATS_PASSWORD go together'],
    [{ NATS_USER: 'a', NATS_PASSWORD: 'b', NATS_CREDS: FILE }, 'exclude each other'],
    [{ NATS_TLS_CERT: FILE }, 'NATS_TLS_CERT and NATS_TLS_KEY go together'],
    [{ NATS_TLS_CA: '/nowhere/ca.pem' }, 'NATS_TLS_CA is not valid: the file cannot be read'],
  ])('%j', (over, message) => {
    expect(() => accessFromConfig({ NATS_URL: 'tls://127.0.0.1:4222', ...over })).toThrow(message);
  });
});
