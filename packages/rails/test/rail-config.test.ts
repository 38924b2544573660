import { ConfigError, loadConfig } from '@gerbang/runtime';
import { expect, test } from 'vitest';
import { railFromConfig, railVariables } from '../src/index.ts';

const shape = railVariables('BANK_TRANSFER');

/** A rail's variables as the environment has them; `undefined` is one that is not set. */
function read(over: Record<string, string | undefined> = {}) {
  const set = {
    URL: 'https://bank.example/snap',
    CLIENT_KEY: 'key',
    CLIENT_SECRET: 'secret',
    PRIVATE_KEY: Buffer.from('-----BEGIN').toString('base64'),
    PARTNER_ID: 'gerbang',
    CHANNEL_ID: '95221',
    ...over,
  };
  const environment = Object.fromEntries(Object.entries(set).map(([name, value]) => [`RAIL_BANK_TRANSFER_${name}`, value]));
  return railFromConfig(loadConfig(shape, environment), 'BANK_TRANSFER');
}

test('a rail is ASPI’s standard over TLS 1.3 where nothing else is said', () => {
  const { provider, ...rest } = read();
  expect(provider?.name).toBe('aspi');
  expect(rest).toEqual({
    url: 'https://bank.example/snap',
    clientKey: 'key',
    clientSecret: 'secret',
    privateKey: '-----BEGIN',
    partnerId: 'gerbang',
    channelId: '95221',
    tlsMin: '1.3',
  });
});

test('a provider and a version of TLS are named', () => {
  const { provider, tlsMin } = read({ PROVIDER: 'bca', TLS_MIN: '1.2' });
  expect([provider?.name, tlsMin]).toEqual(['bca', '1.2']);
});

test.each<[Record<string, string | undefined>, string]>([
  [{ URL: undefined }, 'RAIL_BANK_TRANSFER_URL is not set; it is required'],
  [{ PROVIDER: 'swift' }, 'RAIL_BANK_TRANSFER_PROVIDER is not valid: expected one of aspi, dana, bca'],
  [{ TLS_MIN: '1.1' }, 'RAIL_BANK_TRANSFER_TLS_MIN is not valid'],
  [{ PRIVATE_KEY: '-----BEGIN' }, 'RAIL_BANK_TRANSFER_PRIVATE_KEY is not valid'],
  [{ CLIENT_KEY: undefined }, 'RAIL_BANK_TRANSFER_CLIENT_KEY is not set; the provider aspi needs it'],
  [{ CLIENT_SECRET: undefined }, 'RAIL_BANK_TRANSFER_CLIENT_SECRET is not set; the provider aspi needs it'],
  [{ CHANNEL_ID: undefined }, 'RAIL_BANK_TRANSFER_CHANNEL_ID is not set; the provider aspi needs it'],
])('%j is refused', (over, message) => {
  expect(() => read(over)).toThrow(ConfigError);
  expect(() => read(over)).toThrow(message);
});

test('what a provider prescribes, or does not use, need not be set', () => {
  expect(read({ PROVIDER: 'bca', CHANNEL_ID: undefined }).channelId).toBe('');
  expect(read({ PROVIDER: 'dana', CHANNEL_ID: undefined, CLIENT_KEY: undefined, CLIENT_SECRET: undefined }).clientSecret).toBe(
    '',
  );
});
