import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';

const environment = {
  GERBANG_ENV: 'sandbox',
  MONGODB_URI: 'mongodb://127.0.0.1',
  NATS_URL: 'nats://127.0.0.1:4222',
  MERCHANT_RPC: 'merchant:9101',
};

test('the services whose events are consumed are configured', () => {
  const EVENT_SOURCES = 'money-out=out:9103,cards=cards:9108';
  expect(readConfig({ ...environment, EVENT_SOURCES }).eventSources).toEqual([
    { service: 'money-out', address: 'out:9103' },
    { service: 'cards', address: 'cards:9108' },
  ]);
});

test('without EVENT_SOURCES the variables of before are read', () => {
  const { eventSources } = readConfig({ ...environment, MONEY_OUT_RPC: 'out:9103', MONEY_IN_RPC: 'in:9105' });
  expect(eventSources).toEqual([
    { service: 'money-out', address: 'out:9103' },
    { service: 'money-in', address: 'in:9105' },
    { service: 'merchant', address: 'merchant:9101' },
  ]);
});

test.each([
  [{}, 'EVENT_SOURCES is not set; it is required'],
  [{ MONEY_OUT_RPC: 'out:9103' }, 'EVENT_SOURCES is not set; it is required'],
  [{ EVENT_SOURCES: 'money-out' }, 'EVENT_SOURCES is not valid: expected service=host:port, more of them after commas'],
  [{ EVENT_SOURCES: 'merchant=a:1,merchant=b:2' }, 'EVENT_SOURCES is not valid: it names merchant twice'],
])('%j is refused', (given, message) => {
  expect(() => readConfig({ ...environment, ...given })).toThrow(message);
});

test.each([
  ['a sandbox on its user’s machine', { WEBHOOK_ALLOW_PRIVATE: 'true' }, true],
  ['a hosted sandbox', {}, false],
  ['a hosted sandbox with a list', { WEBHOOK_ALLOW_HOSTS: 'hooks.example' }, true],
])('%s keeps answers: %s', (_name, over, kept) => {
  const { keepsAnswersOf } = readConfig({ ...environment, EVENT_SOURCES: 'cards=cards:9108', ...over });
  expect(keepsAnswersOf?.('hooks.example') ?? true).toBe(kept);
});
