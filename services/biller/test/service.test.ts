import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createClock, newUlid, RefusalError, refuse } from '@gerbang/core';
import { newOperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import { BillerOperatorService, PrepaidService, PurchaseStatus } from '@gerbang/proto/gerbang/biller/v1/biller';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountStatus, MerchantService, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { OperatorGateService, Outcome, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type Handlers, implement, openChannel, startRpcServer } from '@gerbang/rpc';
import { ConfigError } from '@gerbang/runtime';
import { eventually, freePort, startTestMongo, testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';
import { refusalOf, scriptedLedger } from './world.ts';

const [MERCHANT, ACCOUNT] = [newUlid(1), newUlid(2)];
const OPERATORS = {
  ana: { key: await newOperatorKey('ana'), role: Role.ADMIN },
  budi: { key: await newOperatorKey('budi'), role: Role.FINANCE },
  dewi: { key: await newOperatorKey('dewi'), role: Role.SUPPORT },
};
const gate = createOperatorGate(
  Object.values(OPERATORS).map(({ key, role }) => ({ id: key.id, role, publicKey: publicKeyOf(key) })),
);
const ledger = scriptedLedger();
const clock = createClock();
const closing: (() => Promise<unknown>)[] = [];
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let environment: Record<string, string>;
let prepaid: ReturnType<typeof clientsOf>['prepaid'];
let as: ReturnType<typeof clientsOf>['as'];

beforeAll(async () => {
  const mongo = await startTestMongo();
  closing.push(() => mongo.stop());
  const address = await startNeighbours();
  const nowhere = `127.0.0.1:${await freePort()}`;
  environment = {
    GERBANG_ENV: 'sandbox',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    MONGODB_URI: mongo.uri,
    MONGODB_DB_PREFIX: mongo.databasePrefix,
    NATS_URL: `nats://${nowhere}`,
    RPC_PORT: '0',
    ADMIN_PORT: '0',
    MERCHANT_RPC: address,
    LEDGER_RPC: address,
    GERBANG_KEKS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    RAIL_BILLER_URL: await startAggregator(),
    RAIL_BILLER_CLIENT_KEY: 'k',
    RAIL_BILLER_CLIENT_SECRET: 's',
    RAIL_BILLER_PRIVATE_KEY: Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' })).toString('base64'),
    RAIL_BILLER_PARTNER_ID: 'p',
    RAIL_BILLER_CHANNEL_ID: '1',
  };
  const service = await startService(readConfig(environment), { clock });
  closing.push(() => service.close());
  ({ prepaid, as } = clientsOf(service.port));
}, 30_000);

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const ask = (customerId: string) =>
  prepaid.inquirePrepaid({ merchantId: MERCHANT, command: 'plntok', productCode: 'PLN50', customerId });
const pay = async (customerId: string) => {
  const { inquiry } = await ask(customerId);
  const referenceNumber = inquiry?.referenceNumber ?? '';
  return () => prepaid.payPrepaid({ merchantId: MERCHANT, command: 'plntok', referenceNumber, accountId: '' });
};

test('an inquiry and its payment, over the rail and the wire', async () => {
  const paying = await pay('12345678901');
  const { purchase, token } = await paying();
  expect([purchase?.status, purchase?.customerName, purchase?.accountId]).toEqual([PurchaseStatus.SUCCESS, 'BUDI', ACCOUNT]);
  expect(token).toMatch(/^[0-9]{20}$/);
  expect((await paying()).token).toBe(token);
});

test('a payment that the rail leaves open is finished by the timer', async () => {
  const paying = await pay('12345670002');
  expect((await paying()).purchase?.status).toBe(PurchaseStatus.PENDING);
  clock.setOffset(clock.offsetMs() + 60_000);
  await eventually('the token', async () => (await paying()).token !== '', 10_000);
});

test('operators set a product; merchants see it and inquire it', async () => {
  const product = {
    code: 'WATER10',
    command: 'water',
    name: 'Water 10.000',
    amountSen: 10_000_00n,
    adminSen: 1_000_00n,
    railCode: 'PDAM-10',
    customerDigitsMin: 6,
    customerDigitsMax: 11,
    customerPrefix: '',
    givesToken: false,
    effectiveFromMs: 0n,
    effectiveUntilMs: 0n,
  };
  const operators = as('ana');
  await operators.setProduct({ product });
  await operators.setProduct({ product: { ...product, adminSen: 1_500_00n } });
  const { products } = await prepaid.listPrepaidProducts({ merchantId: MERCHANT, command: 'water' });
  expect(products).toMatchObject([{ ...product, adminSen: 1_500_00n }]);
  const { inquiry } = await prepaid.inquirePrepaid({
    merchantId: MERCHANT,
    command: 'water',
    productCode: 'WATER10',
    customerId: '123456',
  });
  expect([inquiry?.amountSen, inquiry?.adminSen]).toEqual([10_000_00n, 1_500_00n]);
  expect(await refusalOf(operators.setProduct({ product: { ...product, code: 'a b' } }))).toEqual(['validation', ['code']]);
  expect((await operators.listProductVersions({})).products.filter(({ code }) => code === 'WATER10')).toHaveLength(1);
  expect((await prepaid.listPrepaidProducts({ merchantId: MERCHANT, command: '' })).products.map(({ code }) => code)).toEqual([
    ...['PLN20', 'PLN50', 'PLN100', 'PLN200', 'PLN500', 'PLN1000'],
    ...['PULSA10', 'PULSA25', 'PULSA50', 'PULSA100', 'WATER10'],
  ]);
});

test('operators are who they have the key of, and do what their role may', async () => {
  const asked = { referenceNumber: 'unknown', outcome: 'failed' };
  expect(await refusalOf(as().resolvePurchase(asked))).toEqual(['unauthorized', []]);
  expect(await refusalOf(as().listProductVersions({}))).toEqual(['unauthorized', []]);
  expect(await refusalOf(as().listUnresolvedPurchases({ limit: 1 }))).toEqual(['unauthorized', []]);
  expect(await refusalOf(as('dewi').resolvePurchase(asked))).toEqual(['forbidden', []]);
  expect(await refusalOf(as('budi').setProduct({}))).toEqual(['forbidden', []]);
  expect(await refusalOf(as('budi').resolvePurchase(asked))).toEqual(['transaction_not_found', []]);
  const { products } = await as('ana').listProductVersions({});
  const pulsa = products.find(({ code }) => code === 'PULSA100') ?? expect.fail('there is no PULSA100');
  await as('ana').setProduct({ product: { ...pulsa, name: 'Pulsa' } });
  expect(gate.commands.at(-1)).toMatchObject({
    operator: 'ana',
    method: 'SetProduct',
    outcome: Outcome.DONE,
    target: 'product:PULSA100',
    before: expect.stringContaining(`"name":"${pulsa.name}"`),
    after: expect.stringContaining('"name":"Pulsa"'),
  });
});

test('a start keeps what operators have set', async () => {
  const { products } = await as('dewi').listProductVersions({});
  const pln = products.find(({ code }) => code === 'PLN1000');
  if (pln === undefined) throw new Error('there is no PLN1000');
  await as('ana').setProduct({ product: { ...pln, adminSen: 7_000_00n } });
  const second = await startService(readConfig(environment), { clock });
  closing.push(() => second.close());
  const found = (await clientsOf(second.port).as('ana').listProductVersions({})).products.filter(
    ({ code }) => code === 'PLN1000',
  );
  expect(found.map(({ adminSen }) => adminSen)).toEqual([7_000_00n]);
});

test('the configuration: production has a cut-off, a wrong one is refused', () => {
  expect(readConfig({ ...environment, GERBANG_ENV: 'production' }).cutOff.get('plntok')).toEqual({ from: 23 * 60, until: 60 });
  expect(readConfig(environment).cutOff.size).toBe(0);
  expect(readConfig({ ...environment, GERBANG_ENV: 'production', PREPAID_CUT_OFF: 'none' }).cutOff.size).toBe(0);
  expect(() => readConfig({ ...environment, PREPAID_CUT_OFF: 'night' })).toThrow(ConfigError);
});

function clientsOf(port: number) {
  const channel = openChannel({ address: `127.0.0.1:${port}`, tls: undefined });
  closing.push(() => channel.close());
  /** Operators' commands, by who gives them; without a name no one signs them. */
  const as = (operator?: keyof typeof OPERATORS) =>
    channel.client(BillerOperatorService, operator && { authorize: operatorAuthorizer(OPERATORS[operator].key, 'biller') });
  return { prepaid: channel.client(PrepaidService), as };
}

/** The ledger and the merchant service: their contracts in a few lines. */
async function startNeighbours(): Promise<string> {
  const unused = () => Promise.reject(new Error('not part of these tests'));
  const merchants: Handlers<typeof MerchantService> = {
    getProfile: async ({ merchantId }) => {
      if (merchantId !== MERCHANT) throw new RefusalError(refuse('merchant_not_found'));
      const products = ['biller'];
      const status = MerchantStatus.ACTIVE;
      return { profile: { merchantId, status, version: 1n, partition: 'p0', products, defaultAccountId: ACCOUNT } };
    },
    getAccount: async ({ merchantId, accountId }) => ({
      account: { accountId, merchantId, version: 1n, status: AccountStatus.ACTIVE },
    }),
    checkVersions: async () => ({}),
    getAccess: unused,
    issueToken: unused,
    listVerificationKeys: unused,
    getCallbackSettings: unused,
    updateCallbackSettings: unused,
    listWebhookSettings: unused,
  };
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: testLog('fakes'),
    ready: () => true,
    implementations: [
      implement(LedgerService, { post: ledger.post, getBalance: unused, verify: unused }, []),
      implement(MerchantService, merchants, []),
      implement(OperatorGateService, gate.handlers, []),
    ],
  });
  closing.push(() => server.close());
  return `127.0.0.1:${server.port}`;
}

const requestSchema = z.looseObject({
  partnerReferenceNo: z.string().default(''),
  customerNo: z.string().default(''),
  amount: z.unknown().optional(),
});

/** An aggregator over real SNAP, which sells everything; numbers that end in 0002 are pending at first. */
async function startAggregator(): Promise<string> {
  const known = new Set<string>();
  const answer = (path: string, body: z.output<typeof requestSchema>): { responseCode: string } & object => {
    if (path.endsWith('b2b')) return { responseCode: '2007300', ...{ accessToken: 't', expiresIn: '900' } };
    const { partnerReferenceNo, customerNo, amount } = body;
    if (path.endsWith('inquiry')) return { responseCode: '2009500', ...{ customerNo, customerName: 'BUDI' } };
    const isPending = customerNo.endsWith('0002') && !known.has(partnerReferenceNo);
    known.add(partnerReferenceNo);
    const state = isPending
      ? { latestTransactionStatus: '03' }
      : { latestTransactionStatus: '00', token: tokenOf(partnerReferenceNo) };
    const about = { originalPartnerReferenceNo: partnerReferenceNo, originalReferenceNo: 'b-1', amount };
    return { responseCode: '2009600', ...about, ...state };
  };
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const said = answer(request.url ?? '', requestSchema.parse(JSON.parse(Buffer.concat(chunks).toString())));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ responseMessage: 'ok', ...said }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

function tokenOf(reference: string): string {
  return [...reference.slice(-20)].map((character) => character.charCodeAt(0) % 10).join('');
}
