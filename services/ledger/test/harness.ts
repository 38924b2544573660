import { randomBytes } from 'node:crypto';
import { type Clock, createClock, type RefusalCode, RefusalError } from '@gerbang/core';
import {
  newOperatorKey,
  type OperatorKey,
  openLedgerChannel,
  operatorAuthorizer,
  publicKeyOf,
  type Unlinked,
  type VerifyOptions,
  verifyLedger,
} from '@gerbang/neighbours';
import {
  Compensation,
  Intent,
  LedgerService,
  type PostRequest,
  RoutingService,
  Side,
  StatementService,
  type VerifiedBalance,
} from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { OperatorGateService, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { implement, openChannel, type RpcChannel, type RpcClient, type RpcServer, startRpcServer } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import { connectStore, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';
import { afterAll, beforeAll, expect } from 'vitest';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';

/** Keys of the journal's chain in these tests. */
export const CHAIN_KEYS = `k1:${Buffer.alloc(32, 'c').toString('base64')}`;

/** An operator who may only read. */
export const vera = await newOperatorKey('vera');

/** With the routing, because verifying it all needs both. What only operators may ask is asked by vera. */
export type Ledger = RpcClient<typeof LedgerService> & RpcClient<typeof RoutingService>;

export type Statements = RpcClient<typeof StatementService>;

export type Routing = RpcClient<typeof RoutingService>;

/** One instance, called directly: it answers for what it owns. */
export type Running = {
  ledger: Ledger;
  statements: Statements;
  routing: Routing;
  /** Without a token, unless a key signs the calls. */
  channel: RpcChannel;
  address: string;
  port: number;
  adminPort: number;
  close(): Promise<void>;
};

/** A MongoDB for one test file; each test starts services on a database of its own. */
export function useLedgerService() {
  let mongo: TestMongo;
  let merchant: RpcServer;
  const running: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    [mongo, merchant] = await Promise.all([startTestMongo(), startGate()]);
  }, 30_000);
  afterAll(async () => {
    await Promise.all(running.map((one) => one.close()));
    await merchant.close();
    await mongo.stop();
  }, 30_000);
  return {
    newDatabase: () => `${mongo.databasePrefix}${randomBytes(4).toString('hex')}_`,
    mongoUri: () => mongo.uri,
    /** Where the operators are known. */
    merchantRpc: () => `127.0.0.1:${merchant.port}`,
    /** What is really in the service's database. */
    async openDatabase(database: string): Promise<Store> {
      const store = await connectStore({ uri: mongo.uri, database: `${database}ledger`, appName: 'test' });
      running.push(store);
      return store;
    },
    async start(options: {
      database: string;
      clock?: Clock;
      mongoUri?: string;
      env?: Record<string, string>;
      log?: Logger;
    }): Promise<Running> {
      const config = readConfig({
        GERBANG_ENV: 'sandbox',
        LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
        MONGODB_URI: options.mongoUri ?? mongo.uri,
        MONGODB_DB_PREFIX: options.database,
        RPC_PORT: '0',
        ADMIN_PORT: '0',
        MERCHANT_RPC: `127.0.0.1:${merchant.port}`,
        LEDGER_INSTANCE: 'first',
        CHAIN_KEYS,
        ...options.env,
      });
      const log = options.log !== undefined && { log: options.log };
      const service = await startService(config, { clock: options.clock ?? createClock(), ...log });
      const channel = openChannel({ address: `127.0.0.1:${service.port}`, tls: undefined, timeoutMs: 10_000 });
      let closed: Promise<void> | undefined;
      const one: Running = {
        ledger: ledgerOf(channel),
        statements: channel.client(StatementService),
        routing: ledgerOf(channel),
        channel,
        address: `127.0.0.1:${service.port}`,
        port: service.port,
        adminPort: service.adminPort,
        close: () => {
          closed ??= channel.close().then(() => service.close());
          return closed;
        },
      };
      running.push(one);
      return one;
    },
    /** The ledger as services call it: wherever the partitions are. */
    open(...seeds: readonly Running[]): { ledger: Ledger; statements: Statements } {
      const channel = openLedgerChannel({ addresses: seeds.map(({ address }) => address), tls: undefined, timeoutMs: 10_000 });
      running.push(channel);
      return { ledger: ledgerOf(channel), statements: channel.client(StatementService) };
    },
  };
}

/** Only what operators may ask is signed. */
export function ledgerOf(channel: RpcChannel): Ledger {
  const { verify, listPartitions } = signedBy(vera, channel);
  return { ...channel.client(LedgerService), ...channel.client(RoutingService), verify, listPartitions };
}

/** The ledger as the holder of a key asks it. */
export function signedBy(key: OperatorKey, channel: RpcChannel): Ledger {
  const signed = { authorize: operatorAuthorizer(key, 'ledger') };
  return { ...channel.client(LedgerService, signed), ...channel.client(RoutingService, signed) };
}

/** The merchant service as the ledger asks it: it knows vera. */
function startGate(): Promise<RpcServer> {
  const gate = createOperatorGate([{ id: vera.id, role: Role.VIEWER, publicKey: publicKeyOf(vera) }]);
  const implementations = [implement(OperatorGateService, gate.handlers, ['ledger'])];
  return startRpcServer({ host: '127.0.0.1', port: 0, tls: undefined, log: testLog(), implementations, ready: () => true });
}

export const MERCHANT = '01K00000000000000000MERCHA';
export const ACCOUNT = '01K000000000000000000ACC01';
export const OTHER_ACCOUNT = '01K000000000000000000ACC02';

let keys = 0;

/** A posting; amounts in sen, everything else as the tests need it unless told. */
export function posting(
  intent: Intent,
  amountSen: bigint,
  more: Partial<PostRequest> = {},
): Omit<PostRequest, '$typeName' | '$unknown'> {
  keys++;
  return {
    merchantId: MERCHANT,
    partition: 'p0',
    postingKey: `key-${keys}`,
    intent,
    accountId: ACCOUNT,
    amountSen,
    feeSen: 0n,
    vendorFeeSen: 0n,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: `transaction-${keys}`,
    referenceNumber: `reference-${keys}`,
    description: 'Sewa Agustus',
    destinationAccountId: '',
    side: Side.UNSPECIFIED,
    fromSuspense: false,
    compensation: Compensation.UNSPECIFIED,
    ...more,
  };
}

export const credit = (amountSen: bigint, more: Partial<PostRequest> = {}) => posting(Intent.CREDIT, amountSen, more);
export const hold = (amountSen: bigint, more: Partial<PostRequest> = {}) => posting(Intent.HOLD, amountSen, more);
export const capture = (amountSen: bigint, more: Partial<PostRequest> = {}) => posting(Intent.CAPTURE, amountSen, more);
export const transfer = (amountSen: bigint, more: Partial<PostRequest> = {}) =>
  posting(Intent.TRANSFER, amountSen, { product: 'account-transfer', rail: '', destinationAccountId: OTHER_ACCOUNT, ...more });
export const settle = (amountSen: bigint, more: Partial<PostRequest> = {}) =>
  posting(Intent.SETTLE, amountSen, { product: 'qris', rail: '', ...more });
/** Money in, which waits in pending; net of its fee. */
export const payIn = (amountSen: bigint, more: Partial<PostRequest> = {}) =>
  credit(amountSen, { product: 'qris', rail: 'qris', side: Side.PENDING, ...more });
export const refund = (amountSen: bigint, more: Partial<PostRequest> = {}) =>
  posting(Intent.REFUND, amountSen, { product: 'card', rail: 'card', ...more });
export const compensate = (compensation: Compensation, amountSen: bigint, more: Partial<PostRequest> = {}) =>
  posting(Intent.COMPENSATE, amountSen, { compensation, ...more });
export const release = (amountSen: bigint, more: Partial<PostRequest> = {}) => posting(Intent.RELEASE, amountSen, more);

/** Available, held, pending; sen. */
export async function balances(ledger: Ledger, accountId = ACCOUNT): Promise<[bigint, bigint, bigint]> {
  const { availableSen, heldSen, pendingSen } = await ledger.getBalance({ merchantId: MERCHANT, partition: 'p0', accountId });
  return [availableSen, heldSen, pendingSen];
}

/** The code that a call is refused with; fails when it is not. */
export async function refusalOf(call: Promise<unknown>): Promise<RefusalCode> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.refused;
    throw error;
  }
  return expect.fail('the call was not refused');
}

/** The whole ledger compared with its journal, with every difference. */
export async function verified(ledger: Ledger, options: VerifyOptions = {}) {
  const lines: string[] = [];
  const unlinked: Unlinked[] = [];
  const balances: VerifiedBalance[] = [];
  const total = await verifyLedger(
    { ledger, routing: ledger },
    {
      difference: (line) => lines.push(line),
      unlinked: (run) => unlinked.push(run),
      balance: (balance) => balances.push(balance),
    },
    options,
  );
  return { ...total, differences: lines, unlinked, balances };
}

/** Nothing differs, and the sum is zero. */
export async function expectIntact(ledger: Ledger): Promise<void> {
  const { differences, sumSen } = await verified(ledger);
  expect({ differences, sumSen }).toEqual({ differences: [], sumSen: 0n });
}
