import { CardService, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { AccountStatus, MerchantService, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { implement, openChannel, startRpcServer } from '@gerbang/rpc';
import { ConfigError } from '@gerbang/runtime';
import { freePort, startTestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';
import { ACCOUNT, CVV, MERCHANT, NUMBER, newOrder } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const acquirer = newAcquirer();
const closing: (() => Promise<unknown>)[] = [];
let environment: Record<string, string>;

beforeAll(async () => {
  const mongo = await startTestMongo();
  closing.push(() => mongo.stop());
  const address = await startMerchants();
  environment = {
    GERBANG_ENV: 'sandbox',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    MONGODB_URI: mongo.uri,
    MONGODB_DB_PREFIX: mongo.databasePrefix,
    NATS_URL: `nats://127.0.0.1:${await freePort()}`,
    RPC_PORT: '0',
    ADMIN_PORT: '0',
    MERCHANT_RPC: address,
    LEDGER_RPC: address,
    MONEY_IN_RPC: address,
    PAY_URL: 'http://pay',
    GERBANG_KEKS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    RAIL_CARD_URL: 'http://127.0.0.1:1',
    RAIL_CARD_CLIENT_KEY: 'k',
    RAIL_CARD_CLIENT_SECRET: 's',
    CARD_ACQUIRER_NAME: 'bank',
    CARD_VELOCITY_LIMITS: '[{"by":"card","seconds":86400,"attempts":2}]',
  };
});

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** A merchant with one account and the product. */
async function startMerchants(): Promise<string> {
  const unused = () => Promise.reject(new Error('not part of this test'));
  const profile = { merchantId: MERCHANT, partition: 'p0', name: 'Toko', products: ['card'], status: MerchantStatus.ACTIVE };
  const account = { accountId: ACCOUNT, merchantId: MERCHANT, name: 'Main', status: AccountStatus.ACTIVE, version: 1n };
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: testLog(),
    implementations: [
      implement(
        MerchantService,
        {
          getProfile: async () => ({ profile: { ...profile, version: 1n } }),
          getAccount: async () => ({ account }),
          checkVersions: async () => ({ changedMerchantIds: [] }),
          getAccess: unused,
          issueToken: unused,
          listVerificationKeys: unused,
          getCallbackSettings: unused,
          updateCallbackSettings: unused,
          listWebhookSettings: unused,
        },
        [],
      ),
    ],
    ready: () => true,
  });
  closing.push(() => server.close());
  return `127.0.0.1:${server.port}`;
}

async function startReplica() {
  const service = await startService(readConfig(environment), { rail: acquirer.rail });
  closing.push(() => service.close());
  const channel = openChannel({ address: `127.0.0.1:${service.port}`, tls: undefined });
  closing.push(() => channel.close());
  const { pay } = channel.client(CardService);
  const charge = async (number: string) => {
    const card = { number, expiry: '12/39', cvv: CVV, holderName: 'BUDI' };
    const { payment } = await pay({ ...newOrder(), card, callerAddress: '203.0.113.9' }, { timeoutMs: 10_000 });
    return payment?.failedCode || PaymentStatus[payment?.status ?? 0];
  };
  const metrics = async () => (await fetch(`http://127.0.0.1:${service.adminPort}/metrics`)).text();
  return { charge, metrics };
}

test('limits against card testing hold over two replicas, and both show it', async () => {
  const [one, other] = [await startReplica(), await startReplica()];
  const answers = [await one.charge(NUMBER), await other.charge(NUMBER), await one.charge(NUMBER), await other.charge(NUMBER)];
  expect(answers).toEqual(['SUCCESS', 'SUCCESS', 'RISK_DECLINED', 'RISK_DECLINED']);
  for (let i = 0; i < 3; i++) expect(await one.charge('4411111111111118')).toBe('SUCCESS');
  expect(acquirer.cards).toHaveLength(5);
  const shown = await one.metrics();
  expect(shown).toMatch(/^gerbang_card_velocity_refusals_total\{by="card"[^}]*\} 1$/m);
  expect(shown).toMatch(/^gerbang_security_events_total\{listener="cards",[^}]*reason="card_testing_by_card"[^}]*\} 1$/m);
  expect(shown).toMatch(/^gerbang_card_authorisations_total\{acquirer="bank",brand="VISA",outcome="approved"[^}]*\} 4$/m);
  expect(shown).toMatch(/^gerbang_card_plan_lag_seconds(?:\{[^}]*\})? 0$/m);
}, 30_000);

test('limits that can not be read keep the service from starting, and are not printed', () => {
  const given = { ...environment, CARD_VELOCITY_LIMITS: '[{"by":"mail"}]', CARD_ACQUIRER_NAME: 'Bank A' };
  expect(() => readConfig(given)).toThrow(ConfigError);
  expect(() => readConfig(given)).toThrow(
    'CARD_ACQUIRER_NAME is not valid: expected lower-case letters, digits and dashes\n' +
      'CARD_VELOCITY_LIMITS is not valid: expected limits of card testing as JSON',
  );
});
