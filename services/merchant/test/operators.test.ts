import { newUlid } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { Outcome } from '@gerbang/proto/gerbang/operator/v1/operator';
import { describe, expect, test } from 'vitest';
import { newMerchant, refusalOf, useMerchantService } from './harness.ts';

const system = useMerchantService();
const operator = 'budi';

describe('operators', () => {
  test('rotate and disable credentials; each grows the generation', async () => {
    const { merchants, operators } = await system.start();
    const { merchantId, clientId, clientSecret } = await operators.createMerchant(newMerchant);
    const rotated = await operators.rotateSecret({ operator, merchantId, clientId });
    expect(rotated.clientSecret).not.toBe(clientSecret);
    const credential = async () => {
      const { access } = await merchants.getAccess({ by: { case: 'merchantId', value: merchantId } });
      return access?.credentials.find((one) => one.clientId === clientId);
    };
    expect(await credential()).toMatchObject({ clientSecret: rotated.clientSecret, generation: 2n, active: true });
    await operators.disableCredential({ operator, merchantId, clientId });
    await operators.disableCredential({ operator, merchantId, clientId });
    expect(await credential()).toMatchObject({ generation: 3n, active: false });
    expect((await refusalOf(operators.rotateSecret({ operator, merchantId, clientId }))).code).toBe('bad_request');
    const second = await operators.addCredential({ operator, merchantId });
    const { access } = await merchants.getAccess({ by: { case: 'clientId', value: second.clientId } });
    expect(access?.credentials.map(({ active }) => active)).toEqual([false, true]);
  });

  test('set whitelists, products, fees and limits', async () => {
    const { merchants, operators } = await system.start();
    const { merchantId, clientId } = await operators.createMerchant(newMerchant);
    await operators.setWhitelist({ operator, merchantId, entries: ['10.0.0.0/8', '2001:db8::1', '10.0.0.0/8'] });
    await operators.setWhitelist({ operator, merchantId, clientId, entries: ['192.0.2.7'] });
    await operators.setProducts({ operator, merchantId, products: ['disbursement', 'qris'] });
    const { access } = await merchants.getAccess({ by: { case: 'clientId', value: clientId } });
    expect(access).toMatchObject({
      ipWhitelist: ['10.0.0.0/8', '2001:db8::1'],
      products: ['disbursement', 'qris'],
      credentials: [{ ipWhitelist: ['192.0.2.7'] }],
    });
    const fee = { product: 'qris', channel: '014', fixedSen: 150_000n, basisPoints: 25, maximumSen: 500_000n };
    await operators.setFees({ operator, merchantId, fee });
    await operators.setFees({ operator, merchantId, fee: { ...fee, fixedSen: 100_000n } });
    const [effectiveFromMs, effectiveUntilMs] = [1_790_000_000_000n, 1_790_000_000_001n];
    const promotion = { ...fee, vendorFixedSen: 70_000n, vendorBasisPoints: 20, effectiveFromMs, effectiveUntilMs };
    await operators.setFees({ operator, merchantId, fee: promotion });
    await operators.setLimits({ operator, merchantId, limit: { product: 'disbursement', maximumSen: 5_000_000n } });
    const totals = { dailyMaximumSen: 2_000_000n, monthlyMaximumSen: 9_000_000n };
    await operators.setLimits({ operator, merchantId, limit: { product: 'disbursement', minimumSen: 1_000_000n, ...totals } });
    const { profile } = await merchants.getProfile({ merchantId });
    expect(profile?.fees).toMatchObject([
      { product: 'disbursement', channel: '', fixedSen: 250_000n },
      { product: 'qris', channel: '', basisPoints: 70 },
      { channel: '014', fixedSen: 100_000n, basisPoints: 25, maximumSen: 500_000n, effectiveFromMs: 0n, effectiveUntilMs: 0n },
      promotion,
    ]);
    const { fees } = await operators.listFees({ merchantId });
    expect(fees.map((one) => [one.product, one.channel, one.effectiveFromMs])).toEqual([
      ['disbursement', '', 0n],
      ['qris', '', 0n],
      ['qris', '014', 0n],
      ['qris', '014', effectiveFromMs],
    ]);
    expect(fees.at(-1)).toMatchObject(promotion);
    expect(profile?.limits).toMatchObject([{ product: 'disbursement', minimumSen: 1_000_000n, maximumSen: 0n, ...totals }]);
  });

  test('open accounts, and see merchants page by page', async () => {
    const { operators } = await system.start();
    const made = [];
    for (const name of ['A', 'B', 'C']) made.push(await operators.createMerchant({ ...newMerchant, name }));
    const merchantId = made[0]?.merchantId ?? '';
    const { account } = await operators.createAccount({ operator, merchantId, name: ' Kas Kecil ' });
    expect(account).toMatchObject({ merchantId, name: 'Kas Kecil', isDefault: false, version: 1n });
    const first = await operators.listMerchants({ limit: 2 });
    const second = await operators.listMerchants({ limit: 2, after: first.nextAfter });
    expect(second.nextAfter).toBe('');
    const listed = [...first.merchants, ...second.merchants];
    expect(listed.map((merchant) => merchant.merchantId).sort()).toEqual(made.map((one) => one.merchantId).sort());
    const mine = listed.find((merchant) => merchant.merchantId === merchantId);
    expect(mine?.accounts.map(({ name }) => name)).toEqual(['Main', 'Savings', 'Kas Kecil']);
    expect(mine?.clientIds).toEqual([made[0]?.clientId]);
  });

  test('fund an account once per operation id', async () => {
    const { operators } = await system.start();
    const { merchantId, accountIds } = await operators.createMerchant(newMerchant);
    const other = await operators.createMerchant(newMerchant);
    const operationId = newUlid(Date.now());
    const order = {
      operator,
      merchantId,
      accountId: accountIds[0] ?? '',
      amountSen: 10_000_000n,
      operationId,
      rail: 'bank-transfer',
    };
    expect((await operators.fund(order)).availableSen).toBe(10_000_000n);
    expect((await operators.fund(order)).availableSen).toBe(10_000_000n);
    expect((await operators.fund({ ...order, operationId: newUlid(Date.now()) })).availableSen).toBe(20_000_000n);
    expect(system.postings().get(`fund:${operationId}`)?.request).toMatchObject({
      merchantId,
      partition: 'p0',
      intent: Intent.CREDIT,
      accountId: accountIds[0],
      feeSen: 0n,
      rail: 'bank-transfer',
      product: 'funding',
    });
    expect((await refusalOf(operators.fund({ ...order, amountSen: 1n }))).code).toBe('posting_key_conflict');
    const foreign = refusalOf(operators.fund({ ...order, accountId: other.accountIds[0] ?? '' }));
    expect((await foreign).code).toBe('account_of_other_merchant');
  });

  test('do not lose each other’s changes, and each secret is the one shown last', async () => {
    const { merchants, operators } = await system.start();
    const { merchantId, clientId } = await operators.createMerchant(newMerchant);
    const channels = ['002', '008', '009', '014', '022'];
    await Promise.all([
      ...channels.map((channel, i) =>
        operators.setFees({ operator: `op${i}`, merchantId, fee: { product: 'disbursement', channel, fixedSen: 100n } }),
      ),
      operators.setFrozen({ operator: 'ani', merchantId, frozen: true }),
      operators.setProducts({ operator: 'ani', merchantId, products: ['qris'] }),
    ]);
    const { profile } = await merchants.getProfile({ merchantId });
    expect(profile?.fees.map(({ channel }) => channel).sort()).toEqual(['', '', ...channels]);
    expect(profile).toMatchObject({ products: ['qris'], version: 8n });
    // The same command at the same time may meet in one approval, so not all of them rotate.
    const asked = await Promise.allSettled(['x', 'y', 'z'].map(() => operators.rotateSecret({ operator, merchantId, clientId })));
    const rotations = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(rotations.length).toBeGreaterThan(0);
    const { access } = await merchants.getAccess({ by: { case: 'merchantId', value: merchantId } });
    expect(access?.credentials[0]?.generation).toBe(1n + BigInt(rotations.length));
    expect(rotations.map(({ clientSecret }) => clientSecret)).toContain(access?.credentials[0]?.clientSecret);
  });
});

describe('bad input', () => {
  const merchantId = newUlid(1_790_000_000_000);
  const fee = { product: 'disbursement', fixedSen: 1n };
  type Operators = Awaited<ReturnType<typeof system.start>>['operators'];
  const cases: [string, string[], (operators: Operators) => Promise<unknown>][] = [
    ['no name', ['name'], (o) => o.createMerchant({ ...newMerchant, name: '  ' })],
    ['a name too long', ['name'], (o) => o.createMerchant({ ...newMerchant, name: 'x'.repeat(101) })],
    ['a name with control characters', ['name'], (o) => o.createMerchant({ ...newMerchant, name: 'a\u0000b' })],
    ['a name that turns its text around', ['name'], (o) => o.createMerchant({ ...newMerchant, name: 'a\u202eb' })],
    [
      'an account name that turns its text around',
      ['account_names'],
      (o) => o.createMerchant({ ...newMerchant, accountNames: ['a\u2066b'] }),
    ],
    ['no account', ['account_names'], (o) => o.createMerchant({ ...newMerchant, accountNames: [] })],
    ['an account without name', ['account_names'], (o) => o.createMerchant({ ...newMerchant, accountNames: [''] })],
    ['an unknown product', ['products'], (o) => o.createMerchant({ ...newMerchant, products: ['loans'] })],
    ['an address that is none', ['ip_whitelist'], (o) => o.createMerchant({ ...newMerchant, ipWhitelist: ['10.0.0.256'] })],
    ['a prefix too long', ['entries'], (o) => o.setWhitelist({ operator, merchantId, entries: ['10.0.0.0/33'] })],
    ['an address with a zone', ['entries'], (o) => o.setWhitelist({ operator, merchantId, entries: ['fe80::1%eth0'] })],
    ['an id that is none', ['merchant_id'], (o) => o.addCredential({ operator, merchantId: '{"$gt":""}' })],
    ['no fee', ['fee'], (o) => o.setFees({ operator, merchantId })],
    ['a negative fee', ['fee.fixed_sen'], (o) => o.setFees({ operator, merchantId, fee: { ...fee, fixedSen: -1n } })],
    [
      'a fee above the amount',
      ['fee.basis_points'],
      (o) => o.setFees({ operator, merchantId, fee: { ...fee, basisPoints: 10_001 } }),
    ],
    [
      'bounds that are no whole rupiah',
      ['fee.minimum_sen', 'fee.maximum_sen'],
      (o) => o.setFees({ operator, merchantId, fee: { ...fee, minimumSen: 1n, maximumSen: 101n } }),
    ],
    [
      'a vendor that takes more than the amount',
      ['fee.vendor_fixed_sen', 'fee.vendor_basis_points'],
      (o) => o.setFees({ operator, merchantId, fee: { ...fee, vendorFixedSen: -1n, vendorBasisPoints: 10_001 } }),
    ],
    [
      'a fee that ends before it begins',
      ['fee.effective_until_ms'],
      (o) => o.setFees({ operator, merchantId, fee: { ...fee, effectiveFromMs: 5n, effectiveUntilMs: 5n } }),
    ],
    [
      'a disbursement fee that depends on the amount',
      ['fee.basis_points'],
      (o) => o.setFees({ operator, merchantId, fee: { product: 'disbursement', basisPoints: 1 } }),
    ],
    [
      'a maximum below the minimum',
      ['limit.maximum_sen'],
      (o) => o.setLimits({ operator, merchantId, limit: { product: 'qris', minimumSen: 5n, maximumSen: 4n } }),
    ],
    [
      'a month below its days',
      ['limit.monthly_maximum_sen'],
      (o) =>
        o.setLimits({ operator, merchantId, limit: { product: 'disbursement', dailyMaximumSen: 5n, monthlyMaximumSen: 4n } }),
    ],
    [
      'days of a product that is not counted',
      ['limit.daily_maximum_sen', 'limit.monthly_maximum_sen'],
      (o) => o.setLimits({ operator, merchantId, limit: { product: 'qris', dailyMaximumSen: 4n, monthlyMaximumSen: 5n } }),
    ],
    [
      'nothing to fund, from nowhere',
      ['amount_sen', 'operation_id', 'rail'],
      (o) => o.fund({ operator, merchantId, accountId: merchantId, amountSen: 0n, operationId: '', rail: '' }),
    ],
    ['a page too long', ['limit'], (o) => o.listMerchants({ limit: 501 })],
    ['a page from nowhere', ['after'], (o) => o.listMerchants({ after: 'x' })],
  ];

  test('is refused by the name of the field, and changes nothing', async () => {
    const { operators, admins } = await system.start();
    for (const [what, fields, call] of cases) {
      const refused = await refusalOf(call(operators));
      expect([what, refused.code, refused.fields]).toEqual([what, 'validation', fields]);
    }
    const unknown = await Promise.all([
      refusalOf(operators.setProducts({ operator, merchantId, products: [] })),
      refusalOf(operators.createAccount({ operator, merchantId, name: 'x' })),
      refusalOf(operators.listFees({ merchantId })),
      refusalOf(operators.addCredential({ operator, merchantId })),
      refusalOf(operators.setFrozen({ operator, merchantId, frozen: true })),
    ]);
    expect(unknown.map(({ code }) => code)).toEqual(Array(5).fill('merchant_not_found'));
    expect((await operators.listMerchants({})).merchants).toEqual([]);
    const { lines } = await admins.listAudit({ limit: 1_000 });
    expect(lines.filter(({ outcome }) => outcome === Outcome.DONE).map(({ target }) => target)).toEqual(['operators']);
    const refused = lines.filter(({ outcome }) => outcome === Outcome.REFUSED);
    expect(refused.length).toBeGreaterThan(cases.length);
    expect(new Set(refused.map(({ refusal }) => refusal))).toEqual(new Set(['validation', 'merchant_not_found']));
  });
});
