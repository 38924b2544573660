import type { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { RpcClient } from '@gerbang/rpc';
import { eventually, testLog } from '@gerbang/testkit';
import { afterEach, expect, test } from 'vitest';
import { accountKey, pollVersions, type VersionPoll } from '../src/version-poll.ts';
import { VersionedCache } from '../src/versioned-cache.ts';

type Asked = { merchants: string[]; accounts: string[] };

let poll: VersionPoll | undefined;
afterEach(() => poll?.close());

/**
 * A poll over caches whose owner says of everything in `changed` that it has changed; `asked` are the questions that named
 * anything.
 */
async function start(changed: ReadonlySet<string>) {
  const asked: Asked[] = [];
  const checkVersions = async (request: { merchants?: { id?: string }[]; accounts?: { id?: string }[] }) => {
    const idsOf = (list: { id?: string }[] = []) => list.map(({ id = '' }) => id);
    const merchants = idsOf(request.merchants);
    const accounts = idsOf(request.accounts);
    if (merchants.length + accounts.length > 0) asked.push({ merchants, accounts });
    const among = (ids: string[]) => ids.filter((id) => changed.has(id));
    return { changedMerchantIds: among(merchants), changedAccountIds: among(accounts) };
  };
  const load = async () => ({ version: 1n });
  const merchants = new VersionedCache(load);
  const accounts = new VersionedCache(load);
  const client = { checkVersions } as unknown as RpcClient<typeof MerchantService>;
  poll = pollVersions({ client, merchants, accounts, log: testLog() });
  for (const id of ['m1', 'm2']) await merchants.get(id, 'merchant_not_found');
  await accounts.get(accountKey('m1', 'a1'), 'account_not_found');
  return { poll, asked, merchants, accounts };
}

test('a hint makes it ask after that one alone, and forget it where it has changed', async () => {
  const { poll, asked, merchants, accounts } = await start(new Set(['m1', 'a1']));
  poll.mayHaveChanged({ merchantId: 'm1' });
  await eventually('forgotten', () => merchants.known('m1') === undefined);
  poll.mayHaveChanged({ merchantId: 'm1', accountId: 'a1' });
  await eventually('forgotten', () => accounts.known(accountKey('m1', 'a1')) === undefined);
  expect(asked).toEqual([
    { merchants: ['m1'], accounts: [] },
    { merchants: [], accounts: ['a1'] },
  ]);
  expect(merchants.known('m2')).toBeDefined();
});

test('hints that come while a question has only just been asked are asked after together; a wrong one changes nothing', async () => {
  const { poll, asked, merchants } = await start(new Set(['m2']));
  for (let i = 0; i < 100; i++) poll.mayHaveChanged({ merchantId: 'm1' });
  for (const merchantId of ['m2', 'm1', 'nobody']) poll.mayHaveChanged({ merchantId });
  for (const accountId of ['a1', 'nobody']) poll.mayHaveChanged({ merchantId: 'm1', accountId });
  await eventually('forgotten', () => merchants.known('m2') === undefined);
  expect(asked).toEqual([
    { merchants: ['m1'], accounts: [] },
    { merchants: ['m1', 'm2'], accounts: ['a1'] },
  ]);
  expect(merchants.known('m1')).toBeDefined();
});
