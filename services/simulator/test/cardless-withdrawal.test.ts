import { createServer, type Server } from 'node:http';
import { newUlid } from '@gerbang/core';
import { type CardlessRail, type CardlessRequest, openSnapCardless } from '@gerbang/rails/cardless-withdrawal';
import { eventually } from '@gerbang/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Bench, booksSchema, newPrivateKey, soon, startBench, within } from './harness.ts';

let bench: Bench;
let rail: CardlessRail;
let gateway: Server;
let offsetMs = 0;
const heard: { path: string; partner: unknown; body: object }[] = [];

beforeAll(async () => {
  gateway = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      heard.push({ path: request.url ?? '', partner: request.headers['x-partner-id'], body: JSON.parse(text) });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ responseCode: '2009400', responseMessage: 'Successful' }));
    });
  });
  await new Promise<void>((resolve) => {
    gateway.listen(0, '127.0.0.1', resolve);
  });
  const address = gateway.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  bench = await startBench({ SIMULATOR_RAILS_URL: `http://127.0.0.1:${address.port}` });
  rail = openSnapCardless(bench.credentials());
});

beforeEach(() => {
  heard.length = 0;
});

afterEach(() => bench.control('DELETE', 'rails/cardless'));

afterAll(async () => {
  await rail?.close();
  await bench?.stop();
  gateway?.close();
});

const force = (behaviour: object) => bench.control('PUT', 'rails/cardless', behaviour);
const withdraw = async (code: string) => (await bench.control('POST', `cardless/${code}/withdraw`)).json;
const advance = async (ms: number) => {
  await bench.control('POST', 'clock/advance', { ms });
  offsetMs += ms;
};

function newRequest(over: Partial<CardlessRequest> = {}): CardlessRequest {
  const partnerReference = newUlid(Date.now());
  return {
    partnerReference,
    amountSen: '10000000',
    bankCode: '014',
    phoneNumber: '081234567890',
    merchantReference: `m-${partnerReference}`,
    transactionId: partnerReference,
    expiresAtMs: Date.now() + offsetMs + 3_600_000,
    ...over,
  };
}

async function aCode(over: Partial<CardlessRequest> = {}) {
  const request = newRequest(over);
  const made = await rail.createCode(request, soon());
  if (made.outcome !== 'active') throw new Error(made.outcome);
  return { request, code: made.code };
}

const statusInBooks = async (reference: string) => {
  const { json } = await bench.control('GET', 'rails/cardless/books');
  return booksSchema.parse(json).items.filter((item) => item.transaction_id === reference);
};

describe('a code', () => {
  test('is drawn once; the gateway is told, and the books have it', async () => {
    const { request, code } = await aCode();
    expect(code).toMatch(/^\d{12}$/);
    expect(await withdraw(code)).toEqual({ accepted: true });
    expect(await withdraw(code)).toEqual({ accepted: false, reason: 'The cash has been drawn already' });
    expect(heard).toMatchObject([
      {
        path: '/v1.0/cardless-withdrawal/notify',
        partner: 'sandbox-cardless',
        body: {
          originalPartnerReferenceNo: request.partnerReference,
          latestTransactionStatus: '00',
          amount: { value: '100000.00', currency: 'IDR' },
        },
      },
    ]);
    expect(JSON.stringify(heard)).not.toContain(code);
    expect(await rail.inquire(request, soon())).toEqual({ outcome: 'withdrawn', railReference: expect.any(String) });
    expect(await statusInBooks(request.partnerReference)).toEqual([
      {
        reference_number: request.merchantReference,
        transaction_id: request.partnerReference,
        direction: 'out',
        amount: { value: '100000.00', currency: 'IDR' },
        status: 'success',
      },
    ]);
  });

  test('is the same whenever it is asked for, also after a restart; other content is another order', async () => {
    const { request, code } = await aCode();
    await bench.restart();
    expect(await rail.createCode(request, soon())).toEqual({ outcome: 'active', code });
    expect(await rail.inquire(request, soon())).toEqual({ outcome: 'active', code });
    const other = await rail.createCode({ ...request, phoneNumber: '081234567891' }, soon());
    expect(other).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('4099101') });
  });

  test('that nobody knows gives no cash', async () => {
    expect(await withdraw('000000000000')).toEqual({ accepted: false, reason: 'The bank does not know this code' });
    expect(await withdraw('abc')).toMatchObject({ accepted: false });
    expect(await rail.inquire(newRequest(), soon())).toEqual({ outcome: 'not_found' });
  });

  test('that is canceled gives no cash; a cancellation again, and one that comes late, answer what is', async () => {
    const canceled = await aCode();
    for (let i = 0; i < 2; i++) expect(await rail.cancel(canceled.request, soon())).toEqual({ outcome: 'canceled' });
    expect(await withdraw(canceled.code)).toEqual({ accepted: false, reason: 'The withdrawal was canceled' });
    const drawn = await aCode();
    await withdraw(drawn.code);
    expect((await rail.cancel(drawn.request, soon())).outcome).toBe('withdrawn');
    expect((await statusInBooks(canceled.request.partnerReference)).map(({ status }) => status)).toEqual(['canceled']);
  });

  test('that is canceled and drawn at once has one end', async () => {
    for (let i = 0; i < 5; i++) {
      const { request, code } = await aCode();
      const [drawn, after] = await Promise.all([withdraw(code), rail.cancel(request, soon())]);
      expect(after.outcome).toBe(drawn.accepted === true ? 'withdrawn' : 'canceled');
      expect(await rail.inquire(request, soon())).toEqual(after);
    }
  });

  test('of a reference that was canceled before it came is never made', async () => {
    const request = newRequest();
    expect(await rail.cancel(request, soon())).toEqual({ outcome: 'canceled' });
    expect((await rail.createCode(request, soon())).outcome).toBe('unknown');
    expect(await rail.inquire(request, soon())).toEqual({ outcome: 'canceled' });
    expect(await statusInBooks(request.partnerReference)).toEqual([]);
  });

  test('expires by the bank’s time, which a cancellation does not change', async () => {
    const { request, code } = await aCode();
    await advance(3_600_000);
    expect(await withdraw(code)).toEqual({ accepted: false, reason: 'The code has expired' });
    expect(await rail.cancel(request, soon())).toEqual({ outcome: 'expired' });
    expect(await rail.inquire(request, soon())).toEqual({ outcome: 'expired' });
  });
});

describe('the phone number', () => {
  test.each([
    ['081234560404', { outcome: 'failed', code: '4049111', phoneUnknown: true }],
    ['081234560001', { outcome: 'failed', code: '4039105', phoneUnknown: false }],
  ])('%s gets no code', async (phoneNumber, expected) => {
    const request = newRequest({ phoneNumber });
    expect(await rail.createCode(request, soon())).toMatchObject(expected);
    expect(await rail.inquire(request, soon())).toMatchObject(expected);
  });

  test.each([
    ['081234560002', 'active'],
    ['081234560003', 'failed'],
  ])('%s gets no answer, and after five seconds it is %s', async (phoneNumber, outcome) => {
    const request = newRequest({ phoneNumber });
    expect((await rail.createCode(request, within(300))).outcome).toBe('unknown');
    expect(await rail.inquire(request, soon())).toEqual({ outcome: 'pending' });
    await advance(5_000);
    expect((await rail.inquire(request, soon())).outcome).toBe(outcome);
  });
});

describe('the rail, forced', () => {
  test('to time out, does what it is asked, and the gateway has to ask', async () => {
    const { request, code } = await aCode();
    const { request: other } = await aCode();
    await force({ outcome: 'timeout' });
    expect(await withdraw(code)).toEqual({ accepted: true });
    expect((await rail.cancel(other, within(300))).outcome).toBe('unknown');
    const lost = newRequest();
    expect((await rail.createCode(lost, within(300))).outcome).toBe('unknown');
    expect(heard).toEqual([]);
    expect((await rail.inquire(request, soon())).outcome).toBe('withdrawn');
    expect((await rail.inquire(other, soon())).outcome).toBe('canceled');
    await advance(5_000);
    expect((await rail.inquire(lost, soon())).outcome).toBe('active');
  });

  test('to fail, refuses codes, cash and cancellations', async () => {
    const { request, code } = await aCode();
    await force({ outcome: 'failed' });
    expect(await withdraw(code)).toEqual({ accepted: false, reason: 'Do Not Honor' });
    expect((await rail.cancel(request, soon())).outcome).toBe('unknown');
    expect((await rail.createCode(newRequest(), soon())).outcome).toBe('failed');
    expect((await rail.inquire(request, soon())).outcome).toBe('active');
  });

  test('to be out of order, knows and does nothing', async () => {
    const { request, code } = await aCode();
    await force({ outcome: 'error' });
    expect((await rail.createCode(newRequest(), soon())).outcome).toBe('unknown');
    expect((await rail.cancel(request, soon())).outcome).toBe('unknown');
    expect(await withdraw(code)).toMatchObject({ accepted: false });
    await force({});
    await eventually('it works again', async () => (await rail.inquire(request, soon())).outcome === 'active');
  });
});

test('the secret of another partner opens nothing', async () => {
  const stranger = openSnapCardless({ ...bench.credentials(), clientSecret: 'wrong' });
  const nobody = openSnapCardless({ ...bench.credentials(), privateKey: newPrivateKey() });
  for (const other of [stranger, nobody]) {
    expect((await other.createCode(newRequest(), soon())).outcome).toBe('unknown');
    await other.close();
  }
});
