import { isRefusal } from '@gerbang/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, decideAll, evolve, isFinal, type TransferCommand, type TransferEvent, type TransferState } from './transfer.ts';

const NOW = 1_000_000;
const created: TransferState = { status: 'created', request: '{}' };
const send: TransferCommand = { type: 'send', balanceAfterSen: 5n };
const succeed: TransferCommand = { type: 'succeed', railReference: 'r1' };
const fail: TransferCommand = { type: 'fail', code: '4031814', reason: 'no', beneficiaryUnknown: false };
const wait: TransferCommand = { type: 'wait', reason: 'timeout', unresolved: false };
const propose: TransferCommand = { type: 'propose', operator: 'ana', outcome: 'failed' };

/** Given commands that have been carried out, the state after them. */
function given(...commands: TransferCommand[]): TransferState {
  return commands.reduce<TransferState>((state, command) => {
    const events = decide(state, command, NOW);
    if (isRefusal(events)) throw new Error(`${command.type} was refused: ${events.message}`);
    return events.reduce(evolve, state);
  }, created);
}

describe('a transfer', () => {
  test('is sent once its funds are held', () => {
    expect(decide(created, send, NOW)).toEqual([{ type: 'sent', balanceAfterSen: 5n }]);
    expect(given(send)).toMatchObject({ status: 'sent', request: '{}' });
    expect(decide(given(send), send, NOW)).toEqual([]);
  });

  test('succeeds with the balance after its hold', () => {
    expect(given(send, succeed)).toEqual({ status: 'succeeded', balanceAfterSen: 5n, railReference: 'r1', processedAtMs: NOW });
  });

  test('is sent and ends at once where nobody has to see it in between', () => {
    expect(decideAll(created, [send, succeed], NOW)).toEqual([
      { type: 'sent', balanceAfterSen: 5n },
      { type: 'succeeded', railReference: 'r1', processedAtMs: NOW },
    ]);
    expect(decideAll(given(send), [send, fail], NOW)).toMatchObject([{ type: 'failed' }]);
    expect(decideAll(given(send, fail), [send, wait], NOW)).toEqual([]);
    expect(decideAll(created, [succeed, send], NOW)).toMatchObject({ refused: 'bad_request' });
  });

  test('fails with the rail’s reason', () => {
    expect(given(send, fail)).toMatchObject({ status: 'failed', failedCode: '4031814', failedReason: 'no' });
  });

  test('waits, counting inquiries, until it is known', () => {
    expect(given(send, wait, wait)).toMatchObject({
      status: 'sent',
      inquiries: 2,
      pendingReason: 'timeout',
      unresolvedAtMs: undefined,
    });
    expect(given(send, wait, succeed).status).toBe('succeeded');
    expect(given(send, wait, fail).status).toBe('failed');
  });

  test('goes to the operators once, and stays with them while inquiries go on', () => {
    const unresolved = given(send, { ...wait, unresolved: true });
    expect(unresolved).toMatchObject({ unresolvedAtMs: NOW });
    expect(decide(unresolved, wait, NOW + 5)).toEqual([{ type: 'waited', reason: 'timeout', unresolvedAtMs: NOW }]);
    expect(given(send, { ...wait, unresolved: true }, propose)).toMatchObject({
      proposal: { operator: 'ana', outcome: 'failed' },
    });
  });

  test.each([
    ['succeed before it was sent', created, succeed],
    ['fail before it was sent', created, fail],
    ['wait before it was sent', created, wait],
    ['fail after success', given(send, succeed), fail],
    ['succeed after failure', given(send, fail), succeed],
    ['be resolved while the rail may still tell', given(send), propose],
    ['be resolved after success', given(send, succeed), propose],
  ] as [string, TransferState, TransferCommand][])('can’t %s', (_what, state, command) => {
    expect(decide(state, command, NOW)).toMatchObject({ refused: 'bad_request' });
  });

  test.each([
    ['success', given(send, succeed), succeed],
    ['failure', given(send, fail), fail],
    ['waiting after success', given(send, succeed), wait],
  ] as [string, TransferState, TransferCommand][])('repeats nothing: %s', (_what, state, command) => {
    expect(decide(state, command, NOW)).toEqual([]);
  });
});

test('whatever happens, a transfer ends at most once and never leaves its end', () => {
  const command = fc.constantFrom(send, succeed, fail, wait, { ...wait, unresolved: true }, propose);
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      let state: TransferState = created;
      const events: TransferEvent[] = [];
      for (const next of commands) {
        const before = state;
        const decided = decide(state, next, NOW);
        if (isRefusal(decided)) continue;
        state = decided.reduce(evolve, state);
        events.push(...decided);
        if (isFinal(before)) expect(state).toEqual(before);
      }
      expect(events.filter((event) => event.type === 'sent').length).toBeLessThanOrEqual(1);
      expect(events.filter((event) => event.type === 'succeeded' || event.type === 'failed').length).toBeLessThanOrEqual(1);
    }),
  );
});
