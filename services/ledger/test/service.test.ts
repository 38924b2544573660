import { ConfigError } from '@gerbang/runtime';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { credit, expectIntact, hold, useLedgerService, verified } from './harness.ts';

const service = useLedgerService();

describe('the service', () => {
  it('says which variable is missing or wrong', () => {
    expect(() => readConfig({ GERBANG_ENV: 'sandbox' })).toThrow(
      new ConfigError(['MONGODB_URI', 'MERCHANT_RPC', 'CHAIN_KEYS'].map((variable) => `${variable} is not set; it is required`)),
    );
    expect(() => readConfig({ GERBANG_ENV: 'sandbox', MONGODB_URI: 'mongodb://x', LEDGER_LEASE_MS: '1' })).toThrow(
      /LEDGER_LEASE_MS/,
    );
  });

  it('is ready with its lease and database, and counts what it does', async () => {
    const { ledger, adminPort } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(100n));
    await ledger.post(hold(1_000n)).catch(() => {});
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${adminPort}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/readyz')).toEqual({ status: 200, text: 'ok\n' });
    const { text } = await get('/metrics');
    expect(text).toMatch(/gerbang_ledger_postings_total\{intent="credit",result="done",service="ledger"\} 1/);
    expect(text).toMatch(/gerbang_ledger_postings_total\{intent="hold",result="insufficient_balance",service="ledger"\} 1/);
    expect(text).toMatch(/gerbang_ledger_commit_seconds_count\{service="ledger"\} 3/);
    expect(text).toMatch(/gerbang_ledger_batch_postings_sum\{service="ledger"\} 2/);
    expect(text).toMatch(/gerbang_ledger_projector_lag_postings\{partition="p0",service="ledger"\} \d/);
  });

  it('answers what is in flight before it closes', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database });
    await first.ledger.post(credit(100_000n));
    const requests = Array.from({ length: 200 }, () => hold(10n));
    const answers: Promise<unknown>[] = requests.map((request) => first.ledger.post(request));
    // They have reached the service once the first of them is answered.
    await Promise.race(answers);
    await Promise.all([Promise.all(answers), first.close()]);
    const second = await service.start({ database, env: { LEDGER_INSTANCE: 'second' } });
    expect((await verified(second.ledger)).postings).toBe(201n);
    await expectIntact(second.ledger);
  });
});
