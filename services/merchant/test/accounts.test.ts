import { createClock, newUlid } from '@gerbang/core';
import { AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { expect, test } from 'vitest';
import { newMerchant, refusalOf, useMerchantService } from './harness.ts';

const system = useMerchantService();
const operator = 'budi';
const route = 'POST /api/v1.0/accounts';

test('opened, found by its merchant alone, renamed and switched off', async () => {
  const { merchants, accounts, operators } = await system.start();
  const { merchantId } = await operators.createMerchant(newMerchant);
  const other = await operators.createMerchant(newMerchant);
  const { account, replayed } = await accounts.openAccount({ merchantId, name: '  Cabang Bandung ', merchantReffNo: 'b-1' });
  expect(replayed).toBe(false);
  expect(account).toMatchObject({
    merchantId,
    name: 'Cabang Bandung',
    merchantReffNo: 'b-1',
    status: AccountStatus.ACTIVE,
    isDefault: false,
    version: 1n,
  });
  const accountId = account?.accountId ?? '';
  expect((await merchants.getAccount({ merchantId, accountId })).account).toEqual(account);
  const changed = await accounts.updateAccount({ merchantId, accountId, name: 'Bandung', status: AccountStatus.INACTIVE });
  expect(changed.account).toMatchObject({ name: 'Bandung', status: AccountStatus.INACTIVE, version: 2n, merchantReffNo: 'b-1' });
  const nothing = await accounts.updateAccount({ merchantId, accountId });
  expect(nothing.account).toEqual(changed.account);
  const foreign = await refusalOf(accounts.updateAccount({ merchantId: other.merchantId, accountId, name: 'Mine' }));
  expect(foreign.code).toBe('account_of_other_merchant');
  const unknown = await refusalOf(accounts.updateAccount({ merchantId, accountId: 'nowhere', name: 'x' }));
  expect(unknown.code).toBe('account_not_found');
  expect((await merchants.getAccount({ merchantId, accountId })).account).toEqual(changed.account);
});

test('listed newest first, page by page, each once, filtered, for one merchant alone', async () => {
  const clock = createClock();
  const { accounts, operators } = await system.start({ clock });
  const { merchantId, accountIds } = await operators.createMerchant(newMerchant);
  await operators.createMerchant(newMerchant);
  const made: string[] = [];
  for (const name of ['A', 'B', 'C']) {
    clock.setOffset(clock.offsetMs() + 3_600_000);
    const { account } = await accounts.openAccount({ merchantId, name, merchantReffNo: `ref-${name}` });
    made.unshift(account?.accountId ?? '');
  }
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await accounts.listAccounts({ merchantId, limit: 2, cursor });
    expect(page.accounts.length).toBeLessThanOrEqual(2);
    seen.push(...page.accounts.map(({ accountId }) => accountId));
    cursor = page.nextCursor;
  } while (cursor !== '');
  expect(seen.slice(0, 3)).toEqual(made);
  expect(seen.slice(3).sort()).toEqual([...accountIds].sort());

  const [c = '', b = '', a = ''] = made;
  await accounts.updateAccount({ merchantId, accountId: b, status: AccountStatus.INACTIVE });
  await operators.setFrozen({ operator, merchantId, accountId: c, frozen: true });
  const list = async (filter: Parameters<typeof accounts.listAccounts>[0]) => {
    const found = await accounts.listAccounts({ merchantId, limit: 100, ...filter });
    return found.accounts.map(({ accountId }) => accountId);
  };
  expect(await list({ status: AccountStatus.INACTIVE })).toEqual([b]);
  expect(await list({ status: AccountStatus.FROZEN })).toEqual([c]);
  expect(await list({ status: AccountStatus.ACTIVE })).toEqual([a, ...seen.slice(3)]);
  expect(await list({ merchantReffNo: 'ref-A' })).toEqual([a]);
  const now = BigInt(clock.now());
  expect(await list({ fromMs: now - 5_400_000n, toMs: now - 1_800_000n })).toEqual([b]);
  for (const garbage of ['garbage', Buffer.from('1:x').toString('base64url')]) {
    const refused = await refusalOf(accounts.listAccounts({ merchantId, limit: 2, cursor: garbage }));
    expect([refused.code, refused.fields]).toEqual(['validation', ['cursor']]);
  }
});

test('an Idempotency-Key opens one account, whoever asks at once; another body is refused; restarts keep it', async () => {
  const database = system.newDatabase();
  const first = await system.start({ database });
  const { merchantId } = await first.operators.createMerchant(newMerchant);
  const other = await first.operators.createMerchant(newMerchant);
  const idempotencyKey = { key: 'k-1', route, bodyHash: 'h1' };
  const wanted = { merchantId, name: 'Once', idempotencyKey };
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => first.accounts.openAccount(wanted)));
  const ids = new Set(all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.account?.accountId] : [])));
  expect(ids.size).toBe(1);
  for (const one of all) if (one.status === 'rejected') expect(String(one.reason)).toContain('idempotency_key_running');
  await first.close();

  const { accounts } = await system.start({ database });
  const again = await accounts.openAccount(wanted);
  expect([again.replayed, ids.has(again.account?.accountId)]).toEqual([true, true]);
  const reused = refusalOf(
    accounts.openAccount({ ...wanted, name: 'Other', idempotencyKey: { ...idempotencyKey, bodyHash: 'h2' } }),
  );
  expect((await reused).code).toBe('idempotency_key_reused');
  const own = await accounts.openAccount({ ...wanted, merchantId: other.merchantId });
  expect([own.replayed, own.account?.merchantId]).toEqual([false, other.merchantId]);
  expect((await accounts.listAccounts({ merchantId, limit: 100 })).accounts.filter(({ name }) => name === 'Once')).toHaveLength(
    1,
  );
});

test('a request that died after opening is finished by its repetition', async () => {
  const database = system.newDatabase();
  const { accounts, operators } = await system.start({ database });
  const { merchantId } = await operators.createMerchant(newMerchant);
  const wanted = { merchantId, name: 'Once', idempotencyKey: { key: 'k', route, bodyHash: 'h' } };
  const { account } = await accounts.openAccount(wanted);
  const store = await system.openDatabase(database);
  const keys = store.collection<{ _id: string; response?: unknown; lease_until: Date }>('idempotency_keys');
  expect(
    (await keys.updateOne({ _id: `${merchantId}:${route}:k` }, { $unset: { response: '' }, $set: { lease_until: new Date(0) } }))
      .modifiedCount,
  ).toBe(1);
  await operators.setFrozen({ operator, merchantId, frozen: true });
  expect((await accounts.openAccount(wanted)).account).toEqual(account);
  expect((await accounts.openAccount(wanted)).replayed).toBe(true);
});

test('a frozen merchant opens and changes nothing, a frozen account is not changed', async () => {
  const { accounts, merchants, operators } = await system.start();
  const { merchantId, accountIds } = await operators.createMerchant(newMerchant);
  const [accountId = ''] = accountIds;
  await operators.setFrozen({ operator, merchantId, accountId, frozen: true });
  expect((await refusalOf(accounts.updateAccount({ merchantId, accountId, name: 'x' }))).code).toBe('frozen');
  await operators.setFrozen({ operator, merchantId, accountId, frozen: false });
  await operators.setFrozen({ operator, merchantId, frozen: true });
  expect((await refusalOf(accounts.updateAccount({ merchantId, accountId, name: 'x' }))).code).toBe('frozen');
  expect((await refusalOf(accounts.openAccount({ merchantId, name: 'x' }))).code).toBe('frozen');
  const callbacks = { merchantId, settings: { signatureEnabled: false }, update: ['signature_enabled'] };
  expect((await refusalOf(merchants.updateCallbackSettings(callbacks))).code).toBe('frozen');
  expect((await accounts.listAccounts({ merchantId, limit: 100 })).accounts).toHaveLength(2);
  expect((await merchants.getAccount({ merchantId, accountId })).account?.name).toBe('Main');
});

test('two changes at once are both made', async () => {
  const { accounts, merchants, operators } = await system.start();
  const { merchantId, accountIds } = await operators.createMerchant(newMerchant);
  const [accountId = ''] = accountIds;
  await Promise.all([
    accounts.updateAccount({ merchantId, accountId, name: 'Renamed' }),
    accounts.updateAccount({ merchantId, accountId, status: AccountStatus.INACTIVE }),
  ]);
  const { account } = await merchants.getAccount({ merchantId, accountId });
  expect(account).toMatchObject({ name: 'Renamed', status: AccountStatus.INACTIVE, version: 3n });
});

test.each([
  ['no name', 'name', { name: ' ' }],
  ['a name too long', 'name', { name: 'x'.repeat(101) }],
  ['control characters', 'name', { name: 'a\u0007' }],
  ['a name that turns its text around', 'name', { name: 'a\u202e' }],
  ['a reference too long', 'merchant_reff_no', { name: 'x', merchantReffNo: 'x'.repeat(256) }],
])('%s is refused by the name of the field', async (_what, field, input) => {
  const { accounts, operators } = await system.start();
  const { merchantId, accountIds } = await operators.createMerchant(newMerchant);
  const refused = await refusalOf(accounts.openAccount({ merchantId, ...input }));
  expect([refused.code, refused.fields]).toEqual(['validation', [field]]);
  const frozen = { merchantId, accountId: accountIds[0] ?? newUlid(0), status: AccountStatus.FROZEN };
  expect((await refusalOf(accounts.updateAccount(frozen))).fields).toEqual(['status']);
});
