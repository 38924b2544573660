import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Attempt, type DeliveryCommand, type DeliveryState, decide, dueAtMs, evolve, newDelivery } from './delivery.ts';

const NOW = 1_000_000;
const production = { sandbox: false, chance: () => 0.5 };
const DELAYS_S = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200];

const attempt = (atMs: number, httpStatus: number | undefined): Attempt => ({
  atMs,
  httpStatus,
  durationMs: 1,
  answer: '',
  error: httpStatus === 200 ? undefined : 'no',
});
const record = (atMs: number, httpStatus: number | undefined): DeliveryCommand => ({
  type: 'record',
  attempt: attempt(atMs, httpStatus),
  nowMs: atMs,
});

/** The state after these commands. */
function given(...commands: DeliveryCommand[]): DeliveryState {
  return commands.reduce((state, command) => decide(state, command, production).reduce(evolve, state), newDelivery(NOW));
}

/** Attempts that all fail, each when it is due. */
function failing(times: number): DeliveryState {
  let state = newDelivery(NOW);
  for (let i = 0; i < times; i++) {
    const dueMs = dueAtMs(state);
    if (dueMs === undefined) throw new Error(`nothing is due after ${i} failures`);
    state = decide(state, record(dueMs, 500), production).reduce(evolve, state);
  }
  return state;
}

describe('a delivery', () => {
  test('is due at once and done with the first 2xx', () => {
    expect(dueAtMs(newDelivery(NOW))).toBe(NOW);
    for (const status of [200, 204, 299]) expect(given(record(NOW, status)).status).toBe('delivered');
    expect(dueAtMs(given(record(NOW, 200)))).toBeUndefined();
  });

  test.each([undefined, 199, 300, 302, 404, 500])('is not acknowledged by %s', (status) => {
    expect(given(record(NOW, status))).toMatchObject({ status: 'pending', failures: 1 });
  });

  test('follows the schedule and is given up after nine attempts', () => {
    let lastMs = NOW;
    for (const [i, delayS] of DELAYS_S.entries()) {
      const state = failing(i + 1);
      expect(dueAtMs(state)).toBe(lastMs + delayS * 1_000);
      lastMs += delayS * 1_000;
    }
    expect(failing(9)).toEqual({ status: 'failed', redeliverAtMs: undefined });
  });

  test('counts the delay from the end of the attempt', () => {
    const state = given({ type: 'record', attempt: attempt(NOW, 500), nowMs: NOW + 10_000 });
    expect(dueAtMs(state)).toBe(NOW + 15_000);
  });
});

describe('a redelivery', () => {
  test('of a delivered one is due at once, and its failure takes nothing back', () => {
    const requested = given(record(NOW, 200), { type: 'redeliver', atMs: NOW + 5, requestedBy: { clientId: 'c' } });
    expect(requested).toEqual({ status: 'delivered', redeliverAtMs: NOW + 5 });
    expect(dueAtMs(requested)).toBe(NOW + 5);
    const done = decide(requested, record(NOW + 6, 500), production).reduce(evolve, requested);
    expect(done).toEqual({ status: 'delivered', redeliverAtMs: undefined });
  });

  test('of a failed one delivers it, or leaves it failed', () => {
    const failed = failing(9);
    const requested = decide(failed, { type: 'redeliver', atMs: NOW * 1_000, requestedBy: { clientId: 'c' } }, production).reduce(
      evolve,
      failed,
    );
    const retried = (status: number) => decide(requested, record(NOW * 1_000, status), production).reduce(evolve, requested);
    expect(retried(200)).toEqual({ status: 'delivered', redeliverAtMs: undefined });
    expect(retried(503)).toEqual({ status: 'failed', redeliverAtMs: undefined });
  });

  test('of a pending one uses up none of the schedule', () => {
    const requested = given(record(NOW, 500), { type: 'redeliver', atMs: NOW + 1_000, requestedBy: { clientId: 'c' } });
    expect(dueAtMs(requested)).toBe(NOW + 1_000);
    const after = decide(requested, record(NOW + 1_000, 500), production).reduce(evolve, requested);
    expect(after).toEqual({ status: 'pending', failures: 1, nextAttemptAtMs: NOW + 5_000, redeliverAtMs: undefined });
  });

  test('requested during an attempt is made after it', () => {
    const requested = given({ type: 'redeliver', atMs: NOW + 10, requestedBy: { clientId: 'c' } });
    const after = decide(requested, { type: 'record', attempt: attempt(NOW, 200), nowMs: NOW + 20 }, production).reduce(
      evolve,
      requested,
    );
    expect(after).toEqual({ status: 'delivered', redeliverAtMs: NOW + 10 });
  });
});

test('commands in any order: an acknowledged delivery stays delivered, and the schedule has at most nine attempts', () => {
  const commands = fc.array(
    fc.record({ kind: fc.constantFrom('attempt', 'redeliver'), ok: fc.boolean(), lateMs: fc.integer({ min: 0, max: 60_000 }) }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(commands, (steps) => {
      let state = newDelivery(NOW);
      let nowMs = NOW;
      let acknowledged = false;
      let counted = 0;
      for (const { kind, ok, lateMs } of steps) {
        nowMs += lateMs;
        if (kind === 'redeliver') {
          state = decide(state, { type: 'redeliver', atMs: nowMs, requestedBy: { clientId: 'c' } }, production).reduce(
            evolve,
            state,
          );
          expect(dueAtMs(state)).toBeLessThanOrEqual(nowMs);
          continue;
        }
        const dueMs = dueAtMs(state);
        if (dueMs === undefined) continue;
        nowMs = Math.max(nowMs, dueMs);
        const events = decide(state, record(nowMs, ok ? 200 : 500), production);
        counted += events.filter(({ type }) => type === 'retry-scheduled' || type === 'given-up').length;
        state = events.reduce(evolve, state);
        acknowledged ||= ok;
        expect(state.status === 'delivered').toBe(acknowledged);
      }
      expect(counted).toBeLessThanOrEqual(9);
    }),
  );
});
