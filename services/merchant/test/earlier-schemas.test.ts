import { expect, test } from 'vitest';
import { newMerchant, useMerchantService } from './harness.ts';

const system = useMerchantService();
const operator = 'budi';

/** The first schema's fee: it knew no vendor and no end. */
const earlierFee = {
  product: 'disbursement',
  channel: '014',
  fixed_sen: 100_000n,
  basis_points: 0,
  minimum_sen: 0n,
  maximum_sen: 0n,
  effective_from: new Date(0),
};

test('a merchant stored under the first schema keeps its fees, gets the one of QRIS, and is written whole', async () => {
  const database = system.newDatabase();
  const { merchants, operators } = await system.start({ database });
  const { merchantId } = await operators.createMerchant(newMerchant);
  const { merchantId: otherId } = await operators.createMerchant(newMerchant);
  const documents = (await system.openDatabase(database)).collection<{ _id: string; schema: number; fees: object[] }>(
    'merchants',
  );
  await documents.updateMany({}, { $set: { schema: 1, fees: [earlierFee] } });
  await documents.updateOne({ _id: otherId }, { $set: { fees: [{ ...earlierFee, product: 'qris' }] } });

  const fees = [
    { product: 'disbursement', channel: '014', fixedSen: 100_000n, vendorFixedSen: 0n, effectiveUntilMs: 0n },
    { product: 'qris', channel: '', basisPoints: 70 },
  ];
  expect((await merchants.getProfile({ merchantId })).profile?.fees).toMatchObject(fees);
  expect((await merchants.getProfile({ merchantId: otherId })).profile?.fees).toMatchObject([
    { product: 'qris', channel: '014' },
  ]);
  expect((await operators.listMerchants({})).merchants.length).toBe(2);

  await operators.setProducts({ operator, merchantId, products: ['qris'] });
  expect(await documents.findOne({ _id: merchantId })).toMatchObject({
    schema: 2,
    fees: [{ product: 'disbursement', vendor_fixed_sen: 0n }, { product: 'qris' }],
  });
  expect((await merchants.getProfile({ merchantId })).profile?.fees).toMatchObject(fees);
});
