import { generateKeyPairSync, type KeyObject, randomInt } from 'node:crypto';
import { jakartaIso, newUlid, signTokenRequest, signTransaction } from '@gerbang/core';
import type { SnapCredentials } from '@gerbang/rails';
import {
  type BankTransferRail,
  type BankTransferRequest,
  openSnapBankTransfer,
  type SnapBankTransferOptions,
} from '@gerbang/rails/bank-transfer';
import { openSnapQrisPayment, type QrisPaymentRail } from '@gerbang/rails/qris-payment';
import { startTestMongo } from '@gerbang/testkit';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const SECRET = 'bank-secret';

export const booksSchema = z.object({
  items: z.array(
    z.object({
      reference_number: z.string(),
      transaction_id: z.string(),
      direction: z.string(),
      amount: z.object({ value: z.string(), currency: z.string() }),
      status: z.string(),
    }),
  ),
});
export type BookItem = z.infer<typeof booksSchema>['items'][number];

/** A simulator on a database of its own, and the client that the services use. */
export type Bench = {
  url(): string;
  /** Where the acquirer's host listens; only with SIMULATOR_ISO8583_PORT. */
  iso8583Port(): number;
  rail: BankTransferRail;
  /** Chance, as the simulator sees it: Math.random unless a test sets it. */
  chance: { random: () => number };
  /** What this bank knows Gerbang by, for the clients of its other rails. */
  credentials(): SnapCredentials;
  /** A further client with other credentials. */
  openRail(over: Partial<SnapBankTransferOptions>): BankTransferRail;
  /** Closes the simulator and starts it again on the same database and port. */
  restart(): Promise<void>;
  control(method: string, path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }>;
  books(): Promise<BookItem[]>;
  stop(): Promise<void>;
};

export async function startBench(over: Record<string, string> = {}): Promise<Bench> {
  const mongo = await startTestMongo();
  const chance = { random: Math.random };
  const start = (port: number) =>
    startService(readConfig({ ...environment(mongo.uri, mongo.databasePrefix, port), ...over }), {
      random: () => chance.random(),
    });
  let service: Service = await start(0);
  const { url } = service;
  const rail = openRailTo(url);
  const control: Bench['control'] = async (method, path, body) => {
    const response = await fetch(`${url}/sandbox/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, json: toRecord(await response.json()) };
  };
  return {
    url: () => url,
    iso8583Port: () => service.iso8583Port ?? 0,
    rail,
    chance,
    credentials: () => credentials(url),
    openRail: (over) => openRailTo(url, over),
    control,
    async restart() {
      const { port } = service;
      await service.close();
      service = await start(port);
    },
    async books() {
      const { json } = await control('GET', 'rails/bank-transfer/books');
      return booksSchema.parse(json).items;
    },
    async stop() {
      await rail.close();
      await service.close();
      await mongo.stop();
    },
  };
}

export const config = (uri: string, prefix: string, port: number) => readConfig(environment(uri, prefix, port));

export function environment(uri: string, prefix: string, port: number): Record<string, string> {
  return {
    GERBANG_ENV: 'sandbox',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    MONGODB_URI: uri,
    MONGODB_DB_PREFIX: prefix,
    ADMIN_PORT: '0',
    SIMULATOR_PORT: String(port),
    SIMULATOR_CLIENT_KEY: 'gerbang',
    SIMULATOR_CLIENT_SECRET: SECRET,
    SIMULATOR_PUBLIC_KEY: Buffer.from(pem(keys.publicKey)).toString('base64'),
    SIMULATOR_PRIVATE_KEY: Buffer.from(pem(keys.privateKey)).toString('base64'),
    SIMULATOR_RAIL_SECRET: 'r'.repeat(40),
  };
}

/** The client that the services use, with this bank's credentials. */
export function openRailTo(url: string, over: Partial<SnapBankTransferOptions> = {}): BankTransferRail {
  return openSnapBankTransfer({ ...credentials(url), ...over });
}

/** What the simulator knows the gateway by. */
export function credentials(url: string): SnapCredentials {
  return {
    url,
    clientKey: 'gerbang',
    clientSecret: SECRET,
    privateKey: pem(keys.privateKey),
    partnerId: 'gerbang',
    channelId: '95221',
  };
}

/** The client that pays codes. */
export function openQrisPaymentTo(url: string): QrisPaymentRail {
  return openSnapQrisPayment({
    url,
    clientKey: 'gerbang',
    clientSecret: SECRET,
    privateKey: pem(keys.privateKey),
    partnerId: 'gerbang',
    channelId: '95221',
    merchantId: 'gerbang',
  });
}

export function newRequest(accountNumber = '1234567890', over: Partial<BankTransferRequest> = {}): BankTransferRequest {
  const partnerReference = newUlid(Date.now());
  return {
    partnerReference,
    externalId: newExternalId(),
    merchantReference: `m-${partnerReference}`,
    amountSen: '1500000',
    beneficiaryBankCode: '014',
    beneficiaryAccountNumber: accountNumber,
    beneficiaryAccountName: '',
    remark: '',
    createdAtMs: Date.now(),
    ...over,
  };
}

export const newExternalId = () => `${Date.now()}${String(randomInt(1e12)).padStart(12, '0')}`;
export const within = (ms: number) => ({ signal: AbortSignal.timeout(ms) });
export const soon = () => within(5_000);

export function newPrivateKey(): string {
  return pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
}

type SnapResult = { status: number; json: Record<string, unknown> };

/** A token by hand, without the client; headers may be replaced, or left out by undefined. */
export async function askToken(
  url: string,
  headers: Record<string, string | undefined> = {},
  body?: string,
): Promise<SnapResult> {
  const timestamp = headers['x-timestamp'] ?? jakartaIso(Date.now());
  const all = {
    'content-type': 'application/json',
    'x-timestamp': timestamp,
    'x-client-key': 'gerbang',
    'x-signature': signTokenRequest('gerbang', timestamp, keys.privateKey),
    ...headers,
  };
  return send(`${url}/v1.0/access-token/b2b`, all, body ?? JSON.stringify({ grantType: 'client_credentials' }));
}

/** A transaction by hand, signed properly unless its headers are replaced; `body` may be text, to be sent as it is. */
export async function callBank(
  url: string,
  path: string,
  body: object | string,
  headers: Record<string, string | undefined> = {},
): Promise<SnapResult> {
  const accessToken = String((await askToken(url)).json.accessToken);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const timestamp = headers['x-timestamp'] ?? jakartaIso(Date.now());
  const all = {
    'content-type': 'application/json',
    authorization: `Bearer ${accessToken}`,
    'x-timestamp': timestamp,
    'x-partner-id': 'gerbang',
    'x-external-id': newExternalId(),
    'channel-id': '95221',
    'x-signature': signTransaction({ method: 'POST', path, accessToken, body: text, timestamp }, SECRET),
    ...headers,
  };
  return send(`${url}${path}`, all, text);
}

async function send(url: string, headers: Record<string, string | undefined>, body: string): Promise<SnapResult> {
  const present = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(url, { method: 'POST', headers: present, body });
  return { status: response.status, json: toRecord(await response.json()) };
}

export function toRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`no JSON object: ${JSON.stringify(value)}`);
  return { ...value };
}

function pem(key: KeyObject): string {
  return key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString();
}
