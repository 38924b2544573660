import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:net';
import { RefusalError, refuse } from '@gerbang/core';
import { RailDecision, ReversalKind } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readPartners } from '../src/rails/partners.ts';
import { newTimestamp, pem, type RailsEdge, startRailsEdge, writePartners } from './rails-harness.ts';

const INQUIRY = '/v1.0/transfer-va/inquiry';
const PAYMENT = '/v1.0/transfer-va/payment';
const QR = '/v1.0/qr/qr-mpm-notify';
const DEBIT = '/v1.0/debit/notify';

const bill = { partnerServiceId: '   70014', customerNo: '12345678901', virtualAccountNo: '   7001412345678901' };
const number = '7001412345678901';
const idr = (value: string) => ({ value, currency: 'IDR' });
const payment = { ...bill, paymentRequestId: 'pay-1', paidAmount: idr('50000.00'), trxDateTime: '2026-11-21T15:04:05+07:00' };
const paidAtMs = BigInt(Date.UTC(2026, 10, 21, 8, 4, 5));
const code = {
  originalReferenceNo: 'a-1',
  originalPartnerReferenceNo: 'q-1',
  latestTransactionStatus: '00',
  amount: idr('26000.00'),
  customerNumber: '9360001412345678',
  accountType: 'SAVING',
  additionalInfo: {
    paidTime: '2026-11-21T15:04:05+07:00',
    tipAmount: idr('1000.00'),
    issuerName: 'Bank Uji',
    issuerNns: '93600014',
    customerName: 'Budi',
    rrn: '42',
  },
};
const wallet = {
  originalPartnerReferenceNo: '8801',
  originalReferenceNo: 'w-1',
  latestTransactionStatus: '00',
  amount: idr('10000.00'),
  finishedTime: '2026-11-21T15:04:05+07:00',
};

let rails: RailsEdge;
const accepted = { decision: RailDecision.ACCEPTED };

beforeAll(async () => {
  rails = await startRailsEdge();
});

beforeEach(() => {
  rails.asked.length = 0;
  rails.moneyIn.notifyPayment = async () => accepted;
  rails.moneyIn.notifyReversed = async () => accepted;
  rails.moneyIn.inquireVirtualAccount = async () => ({ decision: RailDecision.UNKNOWN });
});

afterAll(() => rails?.close());

describe('a payment of a virtual account', () => {
  test('reaches money-in as the bank has told it, and the bank hears that it has arrived', async () => {
    const reply = await rails.call(PAYMENT, payment);
    expect(reply.http).toBe(200);
    expect(reply.json).toMatchObject({
      responseCode: '2002500',
      responseMessage: 'Successful',
      virtualAccountData: { ...bill, paymentFlagStatus: '00', paymentRequestId: 'pay-1', paidAmount: idr('50000.00') },
    });
    expect(reply.headers.get('x-timestamp')).toMatch(/\+07:00$/);
    expect(rails.asked).toMatchObject([
      {
        method: 'notifyPayment',
        request: {
          partnerId: 'bank',
          railReference: 'pay-1',
          paidAtMs,
          amountSen: 5_000_000n,
          moneyTaken: false,
          payable: { case: 'virtualAccount', value: { number, bankCodes: ['BCA'] } },
        },
      },
    ]);
  });

  test('that the bank advises has been taken already', async () => {
    await rails.call(PAYMENT, { ...payment, flagAdvise: 'Y' });
    expect(rails.asked).toMatchObject([{ request: { moneyTaken: true } }]);
  });

  test.each([
    [RailDecision.DUPLICATE, '2002500'],
    [RailDecision.SUSPENDED, '2002500'],
    [RailDecision.UNKNOWN, '4042512'],
    [RailDecision.INACTIVE, '4042512'],
    [RailDecision.WRONG_AMOUNT, '4042513'],
    [RailDecision.ALREADY_PAID, '4042514'],
    [RailDecision.INCONSISTENT, '4042518'],
    [RailDecision.EXPIRED, '4042519'],
    [RailDecision.UNSPECIFIED, '5002500'],
  ])('decision %i → %s', async (decision, responseCode) => {
    rails.moneyIn.notifyPayment = async () => ({ decision });
    const reply = await rails.call(PAYMENT, payment);
    expect(reply.json.responseCode).toBe(responseCode);
    expect(reply.http).toBe(Number(responseCode.slice(0, 3)));
  });

  test('sent again word for word is told again what became of it: a lost acknowledgement must not lose the payment', async () => {
    const headers = { 'x-external-id': '4711' };
    const timestamp = newTimestamp();
    const first = await rails.call(PAYMENT, payment, { headers, timestamp });
    rails.moneyIn.notifyPayment = async () => ({ decision: RailDecision.DUPLICATE });
    const second = await rails.call(PAYMENT, payment, { headers, timestamp });
    expect([first.json.responseCode, second.json.responseCode]).toEqual(['2002500', '2002500']);
    expect(second.json).toEqual(first.json);
  });
});

test('an inquiry is answered with the bill', async () => {
  rails.moneyIn.inquireVirtualAccount = async () => ({
    ...accepted,
    bill: { name: 'Budi', amountSen: 5_000_000n, expiresAtMs: paidAtMs, merchantName: 'Toko' },
  });
  const reply = await rails.call(INQUIRY, { ...bill, inquiryRequestId: 'i-1' });
  expect(reply.json).toMatchObject({
    responseCode: '2002400',
    virtualAccountData: {
      ...bill,
      inquiryStatus: '00',
      inquiryRequestId: 'i-1',
      virtualAccountName: 'Budi',
      virtualAccountTrxType: 'C',
      totalAmount: idr('50000.00'),
      expiredDate: '2026-11-21T15:04:05+07:00',
    },
  });
  rails.moneyIn.inquireVirtualAccount = async () => ({
    ...accepted,
    bill: { name: 'Budi', amountMinSen: 1_000_000n, amountMaxSen: 2_000_000n },
  });
  const open = await rails.call(INQUIRY, { ...bill, inquiryRequestId: 'i-2' });
  expect(open.json).toMatchObject({
    virtualAccountData: {
      virtualAccountTrxType: 'O',
      additionalInfo: { minAmount: idr('10000.00'), maxAmount: idr('20000.00') },
    },
  });
  rails.moneyIn.inquireVirtualAccount = async () => ({ decision: RailDecision.EXPIRED });
  const expired = await rails.call(INQUIRY, { ...bill, inquiryRequestId: 'i-3' });
  expect(expired.json).toMatchObject({
    responseCode: '4042419',
    virtualAccountData: { inquiryStatus: '01', inquiryReason: { indonesia: 'Tagihan sudah kedaluwarsa' } },
  });
});

describe('a QRIS payment', () => {
  test('reaches money-in with its tip and who has paid; its money is taken', async () => {
    const reply = await rails.call(QR, code, { partner: 'acquirer' });
    expect(reply.json).toMatchObject({ responseCode: '2005200' });
    expect(rails.asked).toMatchObject([
      {
        request: {
          partnerId: 'acquirer',
          railReference: 'a-1',
          amountSen: 2_600_000n,
          moneyTaken: true,
          paidAtMs,
          payable: {
            case: 'qris',
            value: {
              partnerReference: 'q-1',
              acquirerReference: 'a-1',
              tipSen: 100_000n,
              issuerName: 'Bank Uji',
              issuerNns: '93600014',
              customerPan: '9360001412345678',
              customerName: 'Budi',
              customerAccountType: 'SAVING',
              onUs: false,
              rrn: '42',
            },
          },
        },
      },
    ]);
  });

  test('for a code that nobody knows is told to money-in all the same', async () => {
    const reply = await rails.call(QR, { ...code, originalPartnerReferenceNo: undefined }, { partner: 'acquirer' });
    expect(reply.json).toMatchObject({ responseCode: '2005200' });
    expect(rails.asked).toMatchObject([{ request: { payable: { value: { partnerReference: '' } } } }]);
  });

  test('that is under way moves nothing', async () => {
    const reply = await rails.call(QR, { ...code, latestTransactionStatus: '03' }, { partner: 'acquirer' });
    expect(reply.json).toMatchObject({ responseCode: '2005200' });
    expect(rails.asked).toEqual([]);
  });

  test.each([
    ['04', ReversalKind.REFUNDED],
    ['05', ReversalKind.CANCELED],
    ['06', ReversalKind.FAILED],
  ])('that ends as %s reaches money-in, also where it never was a payment', async (latestTransactionStatus, kind) => {
    rails.moneyIn.notifyReversed = async () => ({ decision: RailDecision.UNKNOWN });
    const ended = { ...code, latestTransactionStatus, transactionStatusDesc: 'x' };
    const reply = await rails.call(QR, ended, { partner: 'acquirer' });
    expect(reply.json).toMatchObject({ responseCode: '2005200' });
    const told = { rail: 'qris', partnerId: 'acquirer', railReference: 'a-1', partnerReference: 'q-1', amountSen: 2_600_000n };
    expect(rails.asked).toMatchObject([
      { method: 'notifyReversed', request: { ...told, kind, reportedAtMs: paidAtMs, reason: 'x' } },
    ]);
  });

  test('that ends needs no time of a payment, which a payment does', async () => {
    const { paidTime, ...others } = code.additionalInfo;
    const untimed = { ...code, additionalInfo: others };
    expect((await rails.call(QR, untimed, { partner: 'acquirer' })).json.responseCode).toBe('4005202');
    const refunded = { ...untimed, latestTransactionStatus: '04' };
    expect((await rails.call(QR, refunded, { partner: 'acquirer' })).json.responseCode).toBe('2005200');
    expect(rails.asked).toMatchObject([{ method: 'notifyReversed', request: { reportedAtMs: 0n } }]);
  });
});

describe('an e-wallet', () => {
  test('tells a payment', async () => {
    const reply = await rails.call(DEBIT, wallet, { partner: 'wallet' });
    expect(reply.json).toMatchObject({ responseCode: '2005600' });
    expect(rails.asked).toMatchObject([
      {
        request: {
          railReference: 'w-1',
          amountSen: 1_000_000n,
          moneyTaken: true,
          payable: { case: 'ewallet', value: { partnerReference: '8801' } },
        },
      },
    ]);
  });

  test('tells that the customer has declined', async () => {
    const declined = { ...wallet, latestTransactionStatus: '06', transactionStatusDesc: 'Declined' };
    expect((await rails.call(DEBIT, declined, { partner: 'wallet' })).json).toMatchObject({ responseCode: '2005600' });
    expect(rails.asked).toMatchObject([
      {
        method: 'notifyCheckoutFailed',
        request: { partnerReference: '8801', railReference: 'w-1', reason: 'Declined', failedAtMs: paidAtMs },
      },
    ]);
  });

  test('tells that the customer has the money again', async () => {
    const refunded = { ...wallet, latestTransactionStatus: '04' };
    expect((await rails.call(DEBIT, refunded, { partner: 'wallet' })).json).toMatchObject({ responseCode: '2005600' });
    const told = { rail: 'ewallet', partnerId: 'wallet', railReference: 'w-1', partnerReference: '8801', amountSen: 1_000_000n };
    expect(rails.asked).toMatchObject([
      { method: 'notifyReversed', request: { ...told, kind: ReversalKind.REFUNDED, reportedAtMs: paidAtMs } },
    ]);
  });
});

describe('a chain of shops, which signs symmetrically', () => {
  const paid = { ...payment, partnerServiceId: '    8610', customerNo: '123456789012', virtualAccountNo: '    8610123456789012' };

  async function tokenOf(): Promise<string> {
    const { http, json } = await rails.token('chain');
    expect([http, json.responseCode, json.expiresIn]).toEqual([200, '2007300', '900']);
    return String(json.accessToken);
  }

  test('gets an access token by its key and pays with it and its secret', async () => {
    const reply = await rails.call(PAYMENT, paid, { partner: 'chain', secret: rails.secret, token: await tokenOf() });
    expect(reply.json).toMatchObject({ responseCode: '2002500' });
    expect(rails.asked).toMatchObject([
      { request: { partnerId: 'chain', payable: { case: 'retail', value: { paymentCode: '8610123456789012' } } } },
    ]);
  });

  test.each<[string, (token: string) => object, string]>([
    ['no token', () => ({ token: undefined, headers: { authorization: undefined } }), '4002502'],
    ['another token', (token) => ({ token: token.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')) }), '4012501'],
    ['a token that never ends', (token) => ({ token: token.replace(/^\d+/, '99999999999') }), '4012501'],
    ['a wrong secret', () => ({ secret: 'x'.repeat(40) }), '4012500'],
    ['the asymmetric signature, which is not the configured one', () => ({ secret: undefined }), '4012500'],
  ])('with %s pays nothing', async (_name, over, responseCode) => {
    const token = await tokenOf();
    const reply = await rails.call(PAYMENT, paid, { partner: 'chain', secret: rails.secret, token, ...over(token) });
    expect(reply.json.responseCode).toBe(responseCode);
    expect(rails.asked).toEqual([]);
  });

  test('a token that was signed with another key, long ago or for no client credentials is not given', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    expect((await rails.token('chain', { key: other.privateKey })).json.responseCode).toBe('4017300');
    expect((await rails.token('chain', { timestamp: newTimestamp(Date.now() - 310_000) })).json.responseCode).toBe('4017300');
    expect((await rails.token('nobody')).json.responseCode).toBe('4017300');
    expect((await rails.token('chain', { grantType: 'password' })).json.responseCode).toBe('4007301');
    expect((await rails.token('bank')).json.responseCode).toBe('4037301');
  });
});

describe('changes nothing and is answered:', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2_048 });

  test.each<[string, Parameters<RailsEdge['call']>[2], string]>([
    ['a partner that nobody knows', { partner: 'stranger' }, '4012500'],
    ['somebody else’s key', { key: other.privateKey }, '4012500'],
    ['another body than was signed', { signed: { body: JSON.stringify({ ...payment, paidAmount: idr('1.00') }) } }, '4012500'],
    ['another path than was signed', { signed: { path: INQUIRY } }, '4012500'],
    ['another method than was signed', { signed: { method: 'PUT' } }, '4012500'],
    ['another time than was signed', { signed: { timestamp: newTimestamp(Date.now() - 1_000) } }, '4012500'],
    ['an old time', { timestamp: newTimestamp(Date.now() - 310_000) }, '4012500'],
    ['a time to come', { timestamp: newTimestamp(Date.now() + 310_000) }, '4012500'],
    ['a time that is none', { timestamp: '2026-13-41T99:00:00+07:00' }, '4002501'],
    ['no time', { headers: { 'x-timestamp': undefined } }, '4002502'],
    ['no signature', { headers: { 'x-signature': undefined } }, '4002502'],
    ['a signature that is none', { headers: { 'x-signature': 'AAAA' } }, '4012500'],
    ['the public key as a secret', { secret: 'key', token: '' }, '4012500'],
    ['no external id', { headers: { 'x-external-id': undefined } }, '4002502'],
    ['an external id with letters', { headers: { 'x-external-id': 'abc' } }, '4002501'],
    ['a bank that tells of QRIS', { partner: 'acquirer' }, '4032501'],
    ['a body that is no JSON', { raw: '{"a":' }, '4002500'],
    ['a body that is no object', { raw: '[]' }, '4002500'],
    ['a body that is empty', { raw: '' }, '4002500'],
    ['a key twice', { raw: '{"paidAmount":1,"paidAmount":2}' }, '4002500'],
    ['another type of content', { headers: { 'content-type': 'text/plain' } }, '4152500'],
    ['a body that is too large', { raw: JSON.stringify({ a: 'x'.repeat(70_000) }) }, '4132500'],
  ])('%s', async (_name, over, responseCode) => {
    const reply = await rails.call(PAYMENT, payment, over);
    expect(reply.json.responseCode).toBe(responseCode);
    expect(reply.http).toBe(Number(responseCode.slice(0, 3)));
    expect(rails.asked).toEqual([]);
  });

  test('bytes that are no text', async () => {
    const raw = new Uint8Array([0x22, 0xff, 0x22]);
    expect((await rails.call(PAYMENT, undefined, { raw })).json.responseCode).toBe('4002500');
    expect(rails.asked).toEqual([]);
  });

  test.each<[string, object, string, string]>([
    ['no reference', { paymentRequestId: undefined }, '4002502', 'paymentRequestId'],
    ['no amount', { paidAmount: undefined }, '4002502', 'paidAmount'],
    ['nothing paid', { paidAmount: idr('0.00') }, '4002501', 'paidAmount'],
    ['dollars', { paidAmount: { value: '1.00', currency: 'USD' } }, '4002501', 'paidAmount.currency'],
    ['a number as amount', { paidAmount: { value: 1, currency: 'IDR' } }, '4002501', 'paidAmount.value'],
    ['a negative amount', { paidAmount: idr('-1.00') }, '4002501', 'paidAmount.value'],
    ['no time of the payment', { trxDateTime: undefined }, '4002502', 'trxDateTime'],
    ['a time without offset', { trxDateTime: '2026-11-21T15:04:05' }, '4002501', 'trxDateTime'],
    ['a number with letters', { virtualAccountNo: '70014abc' }, '4002501', 'virtualAccountNo'],
    ['a number that its parts contradict', { customerNo: '1' }, '4002501', 'virtualAccountNo'],
  ])('%s', async (_name, over, responseCode, field) => {
    const reply = await rails.call(PAYMENT, { ...payment, ...over });
    expect(reply.json.responseCode).toBe(responseCode);
    expect(reply.json.responseMessage).toContain(field);
    expect(rails.asked).toEqual([]);
  });

  test('a tip as large as what was paid', async () => {
    const additionalInfo = { ...code.additionalInfo, tipAmount: idr('26000.00') };
    const reply = await rails.call(QR, { ...code, additionalInfo }, { partner: 'acquirer' });
    expect(reply.json.responseCode).toBe('4005201');
    expect(rails.asked).toEqual([]);
  });

  test('another method, another path, and what is no HTTP', async () => {
    const get = await fetch(`${rails.edge.service.railsUrl}${PAYMENT}`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await fetch(`${rails.edge.service.railsUrl}/api/v1.0/accounts`)).status).toBe(404);
    const bytes = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(rails.edge.service.railsUrl).port), '127.0.0.1');
      socket.setEncoding('utf8').on('data', resolve);
      socket.write('nonsense\r\n\r\n');
    });
    expect(bytes).toMatch(/^HTTP\/1.1 400 /);
    // The merchants' API is not on this port, nor the rails on theirs.
    expect((await fetch(`${rails.edge.url}${PAYMENT}`, { method: 'POST' })).status).toBe(404);
  });
});

describe('a rail is to come again', () => {
  test.each<[string, () => Error]>([
    ['when money-in can not decide now', () => new RefusalError(refuse('unavailable'))],
    ['when money-in is too busy', () => new RefusalError(refuse('overloaded'))],
  ])('%s', async (_name, failure) => {
    rails.moneyIn.notifyPayment = () => Promise.reject(failure());
    const reply = await rails.call(PAYMENT, payment);
    expect([reply.http, reply.json.responseCode]).toEqual([504, '5042500']);
  });

  test('when money-in fails, without being told how', async () => {
    rails.moneyIn.notifyPayment = () => Promise.reject(new Error('a secret of the house'));
    const reply = await rails.call(PAYMENT, payment);
    expect(reply.json).toEqual({ responseCode: '5002500', responseMessage: 'General Error' });
  });

  test('when money-in is away', { timeout: 15_000 }, async () => {
    const away = await startRailsEdge({ servicesAway: true });
    try {
      expect((await away.call(PAYMENT, payment)).json.responseCode).toBe('5042500');
    } finally {
      await away.close();
    }
  });
});

describe('the file of partners', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const bank = { partner_id: 'bank', rail: 'va', signature: 'RSA-SHA256', public_key: pem(publicKey) };

  test.each<[string, unknown, string]>([
    ['no JSON', '{', 'the file can not be read as JSON'],
    ['a rail that is none', { partners: [{ ...bank, rail: 'barter' }] }, 'partners.0.rail'],
    ['an algorithm that is none', { partners: [{ ...bank, signature: 'none' }] }, 'partners.0.signature'],
    ['a short secret', { partners: [{ ...bank, signature: 'HMAC-SHA512', client_secret: 'short' }] }, 'partners.0.client_secret'],
    [
      'a short key',
      { partners: [{ ...bank, public_key: pem(generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey) }] },
      'expected an RSA public key',
    ],
    [
      'a key of another kind',
      { partners: [{ ...bank, public_key: pem(generateKeyPairSync('ed25519').publicKey) }] },
      'expected an RSA public key',
    ],
    ['a field that is not known', { partners: [{ ...bank, secret: 'x' }] }, 'partners.0'],
    ['one partner twice', { partners: [bank, bank] }, 'twice'],
  ])('%s', (_name, content, problem) => {
    const { file, remove } = writePartners(content);
    const problems: string[] = [];
    expect(readPartners(file, (text) => problems.push(text))).toBeUndefined();
    expect(problems.join('\n')).toContain(problem);
    remove();
  });
});
