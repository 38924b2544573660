import { expect, test } from 'vitest';
import { externalIdOf, partnerReferenceOf } from './rail-reference.ts';

const ACCOUNT = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

test('an order has the same rail reference and external id for ever: a rail knows them by these values', () => {
  const reference = partnerReferenceOf(ACCOUNT, 'PAYOUT-1');
  expect(reference).toBe('ECDCSUKIPSTSY35ED8KQMOFXR');
  expect(externalIdOf(reference)).toBe('88496728198028978592500865064617');
});

test('every order has its own, within SNAP’s lengths', () => {
  const references = Array.from({ length: 1_000 }, (_, i) => partnerReferenceOf(ACCOUNT, `ref-${i}`));
  for (const one of references) expect([one, externalIdOf(one)].join()).toMatch(/^[0-9A-Z]{25},[0-9]{32}$/);
  expect(new Set(references).size).toBe(1_000);
  expect(new Set(references.map(externalIdOf)).size).toBe(1_000);
  expect(partnerReferenceOf('01ARZ3NDEKTSV4RRFFQ69G5FAW', 'ref-0')).not.toBe(references[0]);
});
