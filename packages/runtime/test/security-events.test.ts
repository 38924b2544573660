import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../src/logger.ts';
import { type SecurityEvent, securityEventsOf, securityKindOf } from '../src/security-events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const written: string[] = [];
  const registry = new Registry();
  const log = createLogger({ service: 'test', level: 'info' }, { write: (line) => void written.push(line) });
  const events = securityEventsOf(registry, log);
  const lines = (msg: string): Record<string, unknown>[] =>
    written.map((line) => JSON.parse(line)).filter((line) => line.msg === msg);
  return { registry, log, events, lines };
}

const EVENT: SecurityEvent = {
  listener: 'merchant',
  kind: 'unauthenticated',
  reason: 'unauthorized',
  route: '/api/v1.0/accounts',
  address: '192.0.2.1',
};

test('is a line of fixed fields, and counted', async () => {
  const { registry, events, lines } = open();
  events.record({ ...EVENT, identity: { id: 'client-1', proof: 'authenticated' }, merchantId: 'M', traceId: 't' });
  const [line] = lines('security_event');
  expect(Object.keys(line ?? {}).toSorted()).toEqual(
    ['level', 'service', 'time', 'msg', 'listener', 'kind', 'reason', 'route', 'address', 'client_id', 'identity']
      .concat(['merchant_id', 'trace_id'])
      .toSorted(),
  );
  expect(line).toMatchObject({ level: 'warn', client_id: 'client-1', identity: 'authenticated', address: '192.0.2.1' });
  expect(await registry.metrics()).toContain(
    'gerbang_security_events_total{listener="merchant",kind="unauthenticated",reason="unauthorized"} 1',
  );
});

test('an identity that does not look like an id is not written', () => {
  const { events, lines } = open();
  const claimed = (id: string) => events.record({ ...EVENT, identity: { id, proof: 'claimed' } });
  const secret = randomBytes(32).toString('base64url');
  for (const id of ['a b', 'x'.repeat(65), 'Bearer eyJhbGciOi\n', '', secret]) claimed(id);
  for (const line of lines('security_event')) {
    expect(line).toMatchObject({ identity: 'claimed' });
    expect(line).not.toHaveProperty('client_id');
  }
});

test('a flood of one address writes five lines and, after a minute, one with the number', async () => {
  const { registry, events, lines } = open();
  for (let i = 0; i < 10_000; i++) events.record(EVENT);
  events.record({ ...EVENT, address: '192.0.2.2' });
  expect(lines('security_event').map(({ address }) => address)).toEqual([...Array(5).fill('192.0.2.1'), '192.0.2.2']);
  expect(await registry.metrics()).toContain('reason="unauthorized"} 10001');
  vi.advanceTimersByTime(60_000);
  expect(lines('security_events_suppressed')).toMatchObject([{ address: '192.0.2.1', addresses: 1, suppressed: 9_995 }]);
  events.record(EVENT);
  expect(lines('security_event')).toHaveLength(7);
});

test('a flood of one network of IPv6 leaves lines for others', () => {
  const { events, lines } = open();
  for (let i = 0; i < 1_000; i++) events.record({ ...EVENT, address: `2001:db8::${i.toString(16)}` });
  events.record(EVENT);
  expect(lines('security_event')).toHaveLength(6);
  vi.advanceTimersByTime(60_000);
  expect(lines('security_events_suppressed')).toMatchObject([{ address: '2001:db8:0:0::/64', suppressed: 995 }]);
});

test('a flood of a hundred thousand addresses writes a bounded number of lines, and none is uncounted', () => {
  const { events, lines } = open();
  for (let i = 0; i < 100_000; i++)
    events.record({ ...EVENT, address: `2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::1` });
  expect(lines('security_event')).toHaveLength(300);
  vi.advanceTimersByTime(60_000);
  const summaries = lines('security_events_suppressed');
  expect(summaries.length).toBeLessThanOrEqual(51);
  expect(summaries.reduce((sum, { suppressed }) => sum + Number(suppressed), 300)).toBe(100_000);
});

test('what is expected is there with 0', async () => {
  const { registry, events } = open();
  events.expect('rpc', { forbidden: ['caller_not_listed'] });
  expect(await registry.metrics()).toContain(
    'gerbang_security_events_total{listener="rpc",kind="forbidden",reason="caller_not_listed"} 0',
  );
});

test('there is one for a process', () => {
  const { registry, log, events } = open();
  expect(securityEventsOf(registry, log)).toBe(events);
});

test.each([
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [429, 'rate_limited'],
  [404, undefined],
  [200, undefined],
])('status %d: %s', (status, kind) => expect(securityKindOf(status)).toBe(kind));
