import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { signRequest } from '@gerbang/core';
import { eventually, freePort, startTestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, environment, startBench } from './harness.ts';

const MAIN = path.join(import.meta.dirname, '../src/main.ts');

const SECRET = 'client-secret-nobody-else-has';
const BODY = '{"b":"é","a":1.0}';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});

afterAll(() => bench?.stop());

/** A message as it was received, signed now with whatever is given in place of what is right. */
function message(signed: { path?: string; method?: string } = {}) {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const accessToken = 'a.b.c';
  const { path: signedPath = '/hook?x=1', method = 'POST' } = signed;
  const signature = signRequest({ method, path: signedPath, accessToken, body: JSON.parse(BODY), timestamp }, SECRET);
  return {
    method: 'POST',
    url: 'https://shop.example/hook?x=1',
    headers: { authorization: `Bearer ${accessToken}`, 'x-timestamp': timestamp, 'x-signature': signature },
    body: BODY,
    client_secret: SECRET,
  };
}

const explain = (body: unknown) => bench.control('POST', 'signature/explain', body);

test('a good signature, with what it was made of', async () => {
  const { headers, ...sent } = message();
  const { status, json } = await explain({ ...sent, headers });
  expect(status).toBe(200);
  expect(json).toEqual({
    kind: 'request or webhook',
    valid: true,
    canonical_json: '{"a":1,"b":"é"}',
    body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    string_to_sign: `POST:/hook?x=1:a.b.c:${json.body_sha256}:${headers['x-timestamp']}`,
    expected_signature: headers['x-signature'],
    received_signature: headers['x-signature'],
    differences: [],
    notes: [],
  });
});

test('a wrong one names the component', async () => {
  const { json } = await explain(message({ path: '/hook' }));
  expect(json).toMatchObject({ valid: false, differences: [{ component: 'path', cause: 'path_without_query' }] });
});

test('the secret is in no answer and in no log, whatever comes of it', async () => {
  const mongo = await startTestMongo();
  const port = await freePort();
  const env = { PATH: process.env.PATH, ...environment(mongo.uri, mongo.databasePrefix, port), LOG_LEVEL: 'trace' };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk));
  await eventually('it listens', () => written.includes('"ready"'), 20_000);
  for (const body of [message(), message({ path: '/hook' }), { ...message(), url: 1 }, { ...message(), body: '{' }]) {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    written += await (await fetch(`http://127.0.0.1:${port}/sandbox/signature/explain`, init)).text();
  }
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
  await mongo.stop();
  expect(written).toContain('path_without_query');
  expect(written).not.toContain(SECRET);
});

test('the string that was signed tells more', async () => {
  const sent = message({ path: '/quite/other' });
  const { json } = await explain(sent);
  expect(json).toMatchObject({ differences: [{ component: 'undetermined' }] });
  const own = String(json.string_to_sign).replace('/hook?x=1', '/quite/other');
  const { json: told } = await explain({ ...sent, string_to_sign: own });
  expect(told).toMatchObject({ differences: [{ component: 'path', cause: 'path_differs' }] });
});

describe('bad input names its field', () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, '']));
  test.each<[field: string, over: Record<string, unknown>]>([
    ['method', { method: '' }],
    ['method', { method: undefined }],
    ['url', { url: 5 }],
    ['url', { url: `/${'x'.repeat(8_192)}` }],
    ['headers', { headers: undefined }],
    ['headers', { headers: many }],
    ['headers.x-a', { headers: { 'x-a': 1 } }],
    ['headers.x-a', { headers: { 'x-a': 'x'.repeat(8_193) } }],
    ['body', { body: { a: 1 } }],
    ['client_secret', { client_secret: '' }],
    ['client_secret', { client_secret: undefined }],
    ['string_to_sign', { string_to_sign: 1 }],
    ['body', { secret: SECRET }],
  ])('%s %#', async (field, over) => {
    const { status, json } = await explain({ ...message(), ...over });
    expect(status).toBe(422);
    expect(Object.keys(json.errors ?? {})).toEqual([field]);
    expect(JSON.stringify(json)).not.toContain(SECRET);
  });

  test('no JSON; more than 256 KiB', async () => {
    expect((await explain(undefined)).status).toBe(400);
    expect((await explain({ ...message(), body: 'x'.repeat(256 * 1024) })).status).toBe(413);
  });
});
