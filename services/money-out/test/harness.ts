import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type AdjustableClock, createClock, newUlid, type RefusalCode, RefusalError, refuse } from '@gerbang/core';
import { newOperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import { Compensation, Intent, LedgerService, type PostRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountStatus, MerchantService, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { CardlessWithdrawalService } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { EwalletTopupService } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import {
  AccountTransferService,
  DisbursementService,
  LimitService,
  RailReportService,
  ResolutionService,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { OperatorGateService, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type Handlers, implement, openChannel, startRpcServer } from '@gerbang/rpc';
import { connectStore } from '@gerbang/store';
import { freePort, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';
import { afterAll, beforeAll, expect } from 'vitest';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';

/** Operators of the tests. */
const OPERATORS = {
  ana: { key: await newOperatorKey('ana'), role: Role.FINANCE },
  budi: { key: await newOperatorKey('budi'), role: Role.FINANCE },
  dewi: { key: await newOperatorKey('dewi'), role: Role.SUPPORT },
};

export type OperatorName = keyof typeof OPERATORS;

type Ledger = Handlers<typeof LedgerService>;

export type FakeMerchant = {
  merchantId: string;
  products: string[];
  accounts: Map<string, AccountStatus>;
  limits: { product: string; minimumSen?: bigint; maximumSen?: bigint; dailyMaximumSen?: bigint; monthlyMaximumSen?: bigint }[];
};

/** Real gRPC and a real database; the ledger and the merchant service are their contracts in a few lines. NATS is never there. */
export function useMoneyOut() {
  const merchants: FakeMerchant[] = [];
  const available = new Map<string, bigint>();
  const results = new Map<string, { request: PostRequest; refused?: RefusalCode; after: bigint }>();
  const scripted: { post?: (request: PostRequest, post: () => Promise<object>) => Promise<object> } = {};
  const closing: (() => Promise<void>)[] = [];
  const gate = createOperatorGate(
    Object.values(OPERATORS).map(({ key, role }) => ({ id: key.id, role, publicKey: publicKeyOf(key) })),
  );
  let mongo: TestMongo;
  let address: string;
  let databases = 0;

  /** Once per posting key, as the ledger's contract has it; its rules are tested there. */
  const post = async (request: PostRequest) => {
    const { postingKey, intent, accountId, destinationAccountId, amountSen } = request;
    const known = results.get(postingKey);
    if (known !== undefined && known.request.intent !== intent) throw new RefusalError(refuse('posting_key_conflict'));
    if (known === undefined) {
      const balance = available.get(accountId) ?? 0n;
      const change = changeOf(request);
      const isRefused = balance + change < 0n;
      const after = isRefused ? balance : balance + change;
      available.set(accountId, after);
      if (intent === Intent.TRANSFER && !isRefused) {
        available.set(destinationAccountId, (available.get(destinationAccountId) ?? 0n) + amountSen);
      }
      results.set(postingKey, { request, after, ...(isRefused && { refused: 'insufficient_balance' }) });
    }
    const result = results.get(postingKey);
    if (result?.refused !== undefined) throw new RefusalError(refuse(result.refused));
    return { availableAfterSen: result?.after ?? 0n };
  };
  const unscripted = () => Promise.reject(new Error('not part of these tests'));
  const ledger: Ledger = {
    post: (request) => (scripted.post === undefined ? post(request) : scripted.post(request, () => post(request))),
    getBalance: unscripted,
    verify: unscripted,
  };
  const merchant: Handlers<typeof MerchantService> = {
    getProfile: async ({ merchantId }) => {
      const found = merchants.find((one) => one.merchantId === merchantId);
      if (found === undefined) throw new RefusalError(refuse('merchant_not_found'));
      const { products, limits } = found;
      return { profile: { merchantId, status: MerchantStatus.ACTIVE, version: 1n, partition: 'p7', products, limits } };
    },
    getAccount: async ({ merchantId, accountId }) => {
      const owner = merchants.find(({ accounts }) => accounts.has(accountId));
      if (owner === undefined) throw new RefusalError(refuse('account_not_found'));
      if (owner.merchantId !== merchantId) throw new RefusalError(refuse('account_of_other_merchant'));
      return { account: { accountId, merchantId, version: 1n, status: owner.accounts.get(accountId) ?? AccountStatus.ACTIVE } };
    },
    checkVersions: async () => ({}),
    getAccess: unscripted,
    issueToken: unscripted,
    listVerificationKeys: unscripted,
    getCallbackSettings: unscripted,
    updateCallbackSettings: unscripted,
    listWebhookSettings: unscripted,
  };
  beforeAll(async () => {
    mongo = await startTestMongo();
    const server = await startRpcServer({
      host: '127.0.0.1',
      port: 0,
      tls: undefined,
      log: testLog('fakes'),
      ready: () => true,
      implementations: [
        implement(LedgerService, ledger, []),
        implement(MerchantService, merchant, []),
        implement(OperatorGateService, gate.handlers, []),
      ],
    });
    address = `127.0.0.1:${server.port}`;
    closing.push(
      () => mongo.stop(),
      () => server.close(),
    );
  }, 30_000);
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  }, 30_000);
  return {
    scripted,
    results,
    available,
    /** Operators' commands as the audit log has them. */
    commands: gate.commands,
    newDatabase: () => `${mongo.databasePrefix}${++databases}_`,
    /** A merchant with two accounts, the first one funded. */
    newMerchant(over: Partial<FakeMerchant> = {}, fundedSen = 100_000n) {
      const [source, destination] = [newUlid(Date.now()), newUlid(Date.now())];
      const accounts = new Map([source, destination].map((id) => [id, AccountStatus.ACTIVE]));
      const products = ['disbursement', 'account-transfer', 'ewallet-topup'];
      const made = { merchantId: newUlid(Date.now()), products, accounts, limits: [], ...over, source, destination };
      merchants.push(made);
      available.set(source, fundedSen);
      return made;
    },
    async openTransfers(database: string) {
      const store = await connectStore({ uri: mongo.uri, database: `${database}money_out`, appName: 'test' });
      closing.push(() => store.close());
      return store;
    },
    /** `env` overrides the configuration: there is nothing at the rails' addresses unless told. */
    async start(database: string, clock: AdjustableClock = createClock(), env: Record<string, string> = {}) {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const nowhere = `127.0.0.1:${await freePort()}`;
      const service = await startService(
        readConfig({
          GERBANG_ENV: 'sandbox',
          LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
          MONGODB_URI: mongo.uri,
          MONGODB_DB_PREFIX: database,
          NATS_URL: `nats://${nowhere}`,
          RPC_PORT: '0',
          ADMIN_PORT: '0',
          MERCHANT_RPC: address,
          LEDGER_RPC: address,
          RAIL_BANK_TRANSFER_URL: `http://${nowhere}`,
          RAIL_BANK_TRANSFER_CLIENT_KEY: 'k',
          RAIL_BANK_TRANSFER_CLIENT_SECRET: 's',
          RAIL_BANK_TRANSFER_PRIVATE_KEY: Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' })).toString('base64'),
          RAIL_BANK_TRANSFER_PARTNER_ID: 'p',
          RAIL_BANK_TRANSFER_CHANNEL_ID: '1',
          RAIL_EWALLET_TOPUP_URL: `http://${nowhere}`,
          RAIL_EWALLET_TOPUP_CLIENT_KEY: 'k',
          RAIL_EWALLET_TOPUP_CLIENT_SECRET: 's',
          RAIL_EWALLET_TOPUP_PRIVATE_KEY: Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' })).toString('base64'),
          RAIL_EWALLET_TOPUP_PARTNER_ID: 'p',
          RAIL_EWALLET_TOPUP_CHANNEL_ID: '1',
          ...cardlessRail(`http://${nowhere}`, privateKey),
          ...env,
          RAIL_QRIS_ISSUER_URL: `http://${nowhere}`,
          RAIL_QRIS_ISSUER_CLIENT_KEY: 'k',
          RAIL_QRIS_ISSUER_CLIENT_SECRET: 's',
          RAIL_QRIS_ISSUER_PRIVATE_KEY: Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' })).toString('base64'),
          RAIL_QRIS_ISSUER_PARTNER_ID: 'p',
          RAIL_QRIS_ISSUER_CHANNEL_ID: '1',
          RAIL_QRIS_ISSUER_MERCHANT_ID: 'm',
        }),
        { clock },
      );
      const channel = openChannel({ address: `127.0.0.1:${service.port}`, tls: undefined });
      const close = async () => {
        await channel.close();
        await service.close();
      };
      closing.push(close);
      return {
        clock,
        close,
        accountTransfers: channel.client(AccountTransferService),
        disbursements: channel.client(DisbursementService),
        ewalletTopups: channel.client(EwalletTopupService),
        cardlessWithdrawals: channel.client(CardlessWithdrawalService),
        reports: channel.client(RailReportService),
        /** Operators' commands, by who gives them; without a name no one signs them. */
        as(operator?: OperatorName) {
          const signed = operator && { authorize: operatorAuthorizer(OPERATORS[operator].key, 'money-out') };
          return { resolution: channel.client(ResolutionService, signed), limits: channel.client(LimitService, signed) };
        },
        adminPort: service.adminPort,
      };
    },
  };
}

/** A key ring as it is configured. */
export const newKeks = (kid: string) => `${kid}:${randomBytes(32).toString('base64')}`;

/** How the cardless rail at an address is reached, and a key for its codes. */
export function cardlessRail(url: string, privateKey: KeyObject): Record<string, string> {
  return {
    GERBANG_KEKS: newKeks('k1'),
    RAIL_CARDLESS_URL: url,
    RAIL_CARDLESS_CLIENT_KEY: 'gerbang',
    RAIL_CARDLESS_CLIENT_SECRET: 'bank-secret',
    RAIL_CARDLESS_PRIVATE_KEY: Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' })).toString('base64'),
    RAIL_CARDLESS_PARTNER_ID: 'gerbang',
    RAIL_CARDLESS_CHANNEL_ID: '95221',
  };
}

/** What a posting does to the available balance of its account. */
function changeOf({ intent, compensation, amountSen, feeSen }: PostRequest): bigint {
  const gross = amountSen + feeSen;
  if (intent === Intent.CAPTURE) return 0n;
  if (intent === Intent.RELEASE || compensation === Compensation.PAYOUT_RETURNED) return gross;
  return -gross;
}

/** The refusal that a call is answered with, and the fields that it names; fails when there is none. */
export async function refusalOf(call: Promise<unknown>): Promise<[RefusalCode, string[]]> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RefusalError) return [error.refusal.refused, Object.keys(error.refusal.errors ?? {})];
    throw error;
  }
  return expect.fail('the call was not refused');
}
