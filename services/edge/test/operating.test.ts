import { Agent, request as httpRequest } from 'node:http';
import { createLogger, currentTraceId } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type Edge, orderOf, startEdge, transferOf } from './edge-harness.ts';

/** An edge whose log lines are kept. */
async function startLoggingEdge(): Promise<{ edge: Edge; lines: Record<string, unknown>[]; text: () => string }> {
  const written: string[] = [];
  const log = createLogger({ service: 'edge', level: 'trace' }, { write: (line) => void written.push(line) });
  const edge = await startEdge({}, { log });
  const lines: Record<string, unknown>[] = [];
  return {
    edge,
    get lines() {
      lines.splice(0, lines.length, ...written.map((line) => JSON.parse(line)));
      return lines;
    },
    text: () => written.join(''),
  };
}

test('one line a request, with its trace, and nothing that the merchant sent', async () => {
  const logging = await startLoggingEdge();
  const { edge } = logging;
  try {
    edge.fakes.disbursement.transfer = async () => ({ transfer: transferOf() });
    edge.fakes.ledger.getBalance = async () => ({});
    const merchant = edge.merchant();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const order = orderOf(merchant);
    order.description = 'for-nobody-else';
    const path = '/api/v2.0/disbursement/transfer?password=hidden';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const reply = await edge.sendSigned(merchant, 'POST', path, order, { headers });
    const ownTraceId = reply.headers.get('x-request-id');
    expect(ownTraceId).not.toBe(traceId);
    const line = await eventually('the line', () => logging.lines.find((entry) => entry.msg === 'request'));
    expect(line).toMatchObject({
      level: 'info',
      method: 'POST',
      route: '/api/v2.0/disbursement/transfer',
      status: 200,
      ms: expect.any(Number),
      merchant_id: merchant.merchantId,
      trace_id: ownTraceId,
      linked_trace_id: traceId,
    });
    await edge.send('GET', '/no/such/4811111111111114', { headers: edge.signedIn(merchant) });
    await edge.send('GET', `/api/v1.0/balance-inquiry/${merchant.accountIds[0]}`, { headers: edge.signedIn(merchant) });
    const lines = await eventually('three lines', () => {
      const found = logging.lines.filter((entry) => entry.msg === 'request');
      return found.length === 3 && found;
    });
    expect(lines.map((entry) => entry.route)).toEqual([
      '/api/v2.0/disbursement/transfer',
      'unknown',
      '/api/v1.0/balance-inquiry/:account_id',
    ]);
    const token = edge.fakes.token(merchant).split('.')[0] ?? '';
    for (const secret of ['hidden', 'for-nobody-else', String(order.reference_number), merchant.clientSecret, token, '4811']) {
      expect(logging.text()).not.toContain(secret);
    }
    const metrics = await (await fetch(`http://127.0.0.1:${edge.service.adminPort}/metrics`)).text();
    expect(metrics).toMatch(
      /gerbang_http_requests_total\{[^}]*route="\/api\/v2.0\/disbursement\/transfer"[^}]*status="200"[^}]*\} 1/,
    );
    expect(metrics).toMatch(/gerbang_http_request_seconds_count\{[^}]*route="unknown"[^}]*\} 1/);
  } finally {
    await edge.close();
  }
});

test.each([
  ['a trusted proxy continues a trace', '127.0.0.1', true],
  ['any other caller only has it linked', '192.0.2.0/24', false],
])('%s', async (_what, proxies, continues) => {
  const edge = await startEdge({ TRUSTED_PROXIES: proxies });
  try {
    let behind = '';
    edge.fakes.ledger.getBalance = async () => {
      behind = currentTraceId();
      return {};
    };
    const merchant = edge.merchant();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { ...edge.signedIn(merchant), traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const replies = [await edge.send('GET', '/api/v1.0/balance-inquiry', { headers }), await edge.send('GET', '/x', { headers })];
    expect(replies.map((reply) => reply.headers.get('x-request-id') === traceId)).toEqual([continues, continues]);
    expect(behind === traceId).toBe(continues);
  } finally {
    await edge.close();
  }
});

test('the trace goes on to the services behind', async () => {
  const edge = await startEdge();
  try {
    let behind = '';
    edge.fakes.ledger.getBalance = async () => {
      behind = currentTraceId();
      return {};
    };
    const reply = await edge.send('GET', '/api/v1.0/balance-inquiry', { headers: edge.signedIn(edge.merchant()) });
    expect([reply.http, reply.headers.get('x-request-id')]).toEqual([200, behind]);
    expect((await edge.send('GET', '/x')).headers.get('x-request-id')).not.toBe(behind);
  } finally {
    await edge.close();
  }
});

test('what breaks inside is logged with its cause', async () => {
  const logging = await startLoggingEdge();
  const { edge } = logging;
  try {
    edge.fakes.ledger.getBalance = async () => {
      throw new Error('disk on fire');
    };
    const reply = await edge.send('GET', '/api/v1.0/balance-inquiry', { headers: edge.signedIn(edge.merchant()) });
    expect(reply.http).toBe(500);
    const line = await eventually('the line', () => logging.lines.find((entry) => entry.msg === 'request'));
    expect(logging.lines.filter((entry) => entry.trace_id === line.trace_id)).toHaveLength(1);
    expect(line).toMatchObject({
      level: 'error',
      status: 500,
      route: '/api/v1.0/balance-inquiry',
      trace_id: reply.headers.get('x-request-id'),
      cause: expect.stringContaining('internal'),
    });
  } finally {
    await edge.close();
  }
});

test('draining finishes what is in flight, closes the connection after it, and takes nothing new', async () => {
  const edge = await startEdge();
  const agent = new Agent({ keepAlive: true });
  const merchant = edge.merchant();
  const get = () =>
    new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      httpRequest(`${edge.url}/api/v1.0/balance-inquiry`, { agent, headers: edge.signedIn(merchant) }, (response) => {
        response.resume().on('end', () => resolve({ status: response.statusCode, connection: response.headers.connection }));
      })
        .on('error', reject)
        .end();
    });
  let answer = () => {};
  const reached = new Promise<void>((resolve) => {
    edge.fakes.ledger.getBalance = () =>
      new Promise((done) => {
        answer = () => done({});
        resolve();
      });
  });
  const inFlight = get();
  await reached;
  const closing = edge.service.close();
  await eventually('closed to new connections', () =>
    fetch(`${edge.url}/x`).then(
      () => false,
      () => true,
    ),
  );
  answer();
  expect(await inFlight).toEqual({ status: 200, connection: 'close' });
  await closing;
  agent.destroy();
  await edge.fakes.close();
});

describe('configuration', () => {
  const required = {
    GERBANG_ENV: 'sandbox',
    NATS_URL: 'nats://a:1',
    MERCHANT_RPC: 'a:1',
    LEDGER_RPC: 'a:1',
    MONEY_IN_RPC: 'a:1',
    MONEY_OUT_RPC: 'a:1',
    DIRECT_DEBIT_RPC: 'a:1',
    CARDS_RPC: 'a:1',
    NOTIFIER_RPC: 'a:1',
    BILLER_RPC: 'a:1',
  };

  test('has the ports and limits of the contract', () => {
    expect(readConfig(required)).toMatchObject({
      EDGE_HOST: '127.0.0.1',
      EDGE_PORT: 8080,
      ADMIN_PORT: 9200,
      RATE_LIMIT_PER_MINUTE: 6_000,
      RATE_LIMIT_TOKEN_PER_MINUTE: 120,
    });
  });

  test.each([
    ['MERCHANT_RPC', undefined, 'MERCHANT_RPC is not set; it is required'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'TRUSTED_PROXIES is not valid: expected addresses and CIDR ranges, separated by commas'],
    ['TRUSTED_PROXIES', 'proxy.local', 'TRUSTED_PROXIES is not valid: expected addresses and CIDR ranges, separated by commas'],
    ['RAIL_PARTNERS', '/nowhere/partners.json', 'RAIL_PARTNERS is not valid: the file can not be read as JSON'],
    ['RATE_LIMIT_PER_MINUTE', '0', /^RATE_LIMIT_PER_MINUTE is not valid: /],
  ])('%s=%s', (name, value, message) => {
    expect(() => readConfig({ ...required, [name]: value })).toThrow(message);
  });
});
