import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import { CancelRequestSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { AuthorisationResult } from '@gerbang/rails/card';
import { Crash, type Death, dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import { onPaymentDue } from '../src/payment/advance.ts';
import { placePayment } from '../src/payment/place.ts';
import { lookAgain } from '../src/payment/report.ts';
import { cancel } from '../src/payment/rpc/cancel.ts';
import { ACCOUNT, card, eventsOf, MERCHANT, newId, newOrder, useParts } from './parts-harness.ts';
import { type Behaviour, newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;
/** Marked, sent, and its answer written. */
const STEPS = 4;
const deaths: Death[] = Array.from({ length: STEPS }, (_, i) => [
  { step: i + 1, when: 'before' as const },
  { step: i + 1, when: 'after' as const },
]).flat();

/** An acquirer without inquiries, as by ISO 8583: what it has not answered is reversed, and it says that no charge stands. */
function newReversingAcquirer(behaviour: Parameters<typeof newAcquirer>[0]) {
  const acquirer = newAcquirer(behaviour);
  const tries: number[] = [];
  const rail: typeof acquirer.rail = {
    ...acquirer.rail,
    inquire: undefined,
    async resolve({ reference, tries: before = 0 }) {
      tries.push(before);
      if (acquirer.state.isSilent) return { outcome: 'unknown', reason: 'no answer' };
      const found = acquirer.held.get(reference);
      if (found === undefined) return { outcome: 'not_found' };
      if (found.status === 'authorised') Object.assign(found, { status: 'voided', voids: found.voids + 1 });
      return { outcome: 'voided' };
    },
  };
  return { ...acquirer, rail, tries };
}

async function setUp(behaviour: Parameters<typeof newAcquirer>[0] = {}, death?: Death) {
  const acquirer = newReversingAcquirer(behaviour);
  const ledger = newLedger();
  const clock = createClock();
  const open = (by = dying(undefined)) => parts.newContext(acquirer, ledger, by, { clock });
  const replicas = [await open(), await open()] as const;
  const id = newId();
  const goTo = (ms: number) => parts.fireTimers(replicas, clock, id, clock.now() + ms);
  return { acquirer, ledger, clock, replicas, mortal: await open(dying(death)), id, goTo };
}

const cancelRequest = (id: string) => create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id });

async function until(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
  });
}

describe.each<[string, Behaviour]>([
  ['takes', 'takes'],
  ['refuses', 'refuses'],
  ['takes without an answer', 'lost'],
  ['never gets', 'unsent'],
])('a payment that the acquirer %s', (_what, authorise) => {
  test.each(deaths)('whose process dies $when step $step is settled, or no charge of it stands', async (death) => {
    const { acquirer, ledger, mortal, replicas, id, goTo } = await setUp({ authorise }, death);
    await until(placePayment(mortal, id, newOrder(), card()));
    await mortal.background.settled();
    if ((await replicas[0].payments.find(id)) === undefined) return;
    const after = await goTo(DAY_MS);
    const held = acquirer.held.get(id);
    const isTaken = held?.status === 'captured';
    expect([after.state.status, eventsOf(after)]).toEqual(isTaken ? ['settled', ['succeeded']] : ['failed', ['failed']]);
    expect([undefined, 'captured', 'voided', 'declined']).toContain(held?.status);
    expect(ledger.balance).toEqual({ pending: 0n, available: isTaken ? 250_000_00n : 0n });
    expect(acquirer.cards.length).toBeLessThanOrEqual(1);
  });
});

test('what may still be answered is not reversed, neither by a timer nor for a report', async () => {
  const { acquirer, clock, replicas, id } = await setUp();
  const answer = Promise.withResolvers<AuthorisationResult>();
  const [first, second] = replicas;
  const { authorise } = first.rail;
  first.rail.authorise = async (...given) => {
    await authorise(...given);
    return answer.promise;
  };
  const placing = placePayment(first, id, newOrder(), card());
  await expect.poll(() => acquirer.cards.length).toBe(1);
  await lookAgain(second, await parts.find(id));
  await onPaymentDue(second, await parts.find(id));
  expect([acquirer.tries, (await parts.find(id)).state.status]).toEqual([[], 'authorising']);
  answer.resolve({ outcome: 'authorised', acquirerReference: 'a', approvalCode: '1', authorisedAtMs: undefined });
  expect((await placing).state.status).toBe('authorised');
  expect((await parts.fireTimers(replicas, clock, id, clock.now() + DAY_MS)).state.status).toBe('settled');
});

test('looking at a payment without an answer does not reverse it: that is for its timer', async () => {
  const { acquirer, clock, replicas, id } = await setUp({ authorise: 'lost' });
  await placePayment(replicas[0], id, newOrder(), card());
  const { document } = await parts.find(id);
  clock.setOffset(clock.offsetMs() + 60_000);
  await lookAgain(replicas[0], await parts.find(id));
  expect([acquirer.tries, (await parts.find(id)).document]).toEqual([[], document]);
  await onPaymentDue(replicas[0], await parts.find(id));
  expect((await parts.find(id)).state.status).toBe('failed');
});

test('an answer that comes after the reversal is voided, and the failure stands', async () => {
  const { acquirer, clock, replicas, id, goTo } = await setUp();
  const answer = Promise.withResolvers<AuthorisationResult>();
  const [first, second] = replicas;
  const { authorise } = first.rail;
  first.rail.authorise = async (...given) => {
    await answer.promise;
    return authorise(...given);
  };
  const placing = placePayment(first, id, newOrder(), card());
  await expect.poll(async () => (await parts.find(id).catch(() => undefined))?.state.status).toBe('authorising');
  // The reversal overtakes the authorisation by another connection, and the acquirer does not know it for two minutes.
  for (let minute = 0; minute < 3; minute++) {
    clock.setOffset(clock.offsetMs() + 60_000);
    await onPaymentDue(second, await parts.find(id));
  }
  expect((await parts.find(id)).state).toMatchObject({ status: 'failed', code: 'NOT_RECEIVED' });
  answer.resolve({ outcome: 'voided' });
  await placing;
  const after = await goTo(DAY_MS);
  expect([after.state.status, eventsOf(after), acquirer.held.get(id)?.status]).toEqual(['failed', ['failed'], 'voided']);
});

test('a reversal without an answer is repeated, and says so', async () => {
  const { acquirer, clock, replicas, id, goTo } = await setUp({ authorise: 'lost' });
  acquirer.state.isSilent = true;
  await placePayment(replicas[0], id, newOrder(), card());
  for (let minute = 0; minute < 3; minute++) {
    clock.setOffset(clock.offsetMs() + 60_000);
    await onPaymentDue(replicas[0], await parts.find(id));
  }
  expect((await parts.find(id)).state.status).toBe('authorising');
  acquirer.state.isSilent = false;
  const after = await goTo(DAY_MS);
  expect([after.state, acquirer.held.get(id)?.status]).toMatchObject([{ status: 'failed', code: 'VOIDED' }, 'voided']);
  // Both replicas repeat it in the end.
  expect(acquirer.tries.slice(0, 4)).toEqual([0, 1, 2, 3]);
});

describe('an explicit refusal counts, since it can not be asked about', () => {
  test('of a void: the payment stands', async () => {
    const { ledger, replicas, id, goTo } = await setUp({ void: 'refuses' });
    await placePayment(replicas[0], id, newOrder(), card());
    await expect(cancel(replicas[0], cancelRequest(id))).rejects.toThrow(RefusalError);
    const after = await goTo(DAY_MS);
    expect([after.state.status, ledger.balance.available]).toEqual(['settled', 250_000_00n]);
  });

  test('of a capture: it fails, and nothing was credited', async () => {
    const { ledger, replicas, id, goTo } = await setUp({ capture: 'refuses' });
    await placePayment(replicas[0], id, newOrder(), card());
    const after = await goTo(DAY_MS);
    expect([after.state.status, eventsOf(after), ledger.keys()]).toEqual(['failed', ['succeeded', 'failed'], []]);
  });

  test('of a refund: its money comes back', async () => {
    const { ledger, replicas, id, goTo } = await setUp({ refund: 'refuses' });
    await placePayment(replicas[0], id, newOrder(), card());
    await goTo(DAY_MS);
    await expect(cancel(replicas[0], cancelRequest(id))).rejects.toThrow(RefusalError);
    const after = await goTo(DAY_MS);
    expect([after.state.status, ledger.balance.available]).toEqual(['settled', 250_000_00n]);
  });
});

test.each<[string, Parameters<typeof newAcquirer>[0], number, string]>([
  ['capture', { capture: 'lost' }, 0, 'settled'],
  ['void', { void: 'lost' }, 0, 'cancelled'],
  ['refund', { refund: 'lost' }, DAY_MS, 'refunded'],
])('a %s without an answer is repeated until it has one', async (what, behaviour, afterMs, status) => {
  const { replicas, id, goTo } = await setUp(behaviour);
  await placePayment(replicas[0], id, newOrder(), card());
  await goTo(afterMs);
  if (what !== 'capture') await until(cancel(replicas[0], cancelRequest(id)));
  expect((await goTo(DAY_MS)).state.status).toBe(status);
});

test('a report of what can not be asked about changes nothing', async () => {
  const { acquirer, replicas, id, goTo } = await setUp();
  await placePayment(replicas[0], id, newOrder(), card());
  await goTo(DAY_MS);
  Object.assign(acquirer.held.get(id) ?? {}, { status: 'refunded' });
  expect((await lookAgain(replicas[0], await parts.find(id))).state.status).toBe('settled');
});
