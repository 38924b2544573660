import { type AdjustableClock, createClock, type RefusalCode, RefusalError, refuse } from '@gerbang/core';
import {
  loginAuthorizer,
  newOperatorKey,
  type OperatorKey,
  type OperatorLogin,
  operatorAuthorizer,
  publicKeyOf,
  withApproval,
} from '@gerbang/neighbours';
import { KeyService } from '@gerbang/proto/gerbang/keys/v1/keys';
import { LedgerService, type PostRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountService, MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { OperatorAdminService } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type Authorize, implement, openChannel, type RpcChannel, type RpcClient, startRpcServer } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import { connectStore, type Store } from '@gerbang/store';
import { startTestMongo, startTestNats, type TestMongo, type TestNats, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';

/** Key-encryption keys for tests: `ring('new', 'old')` seals with "new". */
export function ring(...kids: string[]): string {
  return kids.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join(',');
}

export type Running = {
  service: Service;
  merchants: RpcClient<typeof MerchantService>;
  accounts: RpcClient<typeof AccountService>;
  /** The commands of two admins: budi gives them, and sari approves what needs it. */
  operators: RpcClient<typeof OperatorService>;
  admins: RpcClient<typeof OperatorAdminService>;
  /** The commands of the holder of a key, alone. */
  as(key: OperatorKey): Commands;
  /** The commands of the holder of a login. */
  loggedIn(login: OperatorLogin): Commands;
  channel: RpcChannel;
  keys: RpcClient<typeof KeyService>;
  close(): Promise<void>;
};

export type Commands = {
  operators: RpcClient<typeof OperatorService>;
  admins: RpcClient<typeof OperatorAdminService>;
  keys: RpcClient<typeof KeyService>;
};

/** Keys of the two admins that every service of the tests is set up with. */
export const budi = await newOperatorKey('budi');
export const sari = await newOperatorKey('sari');

/** As an operator is enrolled. */
export const enrolment = (key: OperatorKey) => ({ id: key.id, name: key.id, publicKey: publicKeyOf(key) });

/** A MongoDB, a NATS and a ledger for one test file; each test starts services on a database of its own. */
export function useMerchantService() {
  let mongo: TestMongo;
  let nats: TestNats;
  let ledger: Awaited<ReturnType<typeof startLedger>>;
  let databases = 0;
  const running: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    [mongo, nats, ledger] = await Promise.all([startTestMongo(), startTestNats(), startLedger()]);
  }, 30_000);
  afterAll(async () => {
    await Promise.all(running.map((one) => one.close()));
    await ledger.close();
    await nats.stop();
    await mongo.stop();
  }, 30_000);
  const newDatabase = () => `${mongo.databasePrefix}${++databases}_`;
  return {
    newDatabase,
    mongoUri: () => mongo.uri,
    natsUrl: () => nats.url,
    postings: () => ledger.postings,
    /** What is really in the service's database. */
    async openDatabase(database: string): Promise<Store> {
      const store = await connectStore({ uri: mongo.uri, database: `${database}merchant`, appName: 'test' });
      running.push(store);
      return store;
    },
    async start(
      options: {
        database?: string;
        clock?: AdjustableClock;
        realNow?: () => number;
        env?: Record<string, string>;
        log?: Logger;
        withoutOperators?: boolean;
        httpAllowed?: boolean;
      } = {},
    ): Promise<Running> {
      const config = readConfig({
        GERBANG_ENV: 'sandbox',
        LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
        MONGODB_URI: mongo.uri,
        MONGODB_DB_PREFIX: options.database ?? newDatabase(),
        NATS_URL: nats.url,
        RPC_PORT: '0',
        ADMIN_PORT: '0',
        LEDGER_RPC: `127.0.0.1:${ledger.port}`,
        MERCHANT_PARTITIONS: 'p0',
        GERBANG_KEKS: ring('first'),
        CHAIN_KEYS: ring('chain'),
        ...options.env,
      });
      const { httpAllowed = config.httpAllowed } = options;
      const service = await startService(
        { ...config, httpAllowed },
        {
          clock: options.clock ?? createClock(),
          ...(options.realNow !== undefined && { realNow: options.realNow }),
          ...(options.log !== undefined && { log: options.log }),
        },
      );
      const channel = openChannel({ address: `127.0.0.1:${service.port}`, tls: undefined });
      const signedBy = (authorize: Authorize): Commands => ({
        operators: channel.client(OperatorService, { authorize }),
        admins: channel.client(OperatorAdminService, { authorize }),
        keys: channel.client(KeyService, { authorize }),
      });
      const as = (key: OperatorKey) => signedBy(operatorAuthorizer(key, 'merchant', options.realNow));
      if (!options.withoutOperators) {
        await channel.client(OperatorAdminService).setUp({ admins: [enrolment(budi), enrolment(sari)] });
      }
      let closed: Promise<void> | undefined;
      const one: Running = {
        service,
        merchants: channel.client(MerchantService),
        accounts: channel.client(AccountService),
        operators: withApproval(OperatorService, as(budi).operators, as(sari).operators),
        admins: withApproval(OperatorAdminService, as(budi).admins, as(sari).admins),
        as,
        loggedIn: (login) => signedBy(loginAuthorizer(login, 'merchant', options.realNow)),
        channel,
        keys: as(budi).keys,
        close: () => {
          closed ??= channel.close().then(() => service.close());
          return closed;
        },
      };
      running.push(one);
      return one;
    },
  };
}

/** What a merchant is created from, unless the test says otherwise. */
export const newMerchant = {
  operator: 'budi',
  name: 'Toko Maju',
  products: ['disbursement'],
  ipWhitelist: ['127.0.0.1', '::1'],
  accountNames: ['Main', 'Savings'],
};

/** The refusal that a call is answered with; fails when there is none. */
export async function refusalOf(call: Promise<unknown>): Promise<{ code: RefusalCode; message: string; fields: string[] }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RefusalError) {
      const { refused, message, errors } = error.refusal;
      return { code: refused, message, fields: Object.keys(errors ?? {}) };
    }
    throw error;
  }
  return expect.fail('the call was not refused');
}

/** Credits once per posting key, as the ledger's contract has it; this is another service, and its rules are tested there. */
async function startLedger() {
  const postings = new Map<string, { request: PostRequest; availableAfterSen: bigint }>();
  const available = new Map<string, bigint>();
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: testLog('ledger'),
    ready: () => true,
    implementations: [
      implement(
        LedgerService,
        {
          async post(request) {
            const known = postings.get(request.postingKey);
            if (known === undefined) {
              const availableAfterSen = (available.get(request.accountId) ?? 0n) + request.amountSen;
              available.set(request.accountId, availableAfterSen);
              postings.set(request.postingKey, { request, availableAfterSen });
              return { availableAfterSen };
            }
            if (known.request.amountSen !== request.amountSen) throw new RefusalError(refuse('posting_key_conflict'));
            return { availableAfterSen: known.availableAfterSen };
          },
          getBalance: async ({ accountId }) => ({ availableSen: available.get(accountId) ?? 0n }),
          verify: async () => ({ postings: BigInt(postings.size), sumSen: 0n }),
        },
        ['merchant'],
      ),
    ],
  });
  return { port: server.port, close: () => server.close(), postings };
}
