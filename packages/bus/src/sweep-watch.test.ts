import { createLogger, createMetrics, type Logger } from '@gerbang/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SweepWatch, watchSweep } from './sweep-watch.ts';

type Told = { alert: unknown; level: string };
let told: Told[];
let now: number;
let watch: SweepWatch;
const registry = () => createMetrics('shop');
const log = (): Logger => {
  const logger = createLogger({ service: 'shop', level: 'silent' });
  const note = (level: string) => (fields: unknown) => {
    if (typeof fields === 'object' && fields !== null && 'alert' in fields) told.push({ alert: fields.alert, level });
  };
  return Object.assign(logger, { error: note('error'), info: note('info') });
};
/** Lets time go by as the timer does. */
const wait = (seconds: number) => {
  for (let passed = 0; passed < seconds; passed++) {
    now += 1_000;
    watch.check();
  }
};

beforeEach(() => {
  told = [];
  now = 0;
  watch = watchSweep({ service: 'shop', log: log(), nowMs: () => now });
});
afterEach(() => watch.close());

test('errors for less than a minute raise no alert', () => {
  watch.fails(new Error('the database is away'));
  wait(59);
  watch.works();
  wait(59);
  expect(told).toEqual([]);
});

test('a minute without a sweep alerts once, again every ten minutes, and once when it is over', () => {
  watch.fails(new Error('the lease is refused'));
  wait(60);
  expect(told).toEqual([{ alert: 'event_sweep_stalled', level: 'error' }]);
  wait(599);
  expect(told).toHaveLength(1);
  wait(1);
  expect(told).toHaveLength(2);
  watch.works();
  watch.works();
  expect(told.at(-1)).toEqual({ alert: 'event_sweep_recovered', level: 'info' });
  expect(told).toHaveLength(3);
});

test('a sweep that hangs alerts as well', () => {
  wait(61);
  expect(told).toHaveLength(1);
});

test('the gauge shows for how long', async () => {
  const metrics = registry();
  await watch.close();
  watch = watchSweep({ service: 'shop', log: log(), metrics, nowMs: () => now });
  wait(30);
  expect(await metrics.metrics()).toMatch(/gerbang_events_sweep_stalled_seconds(\{[^}]*\})? 0\n/);
  wait(45);
  expect(await metrics.metrics()).toMatch(/gerbang_events_sweep_stalled_seconds(\{[^}]*\})? 75\n/);
});
