import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { tokenSignature } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { takeCredentials } from '../src/docs/browser/fragment.ts';
import { authenticationOf } from '../src/docs/browser/operations.ts';
import { signatureHeaders, tokenHeaders } from '../src/docs/browser/signing.ts';
import { readBrowserModules } from '../src/docs/browser-modules.ts';

type Vector = {
  name: string;
  about: string;
  client_secret: string;
  method: string;
  path: string;
  access_token: string;
  timestamp: string;
  body: string;
  signature: string;
};

const file = path.resolve(import.meta.dirname, '../../../docs/signature-vectors.json');
const { signatures }: { signatures: Vector[] } = JSON.parse(readFileSync(file, 'utf8'));
const requests = signatures.filter(({ about, timestamp }) => about === 'request' && /^\d+$/.test(timestamp));

describe('browsers sign', () => {
  test('by vectors that there are', () => expect(requests.length).toBeGreaterThan(5));

  test.each(requests)('$name', ({ method, path, body, access_token, client_secret, timestamp, signature }) => {
    const headers = signatureHeaders({ method, path, body }, access_token, client_secret, Number(timestamp) * 1_000 + 999);
    expect(headers).toEqual({ 'X-Timestamp': timestamp, 'X-Signature': signature });
  });

  test('no body, and one that is no JSON, as the empty text', () => {
    const empty = createHash('sha256').update('').digest('hex');
    const expected = createHmac('sha512', 's').update(`GET:/a?b=%20:t:${empty}:5`).digest('hex');
    for (const body of ['', '{'])
      expect(signatureHeaders({ method: 'get', path: '/a?b=%20', body }, 't', 's', 5_000)['X-Signature']).toBe(expected);
  });

  test('for an access token on the day in Jakarta', () => {
    for (const nowMs of [Date.UTC(2026, 10, 21, 16, 59), Date.UTC(2026, 10, 21, 17)]) {
      expect(tokenHeaders({ partnerId: 'p', clientId: 'c', clientSecret: 'sé' }, nowMs)).toEqual({
        'X-PARTNER-ID': 'p',
        'X-CLIENT-ID': 'c',
        'X-Signature': tokenSignature('c', 'sé', nowMs),
      });
    }
  });
});

describe('credentials in the fragment', () => {
  const credentials = { partnerId: 'p', clientId: 'c', clientSecret: 'a+b/c=' };
  const query = new URLSearchParams({ partner_id: 'p', client_id: 'c', client_secret: 'a+b/c=' }).toString();

  test.each([
    [`#${query}`, ''],
    [`#/Tag%20a/operation?${query}`, '#/Tag%20a/operation'],
  ])('%s', (fragment, rest) => expect(takeCredentials(fragment)).toEqual({ credentials, rest }));

  test.each(['', '#', '#/Tag/operation', '#operations-tag'])('are not in %j', (fragment) => {
    expect(takeCredentials(fragment)).toBeUndefined();
  });
});

describe('how a request authenticates itself', () => {
  const api = {
    security: [{ bearer: [], partnerId: [] }],
    paths: {
      '/links/{id}': { get: { security: [{ bearer: [] }] } },
      '/links/methods': { get: {} },
      '/links': { post: { security: [{ bearer: [], signature: [] }], 'x-signed': true } },
      '/open': { get: { security: [] } },
    },
  };

  test.each([
    ['GET', '/links/1', ['bearer'], false],
    ['GET', '/links/methods', ['bearer', 'partnerId'], false],
    ['post', '/links', ['bearer', 'signature'], true],
    ['GET', '/open', [], false],
  ])('%s %s', (method, where, schemes, signed) => {
    expect(authenticationOf(api, method, where)).toEqual({ schemes: new Set(schemes), signed });
  });

  test.each([
    ['DELETE', '/links'],
    ['GET', '/links/1/2'],
    ['GET', '/openXapi'],
  ])('is unknown for %s %s', (method, where) => expect(authenticationOf(api, method, where)).toBeUndefined());
});

test('browsers get modules whose imports they can follow, and none of Node’s', () => {
  const modules = readBrowserModules(['reference.ts', 'workbench.ts']);
  expect([...modules.keys()]).toEqual(expect.arrayContaining(['core/canonical-json.ts', 'core/calendar.ts', 'noble/sha2.js']));
  for (const [name, text] of modules) {
    const imports = [...text.matchAll(/^(?:import|export) [^'";]*from '([^']+)'|^import '([^']+)'/gm)].map(
      (found) => found[1] ?? '',
    );
    for (const imported of imports) {
      expect(imported, name).toMatch(/^\.\.?\//);
      expect(modules.has(path.posix.join(path.posix.dirname(name), imported)), `${name} imports ${imported}`).toBe(true);
    }
  }
});
