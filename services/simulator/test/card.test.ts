import { newUlid } from '@gerbang/core';
import type { HistoryRow } from '@gerbang/rails';
import {
  type AuthorisationRequest,
  CardData,
  openRestCardHistory,
  openRestCardRail,
  type RestCardRail,
} from '@gerbang/rails/card';
import { eventually } from '@gerbang/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Bench, booksSchema, SECRET, soon, startBench, within } from './harness.ts';

let bench: Bench;
let rail: RestCardRail;

beforeAll(async () => {
  bench = await startBench({ SIMULATOR_PUBLIC_URL: 'http://simulator.example' });
  rail = openRestCardRail({ url: `${bench.url()}/card`, clientKey: 'gerbang', clientSecret: SECRET });
});

afterEach(async () => {
  await bench.control('DELETE', 'rails/card');
  await bench.control('DELETE', 'card/3ds');
});

afterAll(async () => {
  await rail?.close();
  await bench?.stop();
});

const CHALLENGED = '4811111111111114';
const DECLINED_LATER = '4911111111111113';
const PLAIN = '4411111111111118';

const cardOf = (number: string) => new CardData({ number, expiry: '12/39', cvv: '123', holderName: 'BUDI' });
const newRequest = (): AuthorisationRequest => ({
  reference: `99${newUlid(Date.now())}`,
  amountSen: '25000000',
  installmentMonths: 1,
  merchantReference: '',
  merchantName: 'Toko',
  returnUrl: 'https://pay.example/card/1',
});

async function authorised(number = PLAIN): Promise<{ reference: string; amountSen: string }> {
  const request = newRequest();
  expect(await rail.authorise(request, cardOf(number), soon())).toMatchObject({ outcome: 'authorised' });
  return request;
}

/** Opens the challenge as a browser does, and submits an OTP; gives where the browser goes then. */
async function submit(url: string, otp: string): Promise<URL> {
  const { pathname, search } = new URL(url);
  const page = await (await fetch(bench.url() + pathname + search)).text();
  expect(page).not.toMatch(/<script|set-cookie/i);
  expect(page.match(/<form/g)).toHaveLength(1);
  const creq = /name="creq" value="([^"]+)"/.exec(page)?.[1] ?? expect.fail(page);
  const body = new URLSearchParams({ creq, otp });
  const answer = await fetch(`${bench.url()}/card/acs/challenge`, { method: 'POST', body, redirect: 'manual' });
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

async function challenged(number: string): Promise<{ reference: string; amountSen: string; url: string }> {
  const request = newRequest();
  const said = await rail.authorise(request, cardOf(number), soon());
  return said.outcome === 'challenge' ? { ...request, url: said.url } : expect.fail(said.outcome);
}

test('the test cards of the contract', async () => {
  expect(await rail.authorise(newRequest(), cardOf('4472429869996670'), soon())).toEqual({
    outcome: 'failed',
    code: '51',
    reason: 'Insufficient funds',
  });
  await authorised(PLAIN);
  await authorised('5555555555554444');
  const request = newRequest();
  expect(await rail.authorise(request, cardOf('4024007176265022'), soon())).toEqual({ outcome: 'pending' });
  await bench.control('POST', 'clock/advance', { ms: 5_000 });
  expect(await rail.inquire(request, soon())).toMatchObject({ outcome: 'authorised' });
});

test('a reference is authorised once, and what is not known is not found', async () => {
  const request = newRequest();
  await rail.authorise(request, cardOf(PLAIN), soon());
  expect(await rail.authorise(request, cardOf(PLAIN), soon())).toEqual({ outcome: 'unknown', reason: 'HTTP 409' });
  expect(await rail.inquire({ reference: 'nothing' }, soon())).toEqual({ outcome: 'not_found' });
});

describe('3DS', () => {
  test('the right OTP authorises, by the result message; what the browser brings back proves nothing', async () => {
    const { reference, url } = await challenged(CHALLENGED);
    expect(await rail.inquire({ reference }, soon())).toMatchObject({ outcome: 'challenge' });
    const back = await submit(url, '123456');
    expect(back.href).toMatch(/^https:\/\/pay\.example\/card\/1\?cres=/);
    const cres = JSON.parse(Buffer.from(back.searchParams.get('cres') ?? '', 'base64url').toString());
    expect(cres).toMatchObject({ messageType: 'CRes', transStatus: 'Y', challengeCompletionInd: 'Y' });
    expect(await rail.inquire({ reference }, soon())).toMatchObject({ outcome: 'authorised' });
  });

  test.each([
    [CHALLENGED, '000000', '3DS'],
    [DECLINED_LATER, '123456', '05'],
  ])('card %s with OTP %s is declined with %s', async (number, otp, code) => {
    const { reference, url } = await challenged(number);
    await submit(url, otp);
    expect(await rail.inquire({ reference }, soon())).toMatchObject({ outcome: 'failed', code });
    // A second attempt finds it over.
    const { pathname, search } = new URL(url);
    expect((await fetch(bench.url() + pathname + search)).status).toBe(410);
  });

  test('a tampered result message changes nothing', async () => {
    const { reference, url } = await challenged(CHALLENGED);
    await bench.control('PUT', 'card/3ds', { tampered: true });
    await submit(url, '123456');
    expect(await rail.inquire({ reference }, soon())).toMatchObject({ outcome: 'challenge' });
  });

  test('an abandoned challenge can be voided, and no OTP authorises it then', async () => {
    const { reference, amountSen, url } = await challenged(CHALLENGED);
    expect(await rail.void({ reference, amountSen }, soon())).toEqual({ outcome: 'done' });
    const { pathname, search } = new URL(url);
    expect((await fetch(bench.url() + pathname + search)).status).toBe(410);
    expect(await rail.inquire({ reference }, soon())).toEqual({ outcome: 'voided' });
  });

  test.each([
    ['Y', 'authorised'],
    ['A', 'authorised'],
    ['C', 'challenge'],
    ['D', 'pending'],
    ['U', 'failed'],
    ['N', 'failed'],
    ['R', 'failed'],
  ])('an ARes with transStatus %s is %s', async (transStatus, outcome) => {
    await bench.control('PUT', 'card/3ds', { trans_status: transStatus });
    expect(await rail.authorise(newRequest(), cardOf(PLAIN), soon())).toMatchObject({ outcome });
  });

  /** Through the challenge where there is one, and then ten minutes on, so that nothing is open any more. */
  test.each([
    ['4000000000002701', 'frictionless', '123456', 'authorised'],
    ['4000000000002719', 'an attempt', '123456', 'authorised'],
    ['4000000000002313', 'unavailable', '123456', '3DS'],
    ['4000000000002925', 'not authenticated', '123456', '3DS'],
    ['4000000000002537', 'rejected', '123456', '3DS'],
    ['4000000000002446', 'an error of the directory', '123456', '3DS'],
    ['4000000000002503', 'a challenge', '123456', 'authorised'],
    ['4000000000002370', 'a challenge that fails whatever the OTP', '123456', '3DS'],
    ['4000000000002420', 'a challenge whose ACS fails', '123456', '3DS'],
    ['4000000000002644', 'a result message that is lost', '123456', '3DS'],
    ['4000000000003006', 'out of band, the customer agrees', '123456', 'authorised'],
    ['4000000000003014', 'out of band, the customer does nothing', '123456', '3DS'],
    ['4000000000003030', 'a result message of another transaction', '123456', '3DS'],
    ['4000000000003048', 'a repeated result message', '123456', 'authorised'],
    ['4000000000003048', 'a repeated result message', '000000', '3DS'],
    ['4000000000003055', 'a result message, then the opposite', '123456', 'authorised'],
    ['4000000000003055', 'a result message, then the opposite', '000000', '3DS'],
    ['4000000000003063', 'a CRes that contradicts the result message', '123456', 'authorised'],
    ['4000000000003063', 'a CRes that contradicts the result message', '000000', '3DS'],
    ['4000000000003071', 'a CRes of another transaction', '123456', 'authorised'],
    ['4000000000003089', 'no CRes', '123456', 'authorised'],
  ])('card %s, %s, with OTP %s: %s', async (number, _what, otp, expected) => {
    const request = newRequest();
    const said = await rail.authorise(request, cardOf(number), soon());
    if (said.outcome === 'challenge') await submit(said.url, otp);
    const after = await rail.inquire(request, soon());
    if (after.outcome !== 'authorised') await bench.control('POST', 'clock/advance', { ms: 600_000 });
    const { outcome, ...rest } = await rail.inquire(request, soon());
    expect(outcome === 'failed' && 'code' in rest ? rest.code : outcome).toBe(expected);
  });

  test('a challenge by POST only: a form begins it', async () => {
    const request = newRequest();
    const said = await rail.authorise(request, cardOf('4000000000003022'), soon());
    if (said.outcome !== 'challenge') return expect.fail(said.outcome);
    const { pathname } = new URL(said.url);
    const creq = said.fields?.[0] ?? expect.fail('no fields');
    expect(creq.name).toBe('creq');
    expect((await fetch(`${bench.url()}${pathname}?creq=${creq.value}`)).status).toBe(405);
    const post = (fields: Record<string, string>) =>
      fetch(bench.url() + pathname, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
    expect(await (await post({ creq: creq.value })).text()).toContain('name="otp"');
    expect((await post({ creq: creq.value, otp: '123456' })).status).toBe(303);
    expect(await rail.inquire(request, soon())).toMatchObject({ outcome: 'authorised' });
  });

  test('a customer who cancels the challenge is not authenticated', async () => {
    const { reference, url } = await challenged(CHALLENGED);
    const creq = new URL(url).searchParams.get('creq') ?? '';
    const body = new URLSearchParams({ creq, otp: '123456', cancel: '1' });
    const answer = await fetch(`${bench.url()}/card/acs/challenge`, { method: 'POST', body, redirect: 'manual' });
    const cres = new URL(answer.headers.get('location') ?? '').searchParams.get('cres') ?? '';
    expect(JSON.parse(Buffer.from(cres, 'base64url').toString())).toMatchObject({ transStatus: 'N', challengeCancel: '01' });
    expect(await rail.inquire({ reference }, soon())).toMatchObject({ outcome: 'failed', code: '3DS' });
  });

  test('an ACS that answers late: the caller gives up before, and is told later', async () => {
    await bench.control('PUT', 'card/3ds', { delay_ms: 1_000 });
    const request = newRequest();
    expect(await rail.authorise(request, cardOf('4000000000002701'), within(50))).toMatchObject({ outcome: 'unknown' });
    await eventually('the answer', async () => (await rail.inquire(request, soon())).outcome === 'authorised');
  });

  test('a decoupled authentication that never ends is declined', async () => {
    await bench.control('PUT', 'card/3ds', { trans_status: 'D' });
    const request = newRequest();
    await rail.authorise(request, cardOf(PLAIN), soon());
    await bench.control('POST', 'clock/advance', { ms: 60_000 });
    expect(await rail.inquire(request, soon())).toMatchObject({ outcome: 'failed', code: '3DS' });
  });
});

test('capture, refund and void are done once, and only where they can be', async () => {
  const request = await authorised();
  const refund = { ...request, refundReference: 'r-1' };
  expect(await rail.refund(refund, soon())).toMatchObject({ outcome: 'failed', code: 'wrong_status' });
  expect(await rail.capture({ ...request, amountSen: '1' }, soon())).toMatchObject({ outcome: 'failed' });
  expect(await rail.capture(request, soon())).toEqual({ outcome: 'done' });
  expect(await rail.capture(request, soon())).toEqual({ outcome: 'done' });
  expect(await rail.void(request, soon())).toMatchObject({ outcome: 'failed' });
  expect(await rail.refund(refund, soon())).toEqual({ outcome: 'done' });
  expect(await rail.refund(refund, soon())).toEqual({ outcome: 'done' });
  expect(await rail.refund({ ...refund, refundReference: 'r-2' }, soon())).toMatchObject({ outcome: 'failed' });
  const books = booksSchema.parse((await bench.control('GET', 'rails/card/books')).json);
  const own = books.items.filter(({ transaction_id }) => transaction_id === request.reference);
  expect(own.map(({ direction, status, amount }) => [direction, status, amount.value])).toEqual([
    ['in', 'success', '250000.00'],
    ['out', 'success', '250000.00'],
  ]);
});

describe('a forced behaviour', () => {
  test('failed declines, error answers nothing usable', async () => {
    await bench.control('PUT', 'rails/card', { outcome: 'failed' });
    expect(await rail.authorise(newRequest(), cardOf(CHALLENGED), soon())).toMatchObject({ outcome: 'failed', code: '05' });
    await bench.control('PUT', 'rails/card', { outcome: 'error' });
    expect(await rail.authorise(newRequest(), cardOf(PLAIN), soon())).toEqual({ outcome: 'unknown', reason: 'HTTP 500' });
  });

  test('timeout has it, and keeps silent', async () => {
    await bench.control('PUT', 'rails/card', { outcome: 'timeout' });
    const request = newRequest();
    expect(await rail.authorise(request, cardOf(PLAIN), within(300))).toMatchObject({ outcome: 'unknown' });
    expect(await rail.inquire(request, soon())).toEqual({ outcome: 'pending' });
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect(await rail.inquire(request, soon())).toMatchObject({ outcome: 'authorised' });
  });
});

test('a wrong key or signature is refused, and says nothing of the payment', async () => {
  for (const over of [{ clientKey: 'other' }, { clientSecret: 'other' }]) {
    const other = openRestCardRail({ url: `${bench.url()}/card`, clientKey: 'gerbang', clientSecret: SECRET, ...over });
    expect(await other.authorise(newRequest(), cardOf(PLAIN), soon())).toEqual({ outcome: 'unknown', reason: 'HTTP 401' });
    await other.close();
  }
});

test('an acquirer that changes its mind', async () => {
  const request = await authorised();
  await bench.control('POST', `card/${request.reference}/change`, { status: 'declined', notify: false });
  expect(await rail.inquire(request, soon())).toMatchObject({ outcome: 'failed' });
  expect((await bench.control('POST', 'card/nothing/change', { status: 'voided' })).status).toBe(404);
});

describe("the acquirer's history", () => {
  const hour = 3_600_000;
  const acquirersNow = async () => z.object({ now: z.number() }).parse((await bench.control('GET', 'clock')).json).now;

  async function historyOf(references: readonly string[]): Promise<HistoryRow[]> {
    const acquirer = { url: `${bench.url()}/card`, clientKey: 'gerbang', clientSecret: SECRET, pageTimeoutMs: 5_000 };
    const history = openRestCardHistory(acquirer);
    const rows: HistoryRow[] = [];
    const nowMs = await acquirersNow();
    const period = { fromMs: nowMs - hour, toMs: nowMs + hour };
    try {
      for await (const row of history.list(period, soon())) if (references.includes(row.remark)) rows.push(row);
    } finally {
      await history.close();
    }
    return rows;
  }

  test('has captures, refunds and voids, each by our reference', async () => {
    const [captured, refunded, voided] = [await authorised(), await authorised(), await authorised()];
    for (const one of [captured, refunded]) await rail.capture(one, soon());
    await rail.refund({ ...refunded, refundReference: `${refunded.reference}R1` }, soon());
    await rail.void(voided, soon());
    const rows = await historyOf([captured, refunded, voided].map(({ reference }) => reference));
    const shown = rows.map(({ ourReference, direction, status }) => `${ourReference} ${direction} ${status}`);
    expect(shown.sort()).toEqual(
      [
        `${captured.reference} in booked`,
        `${refunded.reference} in booked`,
        `${refunded.reference} out booked`,
        `${voided.reference} in canceled`,
      ].sort(),
    );
    expect(rows.every(({ amountSen }) => amountSen === 250_000_00n)).toBe(true);
  });

  test('differs as tests want it, while the books stay: a row less, one more, another amount, another status', async () => {
    const made = [await authorised(), await authorised(), await authorised()];
    for (const one of made) await rail.capture(one, soon());
    const references = made.map(({ reference }) => reference);
    const idOf = async (i: number) =>
      (await historyOf(references)).find(({ remark }) => remark === references[i])?.railTransactionId ?? expect.fail('no row');
    await bench.control('DELETE', `history/card/rows/${await idOf(0)}`);
    await bench.control('PATCH', `history/card/rows/${await idOf(1)}`, { amount: { value: '1.00', currency: 'IDR' } });
    await bench.control('PATCH', `history/card/rows/${await idOf(2)}`, { status: 'canceled' });
    const extra = { amount: { value: '2.00', currency: 'IDR' }, direction: 'in', remark: '99EXTRA' };
    await bench.control('POST', 'history/card/rows', { ...extra, at: new Date(await acquirersNow()).toISOString() });
    const rows = await historyOf([...references, '99EXTRA']);
    expect(rows.map(({ remark, amountSen, status }) => [references.indexOf(remark), amountSen, status]).sort()).toEqual([
      [-1, 2_00n, 'booked'],
      [1, 1_00n, 'booked'],
      [2, 250_000_00n, 'canceled'],
    ]);
    await bench.control('DELETE', 'history/card');
    expect(await historyOf(references)).toHaveLength(3);
    expect(await rail.inquire({ reference: references[2] ?? '' }, soon())).toMatchObject({ outcome: 'captured' });
  });
});

test('a chargeback is opened once for each call, asked for by its case, withdrawn, and in the books', async () => {
  const request = await authorised();
  await rail.capture(request, soon());
  const path = `card/${request.reference}/chargeback`;
  const quietly = { notify: false };
  const opened = await bench.control('POST', path, { ...quietly, amount: 100_000, reason: 'Not received', reason_code: '13.1' });
  expect(opened.json).toEqual({ accepted: true, case_id: `${request.reference}-CB1` });
  expect((await bench.control('POST', path, quietly)).json).toMatchObject({ case_id: `${request.reference}-CB2` });
  const caseId = `${request.reference}-CB1`;
  const said = { caseId, reference: request.reference, amountSen: '10000000', reasonCode: '13.1', reason: 'Not received' };
  const inquire = (id: string) => rail.inquireChargeback?.({ caseId: id }, soon());
  expect(await inquire(caseId)).toMatchObject({
    outcome: 'found',
    chargeback: { ...said, stage: 'chargeback', isWithdrawn: false },
  });
  expect(await inquire(`${request.reference}-CB3`)).toEqual({ outcome: 'not_found' });
  await bench.control('POST', `${path}/withdraw`, { ...quietly, case_id: caseId });
  expect(await inquire(caseId)).toMatchObject({ chargeback: { isWithdrawn: true } });
  const books = booksSchema.parse((await bench.control('GET', 'rails/card/books')).json);
  const own = books.items.filter(({ transaction_id }) => transaction_id === request.reference);
  expect(own.map(({ direction, status, amount }) => [direction, status, amount.value])).toEqual([
    ['in', 'success', '250000.00'],
    ['out', 'canceled', '100000.00'],
    ['out', 'pending', '250000.00'],
  ]);
  expect((await bench.control('POST', 'card/nothing/chargeback', quietly)).status).toBe(404);
  await bench.control('PUT', 'rails/card', { outcome: 'error' });
  expect(await inquire(caseId)).toEqual({ outcome: 'unknown', reason: 'HTTP 500' });
});
