import { isRefusal } from '@gerbang/core';
import { expect, test } from 'vitest';
import { changed, isTrusted, type Operator, ROLES } from './operator.ts';

const sari: Operator = {
  id: 'sari',
  name: 'Sari',
  role: 'admin',
  active: true,
  identity: { by: 'key', publicKey: 'x' },
  enrolledBy: '',
  enrolledAtMs: 0,
};

test('two admins stay: neither can be disabled or get another role, a third can', () => {
  for (const change of [{ active: false }, { role: 'viewer' }] as const) {
    expect(isRefusal(changed(sari, change, 2))).toBe(true);
    expect(changed(sari, change, 3)).toEqual({ ...sari, ...change });
  }
  expect(changed(sari, { role: 'admin' }, 2)).toEqual(sari);
  expect(changed({ ...sari, role: 'support' }, { active: false }, 2)).toMatchObject({ active: false });
});

test('who is disabled stays so', () => {
  expect(isRefusal(changed({ ...sari, active: false, role: 'viewer' }, { role: 'admin' }, 2))).toBe(true);
});

test('roles that can approve payments are given by two', () => {
  expect(ROLES.filter(isTrusted)).toEqual(['finance', 'admin']);
});
