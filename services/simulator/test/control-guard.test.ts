import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, startBench } from './harness.ts';

let bench: Bench;
let port: string;

beforeAll(async () => {
  bench = await startBench();
  ({ port } = new URL(bench.url()));
});

afterAll(() => bench?.stop());

/** A raw request: fetch does not let a program set Host and Origin. */
async function send(method: string, path: string, headers: Record<string, string>, body = ''): Promise<number | undefined> {
  const sent = request({ host: '127.0.0.1', port, method, path, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  await text(response);
  return response.statusCode;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const offset = async () => Number((await bench.control('GET', 'clock')).json.offset_ms);

describe('the clock is advanced', () => {
  const advance = (headers: Record<string, string>) => send('POST', '/sandbox/clock/advance', headers, '{"ms":1}');

  test.each([
    ['without Origin', () => ({})],
    ['by the address that it listens at', () => ({ host: `127.0.0.1:${port}` })],
    ['by localhost', () => ({ host: `localhost:${port}` })],
    [
      'by its own origin',
      () => ({ host: `localhost:${port}`, origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-origin' }),
    ],
    ['with a charset', () => ({ 'content-type': 'application/json; charset=utf-8' })],
  ])('%s', async (_what, headers) => {
    const before = await offset();
    expect(await advance({ ...JSON_TYPE, ...headers() })).toBe(200);
    expect(await offset()).toBe(before + 1);
  });

  test.each([
    ['by a page of another site', { origin: 'https://evil.example' }, 403],
    ['by a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['by a page without an origin', { origin: 'null' }, 403],
    ['by a page whose browser says so', { 'sec-fetch-site': 'cross-site' }, 403],
    ['by a name that was bound anew to the loopback', { host: 'evil.example' }, 403],
    ['by a name that begins like the loopback', { host: '127.0.0.1.evil.example' }, 403],
    ['by a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['by plain text', { 'content-type': 'text/plain' }, 415],
    ['by what only looks like JSON', { 'content-type': 'application/jsonp' }, 415],
  ])('not %s', async (_what, headers, status) => {
    const before = await offset();
    expect(await advance({ ...JSON_TYPE, ...headers })).toBe(status);
    expect(await offset()).toBe(before);
  });
});

test.each([
  ['DELETE', '/sandbox/rails/va'],
  ['GET', '/sandbox/rails/va/books'],
  ['POST', '/sandbox/cardless/123456/withdraw'],
])('%s %s is refused to a foreign page, and needs no body', async (method, path) => {
  expect(await send(method, path, { origin: 'https://evil.example' })).toBe(403);
  expect(await send(method, path, { host: 'evil.example' })).toBe(403);
  expect(await send(method, path, {})).not.toBe(403);
});
