import { encodeQris, isRefusal } from '@gerbang/core';
import { idr, isRecord, type MerchantClient, newReference, sen } from '../support/merchant-client.ts';
import type { World } from './world.ts';

export const PRODUCTS = ['disbursement', 'ewallet-topup', 'qris-payment', 'cardless-withdrawal', 'account-transfer'] as const;
export type ProductName = (typeof PRODUCTS)[number];

/** What the customer or the merchant does with a code to draw cash. */
export const ENDINGS = ['draw', 'cancel', 'expire'] as const;

export type Order = {
  product: ProductName;
  reference: string;
  amountSen: bigint;
  /** The last four digits of the beneficiary decide what the rail does (contract §11). */
  beneficiary: string;
  ending: (typeof ENDINGS)[number];
  /** When a code to draw cash with expires, Unix milliseconds of business time. */
  expiresAtMs: number;
};

/** A transaction as the API shows it. */
export type Transaction = { transactionId: string; status: string; grossSen: bigint; netSen: bigint };

/** `data` is that of the envelope. */
export type Answer = { http: number; data: unknown };

/** What differs between the products, seen from outside. */
type Product = {
  /** The simulator's name of its rail, and the webhook of its end; an account transfer has neither. */
  rail: string | undefined;
  webhook: string | undefined;
  order(merchant: MerchantClient, world: World, order: Order): Promise<Answer>;
  find(merchant: MerchantClient, world: World, reference: string): Promise<Answer>;
};

export const PRODUCT: Readonly<Record<ProductName, Product>> = {
  disbursement: {
    rail: 'bank-transfer',
    webhook: 'disbursement',
    order: ({ api }, { source }, { reference, amountSen, beneficiary }) =>
      answered(
        api.POST('/api/v2.0/disbursement/transfer', {
          body: {
            account_id: source,
            reference_number: reference,
            bank_code: '014',
            bank_account_number: `123456${beneficiary}`,
            amount: money(amountSen),
          },
        }),
      ),
    find: ({ api }, { source }, reference) =>
      answered(api.POST('/api/v2.0/disbursement/inquiry-status', { body: { account_id: source, reference_number: reference } })),
  },
  'ewallet-topup': {
    rail: 'ewallet',
    webhook: 'ewallet-topup',
    order: ({ api }, { source }, { reference, amountSen, beneficiary }) =>
      answered(
        api.POST('/api/v2.0/ewallet/trigger-topup', {
          body: {
            account_id: source,
            reference_number: reference,
            channel: 'GOPAY',
            phone_number: `08123456${beneficiary}`,
            amount: money(amountSen),
          },
        }),
      ),
    find: ({ api }, { source }, reference) =>
      answered(api.POST('/api/v2.0/ewallet/inquiry-status', { body: { account_id: source, reference_number: reference } })),
  },
  'qris-payment': {
    rail: 'qris',
    webhook: 'qris-issuer',
    order: ({ api }, { source }, order) =>
      answered(
        api.POST('/api/v2.0/qris/credit/{account_id}', {
          params: { path: { account_id: source } },
          body: { reference_number: order.reference, qr_data: codeFor(order) },
        }),
      ),
    find: ({ api }, { source }, reference) =>
      answered(
        api.POST('/api/v2.0/qris/status/{account_id}', {
          params: { path: { account_id: source } },
          body: { reference_number: reference, scope: 'issuer' },
        }),
      ),
  },
  'cardless-withdrawal': {
    rail: 'cardless',
    webhook: 'cardless-withdrawal',
    order: ({ api }, { source }, { reference, amountSen, beneficiary, expiresAtMs }) =>
      answered(
        api.POST('/api/v1.0/cardless-withdrawals/{account_id}', {
          params: { path: { account_id: source } },
          body: {
            reference_number: reference,
            bank_code: 'BCA',
            phone_number: `08123456${beneficiary}`,
            amount: rupiah(amountSen),
            expired_at: expiresAtMs,
          },
        }),
      ),
    find: async ({ api }, { source }, reference) =>
      onlyItem(
        await answered(
          api.GET('/api/v1.0/cardless-withdrawals/{account_id}', {
            params: { path: { account_id: source }, query: { reference_number: reference } },
          }),
        ),
      ),
  },
  'account-transfer': {
    rail: undefined,
    webhook: undefined,
    order: ({ api }, { source, destination }, { reference, amountSen }) =>
      answered(
        api.POST('/api/v1.0/account-transfers', {
          body: {
            source_account_id: source,
            destination_account_id: destination,
            amount: rupiah(amountSen),
            reference_number: reference,
          },
        }),
      ),
    find: async ({ api }, _world, reference) =>
      onlyItem(await answered(api.GET('/api/v1.0/account-transfers', { params: { query: { reference_number: reference } } }))),
  },
};

/** Of ten orders these fail, stay silent and pay, stay silent and fail, and are for no known beneficiary. */
const MAGIC = ['0001', '0002', '0003', '0404'];

/** The `index`-th order: the products take turns, and of each product every beneficiary and ending. */
export function newOrder(index: number, expiresAtMs: number): Order {
  const product = PRODUCTS[index % PRODUCTS.length] ?? 'disbursement';
  const turn = Math.floor(index / PRODUCTS.length);
  return {
    product,
    reference: newReference(product),
    // Machines give no smaller notes; of the others no two amounts are alike.
    amountSen: product === 'cardless-withdrawal' ? 50_000_00n * BigInt(1 + (turn % 3)) : BigInt(10_000 + index) * 100n,
    beneficiary: MAGIC[turn % 10] ?? String(5_000 + (turn % 3_000)),
    ending: ENDINGS[turn % ENDINGS.length] ?? 'draw',
    expiresAtMs,
  };
}

/** The transaction of an order, from whichever edge; undefined where there is none. */
export async function findTransaction(merchant: MerchantClient, world: World, order: Order): Promise<Transaction | undefined> {
  const { http, data } = await PRODUCT[order.product].find(merchant, world, order.reference);
  if (http === 404) return undefined;
  if (!isRecord(data) || !isRecord(data.transaction_status)) throw new Error(`${order.reference} is not found: ${http}`);
  return {
    transactionId: String(data.transaction_id),
    status: String(data.transaction_status.code),
    grossSen: sen(data.gross_amount),
    netSen: sen(data.net_amount),
  };
}

async function answered(answer: Promise<{ data?: { data?: unknown }; error?: unknown; response: Response }>): Promise<Answer> {
  const { data, error, response } = await answer;
  const found = data?.data ?? (isRecord(error) ? error.data : undefined);
  return { http: response.status, data: found };
}

/** The item of a list that may have one; 404 where it has none. */
function onlyItem({ http, data }: Answer): Answer {
  if (!isRecord(data) || !Array.isArray(data.items)) return { http, data };
  if (data.items.length > 1) throw new Error(`one reference has ${data.items.length} transactions`);
  return data.items.length === 0 ? { http: 404, data: undefined } : { http, data: data.items[0] };
}

/** A code that a shop of another acquirer shows. */
function codeFor({ reference, amountSen, beneficiary }: Order): string {
  const payload = encodeQris({
    type: 'mpm-dynamic',
    accounts: [
      { tag: '26', globallyUniqueId: 'ID.CO.BANK.WWW', pan: `93600009150000${beneficiary}`, others: [] },
      { tag: '51', globallyUniqueId: 'ID.CO.QRIS.WWW', merchantId: 'ID1020000000034', criteria: 'UMI', others: [] },
    ],
    merchantCategoryCode: '5812',
    amountSen,
    merchantName: 'Warung Bu Sri',
    merchantCity: 'Kab. Demak',
    additionalData: { referenceLabel: reference.slice(-20), others: [] },
    others: [],
  });
  if (isRefusal(payload)) throw new Error(payload.message);
  return payload;
}

function money(amountSen: bigint): { value: string; currency: 'IDR' } {
  return idr(rupiah(amountSen));
}

function rupiah(amountSen: bigint): number {
  return Number(amountSen / 100n);
}
