import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PRODUCTS } from '@gerbang/core';
import type { MerchantSummary } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { openChannel, type RpcClient, type TlsFiles } from '@gerbang/rpc';
import { replaceFile } from './data-folder.ts';
import { demoClient, ensureOperators } from './operators.ts';
import type { Ports } from './services.ts';

type Merchant = { partner_id: string; client_id: string; client_secret: string; account_ids: [string, string] };
type Urls = { base_url: string; biller_url: string; pay_url: string; rails_url: string; simulator_url: string };
type Merchants = Merchant & { merchant_id: string; second_merchant: Merchant };

/** The content of demo.json (contract §1). */
export type Demo = Urls & Merchants;

const FIRST = 'Toko Demo';
const SECOND = 'Toko Kedua';
const FUNDS_SEN = 100_000_000_00n;
const TIMEOUT_MS = 20_000;

/**
 * The demo merchants: made once, then read from demo.json. The URLs are written anew each time, since ports may change. Where a
 * start was cut off before the file was written, what it has made is taken up: merchants by their name with a new secret, the
 * money under the same operation id.
 */
export async function ensureDemo(folder: string, ports: Ports, tls?: TlsFiles): Promise<Demo> {
  const file = path.join(folder, 'demo.json');
  const channel = openChannel({ address: `127.0.0.1:${ports.MERCHANT_RPC_PORT}`, tls, timeoutMs: TIMEOUT_MS });
  try {
    await ensureOperators(folder, channel);
    const operators = demoClient(folder, channel, OperatorService);
    const { merchants: existing } = await operators.listMerchants({});
    const known = readDemo(file);
    // Not there: the databases are others now, for instance because MONGODB_URI has changed.
    const holds = existing.some((merchant) => merchant.merchantId === known?.merchant_id);
    const merchants = known !== undefined && holds ? known : await makeMerchants(operators, existing);
    const { partner_id, client_id, client_secret, merchant_id, account_ids, second_merchant } = merchants;
    const demo = { ...urlsOf(ports), partner_id, client_id, client_secret, merchant_id, account_ids, second_merchant };
    replaceFile(file, `${JSON.stringify(demo, undefined, 2)}\n`);
    return demo;
  } finally {
    await channel.close();
  }
}

/** Where the system answers. */
export function urlsOf(ports: Ports): Urls {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return {
    base_url: at(ports.EDGE_PORT),
    biller_url: at(ports.BILLER_PORT),
    pay_url: at(ports.PAY_PORT),
    rails_url: at(ports.RAILS_PORT),
    simulator_url: at(ports.SIMULATOR_PORT),
  };
}

function readDemo(file: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`${file} can not be read; start empty with: npm start -- --fresh`, { cause: error });
  }
}

type Operators = RpcClient<typeof OperatorService>;

async function makeMerchants(operators: Operators, existing: readonly MerchantSummary[]): Promise<Merchants> {
  const { merchant_id, ...first } = await ensureMerchant(operators, existing, FIRST);
  const [accountId] = first.account_ids;
  await operators.fund({
    merchantId: merchant_id,
    accountId,
    amountSen: FUNDS_SEN,
    operationId: `demo-${accountId}`,
    rail: 'bank-transfer',
  });
  const { partner_id, client_id, client_secret, account_ids } = await ensureMerchant(operators, existing, SECOND);
  return { ...first, merchant_id, second_merchant: { partner_id, client_id, client_secret, account_ids } };
}

async function ensureMerchant(
  operators: Operators,
  existing: readonly MerchantSummary[],
  name: string,
): Promise<Merchant & { merchant_id: string }> {
  const found = existing.find((merchant) => merchant.name === name);
  if (found !== undefined) return takeUp(operators, found);
  const made = await operators.createMerchant({
    name,
    products: [...PRODUCTS],
    ipWhitelist: ['127.0.0.1', '::1'],
    accountNames: ['Utama', 'Cadangan'],
  });
  return {
    merchant_id: made.merchantId,
    partner_id: made.partnerId,
    client_id: made.clientId,
    client_secret: made.clientSecret,
    account_ids: pair(made.accountIds),
  };
}

/** Its secret was shown once, to a launcher that is gone; so it gets a new one. */
async function takeUp(operators: Operators, found: MerchantSummary): Promise<Merchant & { merchant_id: string }> {
  const { merchantId, partnerId } = found;
  const [clientId = ''] = found.clientIds;
  const { clientSecret } = await operators.rotateSecret({ merchantId, clientId });
  // The default account is the first that was opened, and so the one that is funded.
  const accounts = found.accounts.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault)).map(({ accountId }) => accountId);
  return {
    merchant_id: merchantId,
    partner_id: partnerId,
    client_id: clientId,
    client_secret: clientSecret,
    account_ids: pair(accounts),
  };
}

function pair([first, second]: readonly string[]): [string, string] {
  if (first === undefined || second === undefined) throw new Error('the demo merchant has no two accounts');
  return [first, second];
}
