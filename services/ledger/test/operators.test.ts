import { newOperatorKey } from '@gerbang/neighbours';
import { LedgerService, RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { expect, test } from 'vitest';
import { credit, refusalOf, signedBy, useLedgerService } from './harness.ts';

const service = useLedgerService();
/** Somebody who has the id of an operator and another key. */
const impostor = await newOperatorKey('vera');

test('verifying and listing partitions need a token of an operator; what services ask does not', async () => {
  const { channel, ledger } = await service.start({ database: service.newDatabase() });
  const unsigned = { ...channel.client(LedgerService), ...channel.client(RoutingService) };
  await unsigned.post(credit(5n));
  expect((await unsigned.locate({ partition: 'p0' })).address).toMatch(/:\d+$/);
  for (const { verify, listPartitions } of [unsigned, signedBy(impostor, channel)]) {
    expect(await refusalOf(verify({ partition: 'p0' }))).toBe('unauthorized');
    expect(await refusalOf(listPartitions({}))).toBe('unauthorized');
  }
  expect((await ledger.verify({ partition: 'p0' })).postings).toBe(1n);
  expect((await ledger.listPartitions({})).partitions).toMatchObject([{ name: 'p0', owner: 'first' }]);
});

test('without the merchant service postings go on, and operators are refused', async () => {
  const { ledger } = await service.start({ database: service.newDatabase(), env: { MERCHANT_RPC: '127.0.0.1:1' } });
  await ledger.post(credit(5n));
  expect(await refusalOf(ledger.verify({ partition: 'p0' }, { retry: false, timeoutMs: 1_000 }))).toMatch(
    /^(unavailable|timeout)$/,
  );
});
