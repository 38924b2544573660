import { RefusalError, refuse } from '@gerbang/core';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Edge, orderOf, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

/** What takes seconds by its nature: polls and deadlines. All of it at once, on one edge. */
describe.concurrent('in its time', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge();
  });
  afterAll(() => edge.close());

  const revocations: [string, (merchant: FakeMerchant) => void][] = [
    [
      'disabled',
      (merchant) => {
        merchant.active = false;
      },
    ],
    [
      'rotated',
      (merchant) => {
        merchant.generation++;
      },
    ],
  ];
  test.each(revocations)(
    'tokens of a credential that is %s die within 5 s',
    async (_what, revoke) => {
      const merchant = edge.merchant();
      const headers = edge.signedIn(merchant);
      const ask = () => edge.send('POST', '/api/v1.0/disbursement/check-beneficiary', { headers, body: {} });
      expect((await ask()).http).toBe(422);
      revoke(merchant);
      merchant.version++;
      await eventually('revoked', async () => (await ask()).http === 401, 5_000);
    },
    10_000,
  );

  test('the call to money-out has a deadline', async () => {
    const aborted = new Promise<void>((resolve) => {
      edge.fakes.disbursement.transfer = (_request, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            resolve();
            reject(new Error('aborted'));
          }),
        );
    });
    const merchant = edge.merchant();
    const reply = await edge.sendSigned(merchant, 'POST', '/api/v2.0/disbursement/transfer', orderOf(merchant));
    expect([reply.http, reply.json.response_code]).toEqual([504, 'SP005']);
    await aborted;
  }, 15_000);

  test('a service that is away is waited for, then told as 503', async () => {
    edge.fakes.ledger.getBalance = async () => {
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1 }));
    };
    const reply = await edge.send('GET', '/api/v1.0/balance-inquiry', { headers: edge.signedIn(edge.merchant()) });
    expect([reply.http, reply.headers.get('retry-after')]).toEqual([503, '1']);
  }, 10_000);
});
