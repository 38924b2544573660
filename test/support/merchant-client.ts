import { createHash, createHmac, randomBytes } from 'node:crypto';
import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from './api.d.ts';
import { checkedFetch } from './api-contract.ts';

/** What .gerbang/demo.json holds (contract §1). */
export type Demo = {
  base_url: string;
  biller_url: string;
  simulator_url: string;
  partner_id: string;
  client_id: string;
  client_secret: string;
  merchant_id: string;
  account_ids: [string, string];
  second_merchant: { partner_id: string; client_id: string; client_secret: string; account_ids: [string, string] };
};

type Credentials = Pick<Demo, 'partner_id' | 'client_id' | 'client_secret'>;
export type Answer = { http: number; headers: Headers; text: string; json: Record<string, unknown> };

/** Calls to one host. */
type Calls = {
  /** Any call, also one that is wrong on purpose. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  signed(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
};

/** A merchant's side of the API, written from the specification alone: shares no code with the gateway. */
export type MerchantClient = Calls & {
  token: string;
  /** Calls with the types of docs/openapi.json. Token, partner id and, where it is required, the signature are added. */
  api: Client<paths>;
  get(path: string): Promise<Answer>;
  /** The headers of a call; with a body, also those of its signature. */
  headersOf(path: string, body?: unknown): Record<string, string>;
  /** Calls of the same merchant to another host, for instance biller_url. */
  at(baseUrl: string): Calls;
  /** In sen: {available, held, pending}. */
  balance(accountId: string): Promise<{ available: bigint; held: bigint; pending: bigint }>;
};

/** The operations that need a request signature (merchant-api.md, request signature). */
const SIGNED: ReadonlySet<string> = new Set([
  '/api/v1.0/disbursement/transfer',
  '/api/v2.0/disbursement/transfer',
  '/api/v1.0/account-transfers',
  '/api/v2.0/ewallet/trigger-topup',
  '/api/v2.0/qris/credit/{account_id}',
  '/api/v2.0/direct-debit/charge',
  '/api/v2.0/direct-debit/transaction/{transaction_id}/refund',
]);

/** Signs in with the v1.1 token endpoint. */
export async function signIn(baseUrl: string, credentials: Credentials): Promise<MerchantClient> {
  const { client_secret: secret, partner_id: partner } = credentials;
  const token = await issueToken(baseUrl, credentials);
  const base = { authorization: `Bearer ${token}`, 'x-partner-id': partner };
  const signature = (path: string, body: unknown) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const hash = createHash('sha256').update(canonical(body)).digest('hex');
    return { 'x-timestamp': timestamp, 'x-signature': hmacSha512(secret, `POST:${path}:${token}:${hash}:${timestamp}`) };
  };
  const api = createClient<paths>({ baseUrl, headers: base, redirect: 'manual', fetch: checkedFetch });
  api.use(signing(signature));
  const at = (host: string): Calls => {
    const send: Calls['send'] = (method, path, body, headers = {}) =>
      call(method, host + path, body === undefined ? undefined : JSON.stringify(body), { ...base, ...headers });
    return { send, signed: (path, body, headers = {}) => send('POST', path, body, { ...signature(path, body), ...headers }) };
  };
  const { send, signed } = at(baseUrl);
  return {
    token,
    api,
    send,
    signed,
    at,
    get: (path) => send('GET', path),
    headersOf: (path, body) => ({ ...base, ...(body !== undefined && signature(path, body)) }),
    async balance(accountId) {
      const path = { account_id: accountId };
      const balance = await accepted(api.GET('/api/v1.0/balance-inquiry/{account_id}', { params: { path } }));
      const { available_balance: available, held_balance: held, pending_balance: pending } = balance;
      return { available: sen(available), held: sen(held), pending: sen(pending) };
    },
  };
}

async function issueToken(baseUrl: string, { client_id: id, client_secret: secret, partner_id: partner }: Credentials) {
  const signature = hmacSha512(secret, `${id}_${secret}_${jakartaDay()}`);
  const headers = { 'x-partner-id': partner, 'x-client-id': id, 'x-signature': signature };
  const api = createClient<paths>({ baseUrl, headers, fetch: checkedFetch });
  const issued = await accepted(api.POST('/api/v1.1/access-token/b2b', { body: { grant_type: 'client_credentials' } }));
  return issued.access_token;
}

/** Signs the requests that need a signature, with the body as it is sent. */
function signing(signature: (path: string, body: unknown) => Record<string, string>): Middleware {
  return {
    async onRequest({ request, schemaPath }) {
      if (request.method !== 'POST' || !SIGNED.has(schemaPath)) return;
      const headers = signature(new URL(request.url).pathname, await request.clone().json());
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    },
  };
}

/** `data` of an answer of `api`; throws where the API has refused. */
export async function accepted<T>(answer: Promise<{ data?: { data: T }; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (data === undefined) throw new Error(`refused with ${response.status}: ${JSON.stringify(error)}`);
  return data.data;
}

/** One call; JSON in, JSON out. */
export async function call(
  method: string,
  url: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await checkedFetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
    redirect: 'manual',
  });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { http: response.status, headers: response.headers, text, json: isRecord(json) ? json : {} };
}

/** Money with two decimals, as the API writes it, in sen. */
export function sen(money: unknown): bigint {
  if (!isRecord(money) || typeof money.value !== 'string' || !/^-?\d+\.\d{2}$/.test(money.value)) {
    throw new Error(`not money: ${JSON.stringify(money)}`);
  }
  return BigInt(money.value.replace('.', ''));
}

export function idr(rupiah: number): { value: string; currency: 'IDR' } {
  return { value: rupiah.toFixed(2), currency: 'IDR' };
}

/** A reference number that no other test uses. */
export function newReference(prefix: string): string {
  return `${prefix}-${randomBytes(8).toString('hex')}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `data` of an answer; throws when there is none. */
export function dataOf(answer: Answer): Record<string, unknown> {
  if (!isRecord(answer.json.data)) throw new Error(`no data: ${answer.http} ${answer.text}`);
  return answer.json.data;
}

/** The two-digit status code in a transfer's data. */
export function statusOf(data: Record<string, unknown>): string {
  return isRecord(data.transaction_status) ? String(data.transaction_status.code) : '';
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${fields.join(',')}}`;
}

/** Today in Asia/Jakarta, YYYYMMDD. */
export function jakartaDay(): string {
  return new Date(Date.now() + 7 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', '');
}

/** In lower-case hex. */
export function hmacSha512(key: string, text: string): string {
  return createHmac('sha512', key).update(text).digest('hex');
}
