import { expect, test } from 'vitest';
import { createUnknownTypes } from './unknown-types.ts';

test('each service, type and schema is new once', () => {
  const { isNew } = createUnknownTypes();
  const event = { service: 'money-out', type: 'disbursement.refunded', schema: 1 };
  expect([isNew(event), isNew(event)]).toEqual([true, false]);
  expect([isNew({ ...event, schema: 2 }), isNew({ ...event, type: 'x' }), isNew({ ...event, service: 'money-in' })]).toEqual([
    true,
    true,
    true,
  ]);
});

test('what is remembered has a bound', () => {
  const { isNew } = createUnknownTypes();
  const event = (i: number) => ({ service: 'money-out', type: `t${i}`, schema: 1 });
  for (let i = 0; i < 1_000; i++) isNew(event(i));
  expect([isNew(event(999)), isNew(event(1_000)), isNew(event(1_000))]).toEqual([false, true, true]);
});
