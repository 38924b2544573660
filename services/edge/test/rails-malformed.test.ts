import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RailsEdge, startRailsEdge } from './rails-harness.ts';

let rails: RailsEdge;
beforeAll(async () => {
  rails = await startRailsEdge();
});
afterAll(() => rails?.close());

const INQUIRY = '/v1.0/transfer-va/inquiry';

test.each([
  ['noise', 'hello\r\n\r\n', 400, '4000000'],
  ['a head that is too large', `POST ${INQUIRY} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431, '4310000'],
  ['no Host', `POST ${INQUIRY} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, '4002400'],
  ['two Hosts', `POST ${INQUIRY} HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n`, 400, '4002400'],
  ['two Hosts of an unknown path', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n', 400, '4000000'],
  ['a path that cannot be decoded', 'POST /v1.0/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, '4040000'],
  ['an unknown path', 'POST /v1.0/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, '4040000'],
  ['a wrong method', `GET ${INQUIRY} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 405, '4050000'],
])('%s is answered in SNAP, with a request id', async (_what, bytes, status, responseCode) => {
  const socket = connect(Number(new URL(rails.edge.service.railsUrl).port), '127.0.0.1', () => socket.write(bytes));
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  for (const header of [/^x-request-id: [0-9a-f]{32}$/im, /^content-security-policy: default-src 'none'/im, /^x-timestamp: /im])
    expect(head).toMatch(header);
  expect(JSON.parse(body)).toMatchObject({ responseCode, responseMessage: expect.any(String) });
});
