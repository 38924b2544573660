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

  test('a token dies with the key that signed it, also when it was verified before', async () => {
    const own = await startEdge();
    try {
      const merchant = own.merchant();
      const headers = own.signedIn(merchant);
      const ask = (given: Record<string, string>) =>
        own.send('POST', '/api/v1.0/disbursement/check-beneficiary', { headers: given, body: {} });
      expect((await ask(headers)).http).toBe(422);
      own.fakes.merchant.listVerificationKeys = async () => ({ keys: [] });
      const unknown = `Bearer ${own.fakes.token(merchant, { header: { kid: 'k2' } })}`;
      // A key that nobody knows makes the edge ask for the keys, 5 s after the last time at the earliest.
      await eventually(
        'out',
        async () => {
          expect((await ask({ ...headers, authorization: unknown })).http).toBe(401);
          return (await ask(headers)).http === 401;
        },
        10_000,
      );
    } finally {
      await own.close();
    }
  }, 15_000);

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

  test('a service that is away is waited for, then told as 503 on v1 routes and as SP002 on v2 routes', async () => {
    const away = async () => {
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1 }));
    };
    edge.fakes.ledger.getBalance = away;
    edge.fakes.disbursement.getFee = away;
    const merchant = edge.merchant();
    const headers = edge.signedIn(merchant);
    const [v1, v2] = await Promise.all([
      edge.send('GET', '/api/v1.0/balance-inquiry', { headers }),
      edge.send('GET', `/api/v2.0/disbursement/fee?account_id=${merchant.accountIds[0]}&bank_code=014`, { headers }),
    ]);
    expect([v1.http, v1.headers.get('retry-after')]).toEqual([503, '1']);
    expect([v2.http, v2.json.response_code, v2.headers.get('retry-after')]).toEqual([500, 'SP002', '1']);
  }, 10_000);
});
