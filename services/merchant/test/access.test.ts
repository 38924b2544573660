import { newUlid } from '@gerbang/core';
import { AccountStatus, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { describe, expect, test } from 'vitest';
import { newMerchant, refusalOf, useMerchantService } from './harness.ts';

const system = useMerchantService();

describe('a new merchant', () => {
  test('can be authenticated by client id and by merchant id', async () => {
    const { merchants, operators } = await system.start();
    const made = await operators.createMerchant(newMerchant);
    expect(made.clientId).toMatch(/^ck_[0-9a-z]{16}$/);
    expect(made.partnerId).toMatch(/^pk_[0-9a-z]{16}$/);
    expect(Buffer.from(made.clientSecret, 'base64url')).toHaveLength(32);
    const byClient = await merchants.getAccess({ by: { case: 'clientId', value: made.clientId } });
    const byMerchant = await merchants.getAccess({ by: { case: 'merchantId', value: made.merchantId } });
    expect(byMerchant).toEqual(byClient);
    expect(byClient.access).toMatchObject({
      merchantId: made.merchantId,
      partnerId: made.partnerId,
      status: MerchantStatus.ACTIVE,
      version: 1n,
      ipWhitelist: ['127.0.0.1', '::1'],
      products: ['disbursement'],
      credentials: [{ clientId: made.clientId, clientSecret: made.clientSecret, active: true, generation: 1n }],
    });
  });

  test('has a profile with the default fee, and its accounts', async () => {
    const { merchants, operators } = await system.start();
    const { merchantId, accountIds } = await operators.createMerchant(newMerchant);
    const { profile } = await merchants.getProfile({ merchantId });
    expect(profile).toMatchObject({
      partition: 'p0',
      name: newMerchant.name,
      defaultAccountId: accountIds[0],
      fees: [
        { product: 'disbursement', channel: '', fixedSen: 250_000n, effectiveFromMs: 0n },
        { product: 'qris', channel: '', basisPoints: 70, vendorBasisPoints: 0 },
      ],
      limits: [],
    });
    expect(JSON.stringify(profile, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('ecret');
    const first = await merchants.getAccount({ merchantId, accountId: accountIds[0] ?? '' });
    expect(first.account).toMatchObject({ merchantId, name: 'Main', status: AccountStatus.ACTIVE, isDefault: true, version: 1n });
    const second = await merchants.getAccount({ merchantId, accountId: accountIds[1] ?? '' });
    expect(second.account).toMatchObject({ name: 'Savings', isDefault: false });
  });

  test('is not found under any other name', async () => {
    const { merchants, operators } = await system.start();
    const mine = await operators.createMerchant(newMerchant);
    const other = await operators.createMerchant({ ...newMerchant, name: 'Toko Lain' });
    const unknown = newUlid(Date.now());
    const refusals = await Promise.all([
      refusalOf(merchants.getAccess({ by: { case: 'clientId', value: 'ck_nobody' } })),
      refusalOf(merchants.getAccess({ by: { case: 'merchantId', value: unknown } })),
      refusalOf(merchants.getAccess({})),
      refusalOf(merchants.getProfile({ merchantId: unknown })),
      refusalOf(merchants.getAccount({ merchantId: mine.merchantId, accountId: unknown })),
      refusalOf(merchants.getAccount({ merchantId: mine.merchantId, accountId: other.accountIds[0] ?? '' })),
    ]);
    expect(refusals.map(({ code }) => code)).toEqual([
      'merchant_not_found',
      'merchant_not_found',
      'merchant_not_found',
      'merchant_not_found',
      'account_not_found',
      'account_of_other_merchant',
    ]);
  });
});

test('a claim whose merchant was never written, by a crash between the two, leads nowhere', async () => {
  const database = system.newDatabase();
  const { merchants } = await system.start({ database });
  const store = await system.openDatabase(database);
  const claim = { _id: 'ck_claimed', schema: 1, merchant_id: newUlid(Date.now()) };
  await store.collection<typeof claim>('client_ids').insertOne(claim);
  const refused = refusalOf(merchants.getAccess({ by: { case: 'clientId', value: 'ck_claimed' } }));
  expect((await refused).code).toBe('merchant_not_found');
});

describe('versions', () => {
  test('tell a cache what has changed', async () => {
    const { merchants, operators } = await system.start();
    const one = await operators.createMerchant(newMerchant);
    const two = await operators.createMerchant(newMerchant);
    const [accountId = '', otherId = ''] = one.accountIds;
    const unknown = newUlid(Date.now());
    const known = {
      merchants: [one.merchantId, two.merchantId, unknown].map((id) => ({ id, version: 1n })),
      accounts: [accountId, otherId].map((id) => ({ id, version: 1n })),
    };
    expect(await merchants.checkVersions(known)).toMatchObject({ changedMerchantIds: [unknown], changedAccountIds: [] });
    await operators.setFrozen({ operator: 'budi', merchantId: two.merchantId, frozen: true });
    await operators.setFrozen({ operator: 'budi', merchantId: one.merchantId, accountId, frozen: true });
    expect(await merchants.checkVersions(known)).toMatchObject({
      changedMerchantIds: [two.merchantId, unknown],
      changedAccountIds: [accountId],
    });
    const { account } = await merchants.getAccount({ merchantId: one.merchantId, accountId });
    expect(account).toMatchObject({ status: AccountStatus.FROZEN, version: 2n });
    expect((await merchants.getProfile({ merchantId: two.merchantId })).profile?.status).toBe(MerchantStatus.FROZEN);
    await operators.setFrozen({ operator: 'budi', merchantId: one.merchantId, accountId, frozen: false });
    expect((await merchants.getAccount({ merchantId: one.merchantId, accountId })).account?.status).toBe(AccountStatus.ACTIVE);
  });
});
