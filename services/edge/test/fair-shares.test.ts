import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { EntrySchema, EntryType } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Edge, orderOf, startEdge, transferOf } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';
import { newTimestamp, type RailsEdge, startRailsEdge } from './rails-harness.ts';

const PAYMENT = '/v1.0/transfer-va/payment';
const TRANSFER = '/api/v2.0/disbursement/transfer';
const TOKEN = '/api/v1.0/access-token/b2b';

/** Opens a connection that sends `text` and then nothing. `allowHalfOpen`: it never closes its own side. */
async function open(
  url: string,
  text: string,
  options: { localAddress?: string; allowHalfOpen?: boolean } = {},
): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), ...options });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** Also where the connection ends with an error. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));

const openMany = (count: number, url: string, text: string) => Promise.all(Array.from({ length: count }, () => open(url, text)));

const metricsOf = async (edge: Edge) => (await fetch(`http://127.0.0.1:${edge.service.adminPort}/metrics`)).text();

const refusals = async (edge: Edge, listener: string, reason: string) => {
  const line = `gerbang_limit_refusals_total\\{listener="${listener}",reason="${reason}"[^}]*\\} (\\d+)`;
  return Number(new RegExp(line).exec(await metricsOf(edge))?.[1] ?? 0);
};

const payment = {
  partnerServiceId: '   70014',
  customerNo: '12345678901',
  virtualAccountNo: '   7001412345678901',
  paymentRequestId: 'bca-1',
  paidAmount: { value: '150000.00', currency: 'IDR' },
  trxDateTime: '2026-11-21T15:04:05+07:00',
};

describe('rails', () => {
  let rails: RailsEdge;
  beforeAll(async () => {
    const calls = { RAIL_CALLS_MAX: '8', RAIL_CALLS_PARTNER_MAX: '2' };
    rails = await startRailsEdge({ environment: { ...calls, UNFINISHED_BODIES_CALLER_MIB: '1' } });
  });
  afterAll(() => rails.close());

  /** As far as a stranger gets who knows a partner's id and not its key. */
  const half = () =>
    [
      `POST ${PAYMENT} HTTP/1.1`,
      'Host: rails',
      'Content-Type: application/json',
      'Content-Length: 1000',
      'X-PARTNER-ID: bank',
      'X-EXTERNAL-ID: 1',
      'CHANNEL-ID: 95221',
      `X-TIMESTAMP: ${newTimestamp()}`,
      'X-SIGNATURE: AAAA',
      '',
      '{"half":',
    ].join('\r\n');

  test('260 half requests of a stranger do not keep a bank out', async () => {
    const strangers = await openMany(260, rails.edge.service.railsUrl, half());
    try {
      expect((await rails.call(PAYMENT, payment)).json.responseCode).toBe('2002500');
      expect((await rails.token('chain')).http).toBe(200);
    } finally {
      for (const stranger of strangers) stranger.destroy();
    }
  });

  test('half bodies of an address are bounded in bytes', async () => {
    const text = `${half().replace('Content-Length: 1000', 'Content-Length: 65000')}${'x'.repeat(60_000)}`;
    const strangers = await openMany(40, rails.edge.service.railsUrl, text);
    await eventually('most are refused', async () => (await refusals(rails.edge, 'rails', 'unfinished bodies')) >= 20);
    expect((await rails.call(PAYMENT, payment)).json.responseCode).toBe('2002500');
    for (const stranger of strangers) stranger.destroy();
  });

  test('a partner whose calls hang has its share of the permits; another one goes on', async () => {
    const blocked = Promise.withResolvers<void>();
    rails.moneyIn.notifyPayment = async ({ partnerId }) => {
      if (partnerId === 'bank') await blocked.promise;
      return { decision: RailDecision.ACCEPTED };
    };
    rails.asked.length = 0;
    const hanging = [rails.call(PAYMENT, payment), rails.call(PAYMENT, payment)];
    await eventually('both are under way', () => rails.asked.length === 2);
    expect((await rails.call(PAYMENT, payment)).json.responseCode).toBe('4292500');
    const token = String((await rails.token('chain')).json.accessToken);
    const chain = { ...payment, additionalInfo: { channel: 'ALFAMART' } };
    const other = await rails.call(PAYMENT, chain, { partner: 'chain', secret: rails.secret, token });
    expect([429, 503]).not.toContain(other.http);
    blocked.resolve();
    for (const reply of await Promise.all(hanging)) expect(reply.http).toBe(200);
    expect((await rails.call(PAYMENT, payment)).http).toBe(200);
    expect(await refusals(rails.edge, 'rails', 'calls of a partner')).toBe(1);
  });
});

describe('slow senders', () => {
  const timeouts = { HEADERS_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '900' };
  /** What Node's checks may be late, and the machine. */
  const lateMs = 1_000 + 5_000;
  let rails: RailsEdge;
  beforeAll(async () => {
    rails = await startRailsEdge({ environment: timeouts });
  });
  afterAll(() => rails.close());

  test.each(['url', 'billerUrl', 'railsUrl'] as const)('are closed in their time, though they drip: %s', async (name) => {
    const url = rails.edge.service[name];
    const closedAfter = async (start: string, drop: string) => {
      const beganMs = performance.now();
      const socket = await open(url, start, { allowHalfOpen: true });
      const dripping = setInterval(() => socket.write(drop), 100);
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      // An error of writing says that the server has not only ended its side: the connection is gone.
      await closed(socket);
      clearInterval(dripping);
      return { ms: performance.now() - beganMs, answer };
    };
    const [head, body] = await Promise.all([
      closedAfter('POST / HTTP/1.1\r\nHost: x\r\n', 'a: b\r\n'),
      closedAfter('POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n', '{'),
    ]);
    expect(head.answer).toMatch(/^HTTP\/1.1 408 /);
    expect(head.ms).toBeLessThan(300 + lateMs);
    expect(body.ms).toBeGreaterThan(300);
    expect(body.ms).toBeLessThan(900 + lateMs);
  });
});

describe('connections', () => {
  test('are capped by address; who has fewer is let in', async () => {
    const edge = await startEdge({ CONNECTIONS_ADDRESS_MAX: '20' });
    try {
      const opened = await openMany(30, edge.url, '');
      let closedCount = 0;
      for (const socket of opened) closed(socket).then(() => closedCount++);
      await eventually('10 are closed', () => closedCount === 10);
      const refused = await open(edge.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await closed(refused);
      expect(refused.bytesRead).toBe(0);
      const other = await open(edge.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', { localAddress: '127.0.0.2' });
      expect(String(await once(other, 'data'))).toMatch(/^HTTP\/1.1 404 /);
      expect(await refusals(edge, 'http', 'connections of an address')).toBe(11);
      for (const socket of [...opened, other]) socket.destroy();
      await eventually('places are free again', async () => {
        const again = await open(edge.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        await Promise.race([once(again, 'data'), closed(again)]);
        again.destroy();
        return again.bytesRead > 0;
      });
    } finally {
      await edge.close();
    }
  });

  test('of a trusted proxy are not', async () => {
    const edge = await startEdge({ CONNECTIONS_ADDRESS_MAX: '2', TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const opened = await openMany(5, edge.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      for (const socket of opened) {
        await eventually('an answer', () => socket.bytesRead > 0);
        socket.destroy();
      }
    } finally {
      await edge.close();
    }
  });
});

describe('CSV streams', () => {
  const entry = create(EntrySchema, {
    id: '0123456789abcdef0123456789abcdef',
    accountId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    type: EntryType.DEBIT,
    product: 'disbursement',
    description: 'x'.repeat(10_000),
  });
  const entries = Array.from({ length: 50 }, () => entry);
  const statementOf = ({ accountIds }: FakeMerchant) => `/api/v1.0/account-statements/${accountIds[0]}`;
  const unread = (edge: Edge, merchant: FakeMerchant) => {
    const headers = Object.entries(edge.signedIn(merchant)).map(([name, value]) => `${name}: ${value}`);
    const head = [`GET ${statementOf(merchant)} HTTP/1.1`, 'Host: edge', 'Accept: text/csv', ...headers, '', ''];
    return open(edge.url, head.join('\r\n')).then((socket) => socket.pause());
  };

  test('540 of one merchant that are not read leave statements and CSVs to the others', { timeout: 60_000 }, async () => {
    // Each fills what the machine buffers of a connection, which is megabytes.
    const edge = await startEdge({ CSV_STREAMS_MERCHANT_MAX: '2' });
    try {
      edge.fakes.statement.listEntries = async () => ({ entries, nextCursor: 'more' });
      const [greedy, other] = [edge.merchant(), edge.merchant()];
      const streams = await Promise.all(Array.from({ length: 540 }, () => unread(edge, greedy)));
      await eventually(
        'most are refused',
        async () => (await refusals(edge, 'http', 'CSV streams of a merchant')) >= 530,
        20_000,
      );
      edge.fakes.statement.listEntries = async () => ({ entries: [entry], nextCursor: '' });
      expect((await edge.send('GET', statementOf(other), { headers: edge.signedIn(other) })).http).toBe(200);
      const csv = { ...edge.signedIn(other), accept: 'text/csv' };
      const reply = await fetch(edge.url + statementOf(other), { headers: csv });
      expect([reply.status, (await reply.text()).split('\r\n').length]).toEqual([200, 3]);
      // The greedy one is told so, and its own lists as JSON go on.
      expect((await edge.send('GET', statementOf(greedy), { headers: edge.signedIn(greedy) })).http).toBe(200);
      const refused = await fetch(edge.url + statementOf(greedy), { headers: { ...edge.signedIn(greedy), accept: 'text/csv' } });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
      await refused.body?.cancel();
      for (const socket of streams) socket.destroy();
      await eventually('its permits are back', async () => {
        const again = await fetch(edge.url + statementOf(greedy), { headers: { ...edge.signedIn(greedy), accept: 'text/csv' } });
        await again.text();
        return again.status === 200;
      });
    } finally {
      await edge.close();
    }
  });

  test('a reader that does not read is cut off', async () => {
    const edge = await startEdge({ CSV_READ_TIMEOUT_MS: '500', CSV_STREAMS_MERCHANT_MAX: '1' });
    try {
      // Of debits there is no end.
      edge.fakes.statement.listEntries = async ({ type }) =>
        type === EntryType.CREDIT ? { entries: [entry] } : { entries, nextCursor: 'more' };
      const merchant = edge.merchant();
      const stream = await unread(edge, merchant);
      const ask = async () => {
        const headers = { ...edge.signedIn(merchant), accept: 'text/csv' };
        const reply = await fetch(`${edge.url}${statementOf(merchant)}?type=credit`, { headers });
        await reply.text();
        return reply.status;
      };
      await eventually('the permit is taken', async () => (await ask()) === 429);
      await eventually('the permit is back', async () => (await ask()) === 200);
      await closed(stream);
    } finally {
      await edge.close();
    }
  });

  test('a refused first page gives its permit back', async () => {
    const edge = await startEdge({ CSV_STREAMS_MERCHANT_MAX: '1' });
    try {
      const merchant = edge.merchant();
      edge.fakes.statement.listEntries = () => Promise.reject(new Error('broken'));
      const csv = { headers: { ...edge.signedIn(merchant), accept: 'text/csv' } };
      for (let asked = 0; asked < 3; asked++) expect((await edge.send('GET', statementOf(merchant), csv)).http).toBe(500);
    } finally {
      await edge.close();
    }
  });
});

describe('bodies that are not complete', () => {
  test('are bounded in bytes by merchant; another merchant goes on', { timeout: 20_000 }, async () => {
    const edge = await startEdge({ UNFINISHED_BODIES_MIB: '8', UNFINISHED_BODIES_CALLER_MIB: '1' });
    try {
      edge.fakes.disbursement.transfer = async () => ({ transfer: transferOf() });
      const [greedy, other] = [edge.merchant(), edge.merchant()];
      const headers = Object.entries(edge.signedIn(greedy)).map(([name, value]) => `${name}: ${value}`);
      const head = [`POST ${TRANSFER} HTTP/1.1`, 'Host: edge', 'Content-Type: application/json', 'Content-Length: 260000'];
      const text = `${[...head, ...headers].join('\r\n')}\r\n\r\n${'x'.repeat(250_000)}`;
      const opened = await openMany(12, edge.url, text);
      await eventually('most are refused', async () => (await refusals(edge, 'http', 'unfinished bodies')) >= 8);
      const large = { ...orderOf(other), note: 'x'.repeat(200_000) };
      expect((await edge.sendSigned(other, 'POST', TRANSFER, large)).http).toBe(200);
      // What comes at once is never counted.
      expect((await edge.sendSigned(greedy, 'POST', TRANSFER, orderOf(greedy))).http).toBe(200);
      for (const socket of opened) socket.destroy();
      await eventually('its bytes are free again', async () => {
        const reply = await edge.sendSigned(greedy, 'POST', TRANSFER, { ...orderOf(greedy), note: 'x'.repeat(200_000) });
        return reply.http === 200;
      });
    } finally {
      await edge.close();
    }
  });

  test('strangers from many networks, at the rails and at public routes, leave merchants their room', async () => {
    const bounds = { UNFINISHED_BODIES_MIB: '1', UNFINISHED_BODIES_UNKNOWN_MIB: '1', UNFINISHED_BODIES_CALLER_MIB: '1' };
    const rails = await startRailsEdge({ environment: { ...bounds, TRUSTED_PROXIES: '127.0.0.1' } });
    const { edge } = rails;
    const opened: Socket[] = [];
    try {
      const half = (path: string, network: number) => {
        const head = [`POST ${path} HTTP/1.1`, 'Host: edge', 'Content-Type: application/json', 'Content-Length: 65000'];
        const rail = ['X-PARTNER-ID: bank', 'X-EXTERNAL-ID: 1', 'CHANNEL-ID: 95221', `X-TIMESTAMP: ${newTimestamp()}`];
        const from = [`X-Forwarded-For: 2001:db8:0:${network.toString(16)}::1`, 'X-SIGNATURE: AAAA'];
        return `${[...head, ...rail, ...from].join('\r\n')}\r\n\r\n${'x'.repeat(60_000)}`;
      };
      const networks = Array.from({ length: 40 }, (_, network) => network);
      const { railsUrl } = edge.service;
      opened.push(
        ...(await Promise.all(networks.map((network) => open(railsUrl, half(PAYMENT, network))))),
        ...(await Promise.all(networks.map((network) => open(edge.url, half('/docs/signature/explain', network))))),
      );
      await eventually('the rails are full', async () => (await refusals(edge, 'rails', 'unfinished bodies')) > 0);
      await eventually('so are the public routes', async () => (await refusals(edge, 'http', 'unfinished bodies')) > 0);
      const merchant = edge.merchant({ merchantWhitelist: ['0.0.0.0/0', '::/0'] });
      const large = { ...orderOf(merchant), note: 'x'.repeat(200_000) };
      // Not 503: money-out of this harness serves no disbursements.
      expect((await edge.sendSigned(merchant, 'POST', TRANSFER, large)).http).toBe(500);
    } finally {
      for (const socket of opened) socket.destroy();
      await rails.close();
    }
  });

  test('pieces of one byte count with what they take', async () => {
    const edge = await startEdge({ UNFINISHED_BODIES_MIB: '8', UNFINISHED_BODIES_CALLER_MIB: '1' });
    try {
      const merchant = edge.merchant();
      const headers = Object.entries(edge.signedIn(merchant)).map(([name, value]) => `${name}: ${value}`);
      const head = [`POST ${TRANSFER} HTTP/1.1`, 'Host: edge', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
      const socket = await open(edge.url, `${[...head, ...headers].join('\r\n')}\r\n\r\n${'1\r\nx\r\n'.repeat(5_000)}`);
      expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 503 /);
      socket.destroy();
    } finally {
      await edge.close();
    }
  });
});

describe('token endpoints', () => {
  const basic = ({ clientId, clientSecret, partnerId }: FakeMerchant, from: string) => ({
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'x-partner-id': partnerId,
      'x-forwarded-for': from,
    },
    body: { grant_type: 'client_credentials' },
  });
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ TOKEN_FAILURES_PER_MINUTE: '20', TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterAll(() => edge.close());
  const anywhere = { merchantWhitelist: ['0.0.0.0/0', '::/0'] };
  const ask = async (merchant: FakeMerchant, from: string) => (await edge.send('POST', TOKEN, basic(merchant, from))).http;

  test('an address that guesses at many clients has to wait; who has proved itself from there does not', async () => {
    const [known, fresh] = [edge.merchant(anywhere), edge.merchant(anywhere)];
    expect(await ask(known, '203.0.113.7')).toBe(200);
    for (let guess = 0; guess < 20; guess++) expect(await ask({ ...known, clientId: `guess-${guess}` }, '203.0.113.7')).toBe(401);
    expect(await ask({ ...known, clientId: 'guess-20' }, '203.0.113.7')).toBe(429);
    expect(await ask(fresh, '203.0.113.7')).toBe(429);
    expect(await ask(known, '203.0.113.7')).toBe(200);
    expect(await ask(fresh, '203.0.113.8')).toBe(200);
    expect(await refusals(edge, 'http', 'refused tokens of an address')).toBe(2);
  });

  test('a /64 of IPv6 is one address', async () => {
    const merchant = edge.merchant(anywhere);
    for (let guess = 0; guess < 20; guess++)
      expect(await ask({ ...merchant, clientId: `guess-${guess}` }, `2001:db8:1:2::${guess}`)).toBe(401);
    expect(await ask(merchant, '2001:db8:1:2:ffff::1')).toBe(429);
    expect(await ask(merchant, '2001:db8:1:3::1')).toBe(200);
  });

  test('of rails: the same', async () => {
    const rails = await startRailsEdge({ environment: { TOKEN_FAILURES_PER_MINUTE: '5' } });
    try {
      for (let guess = 0; guess < 5; guess++) expect((await rails.token(`guess-${guess}`)).json.responseCode).toBe('4017300');
      expect((await rails.token('chain')).json.responseCode).toBe('4297300');
    } finally {
      await rails.close();
    }
  });
});

test('rates hold over replicas that know how many they are', async () => {
  const replicas = await Promise.all([1, 2].map(() => startEdge({ REPLICAS: '2', RATE_LIMIT_PER_MINUTE: '10' })));
  try {
    const allowed = await Promise.all(
      replicas.map(async (edge) => {
        const headers = edge.signedIn(edge.merchant());
        let count = 0;
        while ((await edge.send('GET', '/api/v1.0/callback-settings', { headers })).http !== 429) count++;
        return count;
      }),
    );
    expect(allowed).toEqual([5, 5]);
  } finally {
    await Promise.all(replicas.map((edge) => edge.close()));
  }
});
