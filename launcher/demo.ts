import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { openChannel, type RpcClient } from '@gerbang/rpc';
import type { Ports } from './ports.ts';

type Merchant = { partner_id: string; client_id: string; client_secret: string; account_ids: [string, string] };

/** The content of demo.json (contract §1). */
export type Demo = Merchant & {
  base_url: string;
  biller_url: string;
  pay_url: string;
  rails_url: string;
  simulator_url: string;
  merchant_id: string;
  second_merchant: Merchant & { merchant_id: string };
};

const PRODUCTS = [
  'disbursement',
  'qris-issuer',
  'ewallet-topup',
  'cardless-withdrawal',
  'account-transfer',
  'virtual-account',
  'qris',
  'payment-link',
  'ewallet-checkout',
  'retail',
  'card',
  'subscription',
  'direct-debit',
  'biller',
];
const FUNDS_SEN = 100_000_000_00n;
const OPERATOR = 'launcher';

/**
 * The demo merchants: made once, then read from demo.json. The URLs are written anew each time, since ports may change. A crash in the middle leaves
 * at worst a merchant that nobody has the secret of; the next start makes new ones.
 */
export async function ensureDemo(folder: string, ports: Ports): Promise<Demo> {
  const file = path.join(folder, 'demo.json');
  const urls = {
    base_url: at(ports.edge),
    biller_url: at(ports.biller),
    pay_url: at(ports.pay),
    rails_url: at(ports.rails),
    simulator_url: at(ports.simulator),
  };
  const demo = { ...(readDemo(file) ?? (await createMerchants(ports))), ...urls };
  const { merchant_id, second_merchant, partner_id, client_id, client_secret, account_ids } = demo;
  const ordered = { ...urls, partner_id, client_id, client_secret, merchant_id, account_ids, second_merchant };
  writeFileSync(`${file}.new`, `${JSON.stringify(ordered, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return ordered;
}

function readDemo(file: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`${file} can not be read; start empty with: npm start -- --fresh`, { cause: error });
  }
}

async function createMerchants(ports: Ports) {
  const channel = openChannel({ address: `127.0.0.1:${ports.merchantRpc}`, tls: undefined, timeoutMs: 20_000 });
  try {
    const operators = channel.client(OperatorService);
    const first = await createMerchant(operators, 'Toko Demo');
    const [accountId] = first.account_ids;
    const merchantId = first.merchant_id;
    await operators.fund({
      operator: OPERATOR,
      merchantId,
      accountId,
      amountSen: FUNDS_SEN,
      operationId: `demo-${accountId}`,
      rail: 'bank-transfer',
    });
    return { ...first, second_merchant: await createMerchant(operators, 'Toko Kedua') };
  } finally {
    await channel.close();
  }
}

async function createMerchant(
  operators: RpcClient<typeof OperatorService>,
  name: string,
): Promise<Merchant & { merchant_id: string }> {
  const made = await operators.createMerchant({
    operator: OPERATOR,
    name,
    products: PRODUCTS,
    ipWhitelist: ['127.0.0.1', '::1'],
    accountNames: ['Utama', 'Cadangan'],
  });
  const [first, second] = made.accountIds;
  if (first === undefined || second === undefined) throw new Error('the demo merchant has no two accounts');
  return {
    merchant_id: made.merchantId,
    partner_id: made.partnerId,
    client_id: made.clientId,
    client_secret: made.clientSecret,
    account_ids: [first, second],
  };
}

function at(port: number): string {
  return `http://127.0.0.1:${port}`;
}
