import { ConfigError } from '@gerbang/runtime';
import { describe, expect, test } from 'vitest';
import { readPorts } from '../ports.ts';
import { peersOf } from '../services.ts';
import { readConfig } from './config.ts';

const standard = peersOf(readPorts({}));

/** Where the commands look for a service, as the environment says. */
function addressesOf(service: (typeof standard)[number]['service'], env: NodeJS.ProcessEnv): string[] {
  return readConfig(env).services.get(service)?.addresses ?? [];
}

test('there are services to call, the notifier among them', () => {
  expect(standard.map(({ service }) => service)).toContain('notifier');
  expect(addressesOf('notifier', {})).toEqual(['127.0.0.1:9104']);
});

describe.each(standard)('the commands look for $service', ({ service, variable, address }) => {
  const port = Number(address.split(':')[1]);

  test('where a start without any variable puts it', () => {
    expect(addressesOf(service, {})).toEqual([`127.0.0.1:${port}`]);
  });

  test('where a second system has it, by the offset', () => {
    expect(addressesOf(service, { GERBANG_PORT_OFFSET: '20000' })).toEqual([`127.0.0.1:${port + 20_000}`]);
  });

  test('at the port that was given for it, offset or not', () => {
    const env = { GERBANG_PORT_OFFSET: '20000', [`${variable}_PORT`]: '7777' };
    expect(addressesOf(service, env)).toEqual(['127.0.0.1:7777']);
  });

  test('at the address that was given for it, with any ports', () => {
    const env = { GERBANG_PORT_OFFSET: '20000', [`${variable}_PORT`]: '7777', [variable]: 'there:1234' };
    expect(addressesOf(service, env)).toEqual(['there:1234']);
  });

  test('and refuse an address that is none', () => {
    expect(() => readConfig({ [variable]: 'there' })).toThrow(`${variable} is not valid: expected host:port`);
  });
});

test('only the ledger has several instances', () => {
  expect(addressesOf('ledger', { LEDGER_RPC: 'a:1,b:2' })).toEqual(['a:1', 'b:2']);
  expect(() => readConfig({ MERCHANT_RPC: 'a:1,b:2' })).toThrow(ConfigError);
});

test('a port that is none is told with its variable', () => {
  expect(() => readConfig({ GERBANG_PORT_OFFSET: 'much' })).toThrow(
    new ConfigError(['GERBANG_PORT_OFFSET is not valid: expected a number']),
  );
});
