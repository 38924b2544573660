import { ConfigError } from '@gerbang/runtime';
import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { historyCredentials } from '../src/reconciliation/rails.ts';

const rail = (name: string) => ({
  [`RAIL_${name}_URL`]: 'http://127.0.0.1:1',
  [`RAIL_${name}_CLIENT_KEY`]: 'k',
  [`RAIL_${name}_CLIENT_SECRET`]: 's',
  [`RAIL_${name}_PRIVATE_KEY`]: 'cGVt',
  [`RAIL_${name}_PARTNER_ID`]: 'p',
  [`RAIL_${name}_CHANNEL_ID`]: '1',
  [`RAIL_${name}_CALLBACK_PARTNER_ID`]: 'p',
});

const read = (over: Record<string, string>) =>
  readConfig({
    GERBANG_ENV: 'production',
    MONGODB_URI: 'mongodb://127.0.0.1:1',
    NATS_URL: 'nats://127.0.0.1:1',
    MERCHANT_RPC: '127.0.0.1:1',
    LEDGER_RPC: '127.0.0.1:1',
    PAY_URL: 'https://pay.example',
    RAIL_QRIS_MERCHANT_ID: 'm',
    ...rail('QRIS'),
    ...rail('EWALLET'),
    ...over,
  });

test.each(['', ' ', ' , ', 'BCA'])('production does not start with VA_PREFIXES %j', (prefixes) => {
  const start = () => read({ VA_PREFIXES: prefixes });
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(/VA_PREFIXES/);
});

test('in production only banks that are named have numbers; the sandbox has its own', () => {
  expect(Object.keys(read({ VA_PREFIXES: 'BCA=39358/16' }).vaSeries)).toEqual(['BCA']);
  expect(Object.keys(read({ GERBANG_ENV: 'sandbox' }).vaSeries)).toHaveLength(12);
});

test.each(['VA', 'RETAIL'] as const)('the history of the rail %s is asked by TLS 1.3, or by 1.2 where it is allowed', (name) => {
  const variables = { VA_PREFIXES: 'BCA=39358/16', ...rail(name), [`RAIL_${name}_HISTORY_ACCOUNT`]: '1' };
  expect(historyCredentials(read(variables), name).tlsMin).toBe('1.3');
  expect(historyCredentials(read({ ...variables, [`RAIL_${name}_TLS_MIN`]: '1.2' }), name).tlsMin).toBe('1.2');
  expect(() => read({ ...variables, [`RAIL_${name}_TLS_MIN`]: '1.1' })).toThrow(`RAIL_${name}_TLS_MIN is not valid`);
});
