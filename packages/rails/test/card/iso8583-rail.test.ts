import { createLogger } from '@gerbang/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CardData, type CardRail, openIso8583CardRail } from '../../src/card/index.ts';
import { type Message, toFrame } from '../../src/iso8583/index.ts';
import { type Host, reply, startHost } from '../iso8583/host.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const NUMBER = '4411111111111118';
const PAYMENT = { reference: '9901JD9Z5V5Y8QW1R2T3Y4V5X6P7', amountSen: '25000000' };
const ORDER = {
  ...PAYMENT,
  installmentMonths: 1,
  merchantReference: '',
  merchantName: 'Toko',
  returnUrl: 'https://pay.example/',
};
const card = (number = NUMBER) => new CardData({ number, expiry: '12/39', cvv: '737', holderName: 'BUDI' });
const within = (ms: number) => ({ signal: AbortSignal.timeout(ms) });
const isNetwork = ({ type }: Message) => type === '0800';

let host: (Host & AsyncDisposable) | undefined;
let rail: CardRail | undefined;

afterEach(async () => {
  await rail?.close();
  await host?.[Symbol.asyncDispose]();
  vi.restoreAllMocks();
});

/** The adapter on a host that answers so. Sign-on, sign-off and echo are answered with 00. */
async function open(answer: Host['answer']): Promise<{ host: Host; rail: CardRail }> {
  host = await startHost((message) => (isNetwork(message) ? reply(message, '00') : answer(message)));
  const { port } = host;
  const acceptor = { terminalId: 'GERBANG1', merchantId: 'GERBANG00000001', acquirerId: '', city: 'JAKARTA' };
  rail = openIso8583CardRail({ host: '127.0.0.1', port, tls: undefined, log, ...acceptor });
  return { host, rail };
}

/** What each response code comes to: of an authorisation, of its reversal after no answer, and of a capture. */
const CODES: readonly (readonly [code: string, authorise: string, resolve: string, capture: string])[] = [
  ...['00', '08', '11'].map((code) => [code, 'authorised', 'voided', 'done'] as const),
  ['25', 'failed', 'not_found', 'failed'],
  ...'01 02 03 04 05 07 12 13 14 15 1A 30 31 33 34 36 38 39 40 41 43 51 52 53 54 55 56 57 58 59 61 62 63 64 65 75 78 82 93 N7'
    .split(' ')
    .map((code) => [code, 'failed', 'unknown', 'failed'] as const),
  ...'06 09 10 19 20 22 68 90 91 92 94 95 96 XY 77'.split(' ').map((code) => [code, 'unknown', 'unknown', 'unknown'] as const),
];

test('every response code has its outcome', async () => {
  const now = { code: '00' };
  const opened = await open((message) => reply(message, now.code));
  for (const [code, authorise, resolve, capture] of CODES) {
    now.code = code;
    const said = await opened.rail.authorise(ORDER, card(), within(5_000));
    const outcomes = [
      said.outcome,
      (await opened.rail.resolve(PAYMENT, within(5_000))).outcome,
      (await opened.rail.capture(PAYMENT, within(5_000))).outcome,
    ];
    expect(outcomes, code).toEqual([authorise, resolve, capture]);
    if (said.outcome === 'failed') expect(said).toMatchObject({ code, reason: expect.stringMatching(/^[A-Z]/) });
  }
});

test('an approval has its references, and the id of the network', async () => {
  const opened = await open((message) => reply(message, '00', { 38: '123456', 48: '0515000123456789012' }));
  expect(await opened.rail.authorise(ORDER, card(), within(5_000))).toEqual({
    outcome: 'authorised',
    acquirerReference: opened.host.heard.at(-1)?.fields[37],
    approvalCode: '123456',
    authorisedAtMs: undefined,
    networkTransactionId: '000123456789012',
  });
});

test.each<[string, Message['fields']]>([
  ['of another amount', { 4: '000000000001' }],
  ['of another payment', { 37: 'AAAAAAAAAAAA' }],
  ['of another terminal', { 41: 'OTHER   ' }],
])('an approval %s is none', async (_what, other) => {
  const opened = await open((message) => reply(message, '00', other));
  expect(await opened.rail.authorise(ORDER, card(), within(5_000))).toMatchObject({ outcome: 'unknown' });
  expect(await opened.rail.capture(PAYMENT, within(5_000))).toMatchObject({ outcome: 'unknown' });
});

test('no answer is unknown, and a repetition has the type of one', async () => {
  const opened = await open(() => undefined);
  const { rail: silent, host: heard } = opened;
  const of = (tries: number) => ({ ...PAYMENT, tries });
  const refund = { ...PAYMENT, refundReference: 'r-1' };
  expect(await silent.authorise(ORDER, card(), within(50))).toEqual({ outcome: 'unknown', reason: 'no answer in time' });
  await silent.capture(PAYMENT, within(50));
  await silent.capture(of(1), within(50));
  await silent.refund(refund, within(50));
  await silent.refund({ ...refund, tries: 1 }, within(50));
  for (const tries of [0, 1, 2, 9]) await silent.void(of(tries), within(50));
  const types = heard.heard.filter((message) => !isNetwork(message)).map(({ type }) => type);
  expect(types).toEqual(['0100', '0220', '0221', '0200', '0201', '0400', '0420', '0421', '0421']);
});

describe('without a link', () => {
  test('a payment has certainly failed, and everything else waits', async () => {
    const opened = await open(() => undefined);
    opened.host.answer = () => undefined;
    expect(await opened.rail.authorise(ORDER, card(), within(200))).toMatchObject({ outcome: 'failed', code: 'NOT_SENT' });
    for (const act of ['capture', 'void', 'resolve'] as const)
      expect(await opened.rail[act](PAYMENT, within(50))).toMatchObject({ outcome: 'unknown' });
    expect(opened.host.heard.every(isNetwork)).toBe(true);
  });

  test('a payment waits for a link that is just coming', async () => {
    const opened = await open(() => undefined);
    let signOns = 0;
    opened.host.answer = (message) => reply(message, isNetwork(message) && signOns++ === 0 ? '91' : '00');
    expect(await opened.rail.authorise(ORDER, card(), within(5_000))).toMatchObject({ outcome: 'authorised' });
    expect(signOns).toBe(2);
  });
});

test('nothing of the card is in an outcome or a log line', async () => {
  const lines: unknown[] = [];
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    vi.spyOn(log, level).mockImplementation((...given) => lines.push(given));
  const opened = await open((message) => {
    // A host that echoes what it must not, in a field that is none, cut short, and under another trace number.
    const echoed = Buffer.from(`0110\x40\x00\x00\x00\x00\x00\x00\x0016${message.fields[2]}9${message.fields[48]}`, 'latin1');
    opened.host.send(toFrame(echoed));
    opened.host.send(toFrame(echoed.subarray(0, 20)));
    return { ...reply(message, '05'), fields: { ...reply(message, '05').fields, 11: '999999' } };
  });
  const outcomes = [
    await opened.rail.authorise(ORDER, card(), within(300)),
    await opened.rail.authorise({ ...ORDER, amountSen: '1'.repeat(13) }, card(), within(300)),
    await opened.rail.authorise(ORDER, card(`${NUMBER}x`), within(300)),
  ];
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['unknown', 'failed', 'failed']);
  expect(lines.length).toBeGreaterThan(2);
  const text = JSON.stringify([outcomes, lines]);
  expect(text).not.toContain(NUMBER.slice(6, 12));
  expect(text).not.toContain('737');
});
