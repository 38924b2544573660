import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { isUlid, ulidTimeMs } from '@gerbang/core';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import { expect, test } from 'vitest';
import { eventsOf } from './received-event.ts';

const batch = (over: MessageInitShape<typeof EventBatchSchema> = {}) =>
  create(EventBatchSchema, {
    service: 'money-out',
    aggregateType: 'transfers',
    aggregateId: 't1',
    merchantId: 'm1',
    events: [{ seq: 1n, type: 'x', atMs: 1_750_000_000_000n }],
    ...over,
  });
const idOf = (over: MessageInitShape<typeof EventBatchSchema> = {}) => eventsOf('money-out', batch(over))?.[0]?.eventId ?? '';

test('an event has the same id whenever it comes, and no other event has it', () => {
  expect(isUlid(idOf())).toBe(true);
  expect(ulidTimeMs(idOf())).toBe(1_750_000_000_000);
  expect(idOf()).toBe(idOf());
  const others = [
    idOf({ aggregateId: 't2' }),
    idOf({ aggregateType: 'others' }),
    idOf({ events: [{ seq: 2n, type: 'x', atMs: 1_750_000_000_000n }] }),
  ];
  expect(new Set([idOf(), ...others]).size).toBe(4);
});

test.each([
  ['another service', { service: 'merchant' }],
  ['no aggregate', { aggregateId: '' }],
  ['no type', { aggregateType: '' }],
  ['no merchant', { merchantId: '' }],
  ['no sequence', { events: [{ seq: 0n, type: 'x', atMs: 1n }] }],
  ['a time before time', { events: [{ seq: 1n, type: 'x', atMs: -1n }] }],
  ['a time beyond all ids', { events: [{ seq: 1n, type: 'x', atMs: 2n ** 48n }] }],
])('a message with %s is none of ours', (_, over) => {
  expect(eventsOf('money-out', batch(over))).toBeUndefined();
});
