import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import { type Transfer, TransferSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Logger } from '@gerbang/runtime';
import { readApiContract } from '@gerbang/testkit/api-contract';
import { expect } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';
import { type FakeMerchant, type FakeServices, newMerchant, startFakeServices } from './fake-services.ts';

/** Every answer of the edge is checked against the document that merchants read. */
const contract = readApiContract(JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')));

/** Paths of the other host. */
const BILLER_API = '/api/v1/prepaid/';

export type Reply = { http: number; headers: Headers; text: string; json: Record<string, never> & { [key: string]: unknown } };

export type SendOptions = { headers?: Record<string, string>; body?: unknown; raw?: string | Uint8Array; untyped?: boolean };

export type Edge = {
  fakes: FakeServices;
  service: Service;
  url: string;
  /** A merchant of the test's own. */
  merchant(over?: Partial<FakeMerchant>): FakeMerchant;
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  /** Headers of an admitted request. */
  signedIn(merchant: FakeMerchant): Record<string, string>;
  /** A request with a signature made here, from the specification and not from packages/core. */
  sendSigned(
    merchant: FakeMerchant,
    method: string,
    path: string,
    body: unknown,
    over?: { headers?: Record<string, string>; timestamp?: string; sent?: unknown; signedPath?: string; secret?: string },
  ): Promise<Reply>;
  close(): Promise<void>;
};

/** An edge with every service behind it faked; `environment` overrides its configuration. */
export async function startEdge(
  environment: Record<string, string> = {},
  options: { realNow?: () => number; log?: Logger } = {},
): Promise<Edge> {
  const realNow = options.realNow ?? Date.now;
  const fakes = await startFakeServices(realNow);
  const address = fakes.address;
  const config = readConfig({
    GERBANG_ENV: 'sandbox',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    EDGE_PORT: '0',
    RAILS_PORT: '0',
    BILLER_PORT: '0',
    BILLER_URL: 'http://127.0.0.1:8090',
    ADMIN_PORT: '0',
    // Nobody is there, and nothing but the tests of hints needs anybody.
    NATS_URL: 'nats://127.0.0.1:9',
    MERCHANT_RPC: address,
    LEDGER_RPC: address,
    MONEY_OUT_RPC: address,
    DIRECT_DEBIT_RPC: address,
    CARDS_RPC: address,
    MONEY_IN_RPC: address,
    NOTIFIER_RPC: address,
    BILLER_RPC: address,
    ...environment,
  });
  const service = await startService(config, options);
  const edge: Edge = {
    fakes,
    service,
    url: service.url,
    merchant(over) {
      const merchant = newMerchant(over);
      fakes.merchants.push(merchant);
      return merchant;
    },
    async send(method, path, { headers = {}, body, raw, untyped = false } = {}) {
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch((path.startsWith(BILLER_API) ? service.billerUrl : service.url) + path, {
        method,
        headers: { ...(sent !== undefined && !untyped && { 'content-type': 'application/json' }), ...headers },
        ...(sent !== undefined && { body: sent }),
        redirect: 'manual',
      });
      const text = await response.text();
      expect(response.headers.get('x-request-id'), `${method} ${path}`).toMatch(/^[0-9a-f]{32}$/);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      if (path.startsWith('/api/'))
        contract.checkAnswer({ method, url: path, status: response.status, headers: response.headers, text });
      return { http: response.status, headers: response.headers, text, json: JSON.parse(text) };
    },
    signedIn: (merchant) => ({ authorization: `Bearer ${fakes.token(merchant)}`, 'x-partner-id': merchant.partnerId }),
    sendSigned(merchant, method, path, body, over = {}) {
      const token = fakes.token(merchant);
      const timestamp = over.timestamp ?? String(Math.floor(realNow() / 1_000));
      const hashed = createHash('sha256')
        .update(body === undefined ? '' : sorted(JSON.parse(JSON.stringify(body))))
        .digest('hex');
      const signature = createHmac('sha512', over.secret ?? merchant.clientSecret)
        .update(`${method}:${over.signedPath ?? path}:${token}:${hashed}:${timestamp}`)
        .digest('hex');
      return edge.send(method, path, {
        headers: {
          authorization: `Bearer ${token}`,
          'x-partner-id': merchant.partnerId,
          'x-timestamp': timestamp,
          'x-signature': signature,
          ...over.headers,
        },
        body: 'sent' in over ? over.sent : body,
      });
    },
    async close() {
      await service.close();
      await fakes.close();
    },
  };
  return edge;
}

/** JSON with sorted keys, as merchant-api.md has merchants build it. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sorted(item)}`).join(',')}}`;
}

export const newReference = () => `r-${randomBytes(8).toString('hex')}`;

/** A v2 order that is right in every field. */
export function orderOf(merchant: FakeMerchant): Record<string, unknown> {
  return {
    account_id: merchant.accountIds[0],
    reference_number: newReference(),
    bank_code: '014',
    bank_account_number: '1234567890',
    amount: { value: '150000.00', currency: 'IDR' },
  };
}

/** A transfer as money-out answers it. */
export function transferOf(over: Partial<Omit<Transfer, '$typeName' | '$unknown'>> = {}): Transfer {
  return create(TransferSchema, {
    transactionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    referenceNumber: 'r-1',
    accountId: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
    status: TransferStatus.SUCCESS,
    amountSen: 15_000_000n,
    feeSen: 250_000n,
    balanceAfterSen: 1_000_000n,
    createdAtMs: 1_800_000_000_000n,
    bankCode: '014',
    bankName: 'Bank Central Asia',
    bankAccountNumber: '1234567890',
    ...over,
  });
}
