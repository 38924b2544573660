import { newUlid } from '@gerbang/core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, newPrivateKey, newRequest, soon, startBench, within } from './harness.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});

afterEach(async () => {
  bench.chance.random = Math.random;
  await bench.control('DELETE', 'rails/bank-transfer');
});

afterAll(() => bench?.stop());

const booked = async (reference: string) => (await bench.books()).filter((item) => item.transaction_id === reference);
const soonFirst = () => ({ ...soon(), firstSend: true });
const inquire = (accountNumber: string) =>
  bench.rail.inquireAccount({ bankCode: '014', accountNumber, partnerReference: newUlid(Date.now()) }, soon());

describe('beneficiaries', () => {
  test('a good one is named and paid, and stands in the books', async () => {
    expect(await inquire('1234567890')).toEqual({ outcome: 'found', accountName: 'TEST 7890' });
    const sent = newRequest();
    const result = await bench.rail.transfer(sent, soon());
    expect(result).toEqual({ outcome: 'succeeded', railReference: expect.stringMatching(/^[0-9A-Z]{26}$/) });
    expect(await bench.rail.inquireTransfer(sent, soon())).toEqual(result);
    expect(await booked(sent.partnerReference)).toEqual([
      {
        reference_number: sent.merchantReference,
        transaction_id: sent.partnerReference,
        direction: 'out',
        amount: { value: '15000.00', currency: 'IDR' },
        status: 'success',
      },
    ]);
  });

  test('0404 is not found: neither to an inquiry nor to a transfer', async () => {
    expect(await inquire('1234560404')).toEqual({ outcome: 'not_found' });
    const sent = newRequest('1234560404');
    const result = await bench.rail.transfer(sent, soonFirst());
    expect(result).toEqual({ outcome: 'failed', code: '4041811', reason: 'Invalid Account', cause: 'recipient_unknown' });
    expect(await bench.rail.inquireTransfer(sent, soon())).toEqual(result);
    expect((await booked(sent.partnerReference)).map(({ status }) => status)).toEqual(['failed']);
  });

  test('0001 fails at the bank', async () => {
    const sent = newRequest('1234560001');
    const result = await bench.rail.transfer(sent, soonFirst());
    expect(result).toEqual({ outcome: 'failed', code: '4031805', reason: 'Do Not Honor', cause: 'other' });
    expect(await bench.rail.inquireTransfer(sent, soon())).toEqual(result);
    expect((await booked(sent.partnerReference)).map(({ status }) => status)).toEqual(['failed']);
  });

  test.each([
    ['1234560002', 'succeeded', 'success'],
    ['1234560003', 'failed', 'failed'],
  ])('%s is not answered, stays pending for 5 s of business time, then has %s', async (accountNumber, outcome, status) => {
    const sent = newRequest(accountNumber);
    expect(await bench.rail.transfer(sent, within(300))).toEqual({ outcome: 'unknown', reason: 'no answer in time' });
    expect(await bench.rail.inquireTransfer(sent, soon())).toEqual({ outcome: 'pending' });
    expect((await booked(sent.partnerReference)).map((item) => item.status)).toEqual(['pending']);
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect((await bench.rail.inquireTransfer(sent, soon())).outcome).toBe(outcome);
    expect((await booked(sent.partnerReference)).map((item) => item.status)).toEqual([status]);
  });
});

describe('forced behaviour', () => {
  test('error answers 500 to everything and books nothing', async () => {
    const sent = newRequest();
    await bench.control('PUT', 'rails/bank-transfer', { outcome: 'error' });
    expect(await bench.rail.transfer(sent, soon())).toEqual({ outcome: 'unknown', reason: '5001800 General Error' });
    expect(await bench.rail.inquireTransfer(sent, soon())).toMatchObject({ outcome: 'unknown' });
    expect(await inquire('1234567890')).toMatchObject({ outcome: 'unknown' });
    await bench.control('DELETE', 'rails/bank-transfer');
    expect(await bench.rail.inquireTransfer(sent, soon())).toEqual({ outcome: 'not_found' });
    expect(await bench.rail.transfer(sent, soon())).toMatchObject({ outcome: 'succeeded' });
  });

  test('failed and success rule over the beneficiary', async () => {
    await bench.control('PUT', 'rails/bank-transfer', { outcome: 'failed' });
    const refused = newRequest();
    expect(await bench.rail.transfer(refused, soonFirst())).toMatchObject({ outcome: 'failed', cause: 'other' });
    expect(await inquire('1234567890')).toEqual({ outcome: 'not_found' });
    await bench.control('PUT', 'rails/bank-transfer', { outcome: 'success' });
    expect(await bench.rail.transfer(newRequest('1234560001'), soon())).toMatchObject({ outcome: 'succeeded' });
    expect(await inquire('1234560404')).toMatchObject({ outcome: 'found' });
    expect(await bench.rail.inquireTransfer(refused, soon())).toMatchObject({ outcome: 'failed' });
  });

  test('failed may say why, and the books keep it', async () => {
    await bench.control('PUT', 'rails/bank-transfer', { outcome: 'failed', failed_case: '40302' });
    const sent = newRequest();
    const result = await bench.rail.transfer(sent, soonFirst());
    expect(result).toMatchObject({ outcome: 'failed', code: '4031802', cause: 'recipient_limit' });
    expect(await bench.rail.inquireTransfer(sent, soon())).toEqual(result);
  });

  test.each<[string, object]>([
    ['bank-transfer', { failed_case: '40302' }],
    ['bank-transfer', { outcome: 'failed', failed_case: '50000' }],
    ['qris', { outcome: 'failed', failed_case: '40302' }],
  ])('%s is not forced by %j', async (rail, behaviour) => {
    const { status, json } = await bench.control('PUT', `rails/${rail}`, behaviour);
    expect([status, json.errors]).toEqual([422, { failed_case: [expect.any(String)] }]);
  });

  test('timeout keeps silent and pays 5 s later, and can still be inquired', async () => {
    await bench.control('PUT', 'rails/bank-transfer', { outcome: 'timeout' });
    const sent = newRequest();
    expect(await bench.rail.transfer(sent, within(300))).toMatchObject({ outcome: 'unknown' });
    expect(await bench.rail.inquireTransfer(sent, soon())).toEqual({ outcome: 'pending' });
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect(await bench.rail.inquireTransfer(sent, soon())).toMatchObject({ outcome: 'succeeded' });
  });

  test('latency delays the answer, not the booking', async () => {
    await bench.control('PUT', 'rails/bank-transfer', { latency_ms: 60_000 });
    const sent = newRequest();
    expect(await bench.rail.transfer(sent, within(300))).toMatchObject({ outcome: 'unknown' });
    expect((await booked(sent.partnerReference)).map((item) => item.status)).toEqual(['success']);
    await bench.control('PUT', 'rails/bank-transfer', { latency_ms: 120 });
    const startedMs = performance.now();
    expect(await bench.rail.inquireTransfer(sent, soon())).toMatchObject({ outcome: 'succeeded' });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(119);
  });

  test.each([
    ['below half of the rate: before the booking', 0.1, 'not_found'],
    ['below the rate: after the booking', 0.3, 'succeeded'],
  ])('an error %s', async (_what, draw, found) => {
    await bench.control('PUT', 'rails/bank-transfer', { error_rate: 0.4 });
    const sent = newRequest();
    bench.chance.random = () => draw;
    expect(await bench.rail.transfer(sent, soon())).toMatchObject({ outcome: 'unknown' });
    bench.chance.random = () => 0.4;
    expect(await bench.rail.inquireTransfer(sent, soon())).toMatchObject({ outcome: found });
  });

  test('under an error rate every reference is paid once at the most, whoever inquires and sends again', async () => {
    await bench.control('PUT', 'rails/bank-transfer', { error_rate: 0.6 });
    const all = Array.from({ length: 50 }, () => newRequest());
    const settle = async (sent: (typeof all)[number]) => {
      let { outcome }: { outcome: string } = await bench.rail.transfer(sent, soon());
      for (let attempt = 0; attempt < 200 && outcome !== 'succeeded'; attempt++) {
        outcome = (await bench.rail.inquireTransfer(sent, soon())).outcome;
        if (outcome === 'not_found') outcome = (await bench.rail.transfer(sent, soon())).outcome;
      }
      return outcome;
    };
    const outcomes = await Promise.all(all.map(settle));
    expect(new Set(outcomes)).toEqual(new Set(['succeeded']));
    const references = (await bench.books()).map((item) => item.transaction_id);
    for (const { partnerReference } of all) expect(references.filter((one) => one === partnerReference)).toHaveLength(1);
  });
});

describe('exactly once', () => {
  test('the same request many times at once is paid by one of them', async () => {
    const sent = newRequest();
    const all = await Promise.all(Array.from({ length: 20 }, () => bench.rail.transfer(sent, soon())));
    expect(all.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1);
    expect(all.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(19);
    expect(await booked(sent.partnerReference)).toHaveLength(1);
  });

  test('a reference with another external id and amount at once is paid once, with one of the amounts', async () => {
    const first = newRequest();
    const other = newRequest(undefined, { partnerReference: first.partnerReference, amountSen: '100' });
    const all = await Promise.all([bench.rail.transfer(first, soon()), bench.rail.transfer(other, soon())]);
    expect(all.map(({ outcome }) => outcome).sort()).toEqual(['succeeded', 'unknown']);
    expect(await booked(first.partnerReference)).toHaveLength(1);
  });

  test('another amount under a paid reference is no answer about this one', async () => {
    const sent = newRequest();
    await bench.rail.transfer(sent, soon());
    expect(await bench.rail.inquireTransfer({ ...sent, amountSen: '1' }, soon())).toMatchObject({ outcome: 'unknown' });
  });
});

describe('credentials and restarts', () => {
  test.each([
    ['client secret', { clientSecret: 'wrong' }],
    ['client key', { clientKey: 'wrong' }],
    ['private key', { privateKey: newPrivateKey() }],
  ])('a wrong %s pays nothing', async (_what, over) => {
    const stranger = bench.openRail(over);
    const sent = newRequest();
    expect(await stranger.transfer(sent, { ...soon(), firstSend: true })).toMatchObject({ outcome: 'unknown' });
    expect(await booked(sent.partnerReference)).toEqual([]);
    await stranger.close();
  });

  test('a restart forgets tokens, and nothing else', async () => {
    const paid = newRequest();
    const late = newRequest('1234560002');
    await bench.rail.transfer(paid, soon());
    await bench.rail.transfer(late, within(300));
    await bench.control('PUT', 'rails/bank-transfer', { outcome: 'failed' });
    const { json: before } = await bench.control('GET', 'clock');
    await bench.restart();
    expect((await bench.control('GET', 'clock')).json.offset_ms).toBe(before.offset_ms);
    expect(await bench.rail.transfer(newRequest(), soonFirst())).toMatchObject({ outcome: 'failed' });
    expect(await bench.rail.inquireTransfer(paid, soon())).toMatchObject({ outcome: 'succeeded' });
    expect(await bench.rail.transfer(paid, soon())).toEqual({ outcome: 'unknown', reason: '4091800 Conflict' });
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect(await bench.rail.inquireTransfer(late, soon())).toMatchObject({ outcome: 'succeeded' });
  });

  test('a restart cuts the calls that are not answered, and closing waits for none of them', async () => {
    const late = newRequest('1234560003');
    const calling = bench.rail.transfer(late, within(30_000));
    await expect.poll(() => booked(late.partnerReference)).toHaveLength(1);
    await bench.restart();
    expect(await calling).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('connection') });
    expect((await booked(late.partnerReference)).map(({ status }) => status)).toEqual(['pending']);
  });
});
