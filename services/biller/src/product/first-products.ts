import type { Product } from './product.ts';

const ADMIN_SEN = 2_500_00n;

/**
 * The products that a new database begins with (contract §9): PLN's tokens, and mobile credit. Operators change and add further
 * ones by `gerbang biller products set`.
 */
export const FIRST_PRODUCTS: readonly Product[] = [
  ...[20, 50, 100, 200, 500, 1_000].map(
    (thousands): Product => ({
      code: `PLN${thousands}`,
      command: 'plntok',
      name: `PLN token ${thousands}.000`,
      railCode: `PLN-PREPAID-${thousands}`,
      customer: { digitsMin: 11, digitsMax: 12, prefix: '' },
      givesToken: true,
      ...costing(thousands),
    }),
  ),
  ...[10, 25, 50, 100].map(
    (thousands): Product => ({
      code: `PULSA${thousands}`,
      command: 'pulsa',
      name: `Mobile credit ${thousands}.000`,
      railCode: `PULSA-${thousands}`,
      customer: { digitsMin: 10, digitsMax: 13, prefix: '08' },
      givesToken: false,
      ...costing(thousands),
    }),
  ),
];

function costing(thousands: number): Pick<Product, 'amountSen' | 'adminSen' | 'effectiveFromMs' | 'effectiveUntilMs'> {
  return { amountSen: BigInt(thousands) * 1_000_00n, adminSen: ADMIN_SEN, effectiveFromMs: 0, effectiveUntilMs: undefined };
}
