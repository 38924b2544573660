import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import { CancelRequestSchema, CancelType } from '@gerbang/proto/gerbang/cards/v1/cards';
import { CardData, type CardRail, openIso8583CardRail, openRestCardRail } from '@gerbang/rails/card';
import { dying, eventually, freePort, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { placePayment } from '../src/payment/place.ts';
import { cancel } from '../src/payment/rpc/cancel.ts';
import { ACCOUNT, eventsOf, MERCHANT, newId, newOrder, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

// The core of a payment by every adapter, against the acquirer of the sandbox: its books tell what has been charged.

const SIMULATOR = path.resolve(import.meta.dirname, '../../simulator/src/main.ts');
const DAY_MS = 86_400_000;
const SECRET = 'bank-secret';
const PLAIN = '4411111111111118';
const parts = useParts();
const rails = new Map<string, CardRail>();
let mongo: TestMongo;
let simulator: ChildProcess;
let url: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  const [port, adminPort, hostPort] = [await freePort(), await freePort(), await freePort()];
  url = `http://127.0.0.1:${port}`;
  simulator = startSimulator({
    SIMULATOR_PORT: String(port),
    ADMIN_PORT: String(adminPort),
    SIMULATOR_ISO8583_PORT: String(hostPort),
  });
  await eventually(
    'the simulator answers',
    () =>
      fetch(`${url}/sandbox/clock`).then(
        ({ ok }) => ok,
        () => false,
      ),
    60_000,
  );
  const acceptor = { terminalId: 'GERBANG1', merchantId: 'GERBANG00000001', acquirerId: '', city: 'JAKARTA' };
  rails.set('rest', openRestCardRail({ url: `${url}/card`, clientKey: 'gerbang', clientSecret: SECRET }));
  rails.set('iso8583', openIso8583CardRail({ host: '127.0.0.1', port: hostPort, tls: undefined, log: testLog(), ...acceptor }));
}, 90_000);

afterEach(() => control('DELETE', 'rails/card'));

afterAll(async () => {
  for (const rail of rails.values()) await rail.close();
  if (simulator !== undefined && simulator.exitCode === null) {
    simulator.kill('SIGKILL');
    await once(simulator, 'exit');
  }
  await mongo?.stop();
});

function startSimulator(ports: Record<string, string>): ChildProcess {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const env = {
    ...process.env,
    ...ports,
    GERBANG_ENV: 'sandbox',
    LOG_LEVEL: 'silent',
    MONGODB_URI: mongo.uri,
    MONGODB_DB_PREFIX: mongo.databasePrefix,
    SIMULATOR_CLIENT_KEY: 'gerbang',
    SIMULATOR_CLIENT_SECRET: SECRET,
    SIMULATOR_PUBLIC_KEY: Buffer.from(publicKey).toString('base64'),
    SIMULATOR_PRIVATE_KEY: Buffer.from(privateKey).toString('base64'),
    SIMULATOR_RAIL_SECRET: 'r'.repeat(40),
  };
  return spawn(process.execPath, [SIMULATOR], { env, stdio: 'ignore' });
}

async function control(method: string, where: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/sandbox/${where}`, { method, ...(body && { body: JSON.stringify(body), headers }) });
  return answer.json();
}

/** What the acquirer believes of a payment. */
async function booksOf(id: string): Promise<string[]> {
  const { items } = Object(await control('GET', 'rails/card/books'));
  if (!Array.isArray(items)) return expect.fail('no books');
  return items.filter(({ transaction_id: of }) => of === id).map(({ direction, status }) => `${direction} ${status}`);
}

const cardOf = (number: string) => new CardData({ number, expiry: '12/39', cvv: '123', holderName: 'BUDI' });

async function setUp(name: string) {
  const rail = rails.get(name) ?? expect.fail(`no ${name}`);
  const ledger = newLedger();
  const clock = createClock();
  const context = await parts.newContext({ ...newAcquirer(), rail }, ledger, dying(undefined), { clock });
  const id = newId();
  const goTo = (ms: number) => parts.fireTimers([context], clock, id, clock.now() + ms);
  const cancelIt = () => cancel(context, create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id }));
  return { context, ledger, id, goTo, cancelIt };
}

describe.each(['rest', 'iso8583'])('by %s', (name) => {
  test('a payment is authorised, captured and settled; its refund goes back', async () => {
    const { context, ledger, id, goTo, cancelIt } = await setUp(name);
    expect((await placePayment(context, id, newOrder(), cardOf(PLAIN))).state.status).toBe('authorised');
    expect(await booksOf(id)).toEqual(['in pending']);
    expect((await goTo(DAY_MS)).state.status).toBe('settled');
    expect([await booksOf(id), ledger.balance.available]).toEqual([['in success'], 250_000_00n]);
    expect((await cancelIt()).payment?.cancelType).toBe(CancelType.REFUND);
    expect([await booksOf(id), ledger.balance.available]).toEqual([['in success', 'out success'], 0n]);
  });

  test('a void takes nothing', async () => {
    const { context, ledger, id, goTo, cancelIt } = await setUp(name);
    await placePayment(context, id, newOrder(), cardOf(PLAIN));
    expect((await cancelIt()).payment?.cancelType).toBe(CancelType.VOID);
    expect([(await goTo(DAY_MS)).state.status, await booksOf(id), ledger.keys()]).toEqual(['cancelled', ['in canceled'], []]);
  });

  test("a decline has the issuer's code", async () => {
    const { context, id } = await setUp(name);
    const { state } = await placePayment(context, id, newOrder(), cardOf('4472429869996670'));
    expect(state).toMatchObject({ status: 'failed', code: '51', reason: 'Insufficient funds' });
  });

  test('one that is not answered ends here as it does there', async () => {
    const { context, id, goTo } = await setUp(name);
    await control('PUT', 'rails/card', { outcome: 'timeout' });
    await placePayment(context, id, newOrder(), cardOf(PLAIN));
    expect((await parts.find(id)).state.status).toBe('authorising');
    await control('DELETE', 'rails/card');
    await control('POST', 'clock/advance', { ms: 5_000 });
    const { state } = await goTo(DAY_MS);
    const isTaken = name === 'rest';
    expect([state.status, await booksOf(id)]).toEqual(isTaken ? ['settled', ['in success']] : ['failed', ['in canceled']]);
    expect(eventsOf(await parts.find(id))).toEqual([isTaken ? 'succeeded' : 'failed']);
  });

  test('a capture without an answer is made once', async () => {
    const { context, ledger, id, goTo } = await setUp(name);
    await placePayment(context, id, newOrder(), cardOf(PLAIN));
    await control('PUT', 'rails/card', { outcome: 'timeout' });
    await goTo(31_000);
    await control('DELETE', 'rails/card');
    expect([(await goTo(DAY_MS)).state.status, await booksOf(id)]).toEqual(['settled', ['in success']]);
    expect(ledger.balance.available).toBe(250_000_00n);
  });
});
