import { expect, test } from 'vitest';
import { externalIdFor } from '../src/providers/external-id.ts';
import { findService, type Provider, serviceOf } from '../src/providers/provider.ts';
import { findProvider, PROVIDER_NAMES } from '../src/providers/providers.ts';
import { SNAP_SERVICES } from '../src/providers/services.ts';

const providers = PROVIDER_NAMES.map((name) => findProvider(name)).filter((provider) => provider !== undefined);
const rows = providers.map((provider): [string, Provider] => [provider.name, provider]);

test.each(rows)('%s has a file, and a token service where it signs by tokens', (_name, provider) => {
  expect(findService(provider, 'accessTokenB2b') !== undefined).toBe(provider.signature === 'token');
  for (const [name, service] of Object.entries(provider.services)) {
    expect(service.path, name).toMatch(/^(\/[\w.-]+)+$/);
    for (const code of Object.keys(service.treatments ?? {})) expect(code, name).toMatch(/^\d{5}$/);
  }
});

test('no two services have one code', () => {
  const codes = Object.values(SNAP_SERVICES).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});

test('a provider without a service says so', () => {
  const [dana] = providers.filter(({ name }) => name === 'dana');
  if (dana === undefined) throw new Error('no dana');
  expect(() => serviceOf(dana, 'transferInterbank')).toThrow('the provider dana has no service 18 (transferInterbank)');
});

test('an external id keeps its digits as far as they fit, and is always the same', () => {
  const service = { path: '/', code: '18' };
  const digits = '123456789012345678901234567890123456';
  expect(externalIdFor(service, digits)).toBe(digits);
  const short = { ...service, externalId: { digitsMax: 32 } };
  expect(externalIdFor(short, digits.slice(0, 32))).toBe(digits.slice(0, 32));
  expect(externalIdFor(short, digits)).toMatch(/^\d{32}$/);
  expect(externalIdFor(short, digits)).toBe(externalIdFor(short, digits));
  expect(externalIdFor(short, `${digits.slice(0, 35)}7`)).not.toBe(externalIdFor(short, digits));
});
