import { createServer } from 'node:http';
import { URL_LENGTH_MAX } from '@gerbang/core';
import { expect, onTestFinished, test } from 'vitest';
import { openRestCardRail } from '../../src/card/rest.ts';

const REFERENCE = '99A';

/** What the rail makes of a challenge that the acquirer tells of. */
async function inquire(challenge: object) {
  const body = { reference: REFERENCE, amount: { value: '1000.00', currency: 'IDR' }, status: 'challenge', ...challenge };
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : expect.fail('no port');
  const rail = openRestCardRail({ url: `http://127.0.0.1:${port}`, clientKey: 'k', clientSecret: 's' });
  onTestFinished(async () => {
    await rail.close();
    await new Promise((closed) => server.close(closed));
  });
  return rail.inquire({ reference: REFERENCE }, { signal: AbortSignal.timeout(5_000) });
}

const addressOf = (length: number) => 'https://acs.example/?creq='.padEnd(length, 'a');

test('a challenge at an address as long as pages lead to is the customer’s', async () => {
  const url = addressOf(URL_LENGTH_MAX);
  expect(await inquire({ challenge_url: url })).toEqual({ outcome: 'challenge', url });
  const form = { url, fields: [{ name: 'creq', value: 'a' }] };
  expect(await inquire({ challenge_form: form })).toEqual({ outcome: 'challenge', ...form });
});

test('one at a longer address says so, and is no challenge that no page could show', async () => {
  const url = addressOf(URL_LENGTH_MAX + 1);
  const expected = { outcome: 'unknown', reason: `the challenge's address has more than ${URL_LENGTH_MAX} characters` };
  expect(await inquire({ challenge_url: url })).toEqual(expected);
  expect(await inquire({ challenge_form: { url, fields: [] } })).toEqual(expected);
});
