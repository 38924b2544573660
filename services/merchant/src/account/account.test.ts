import { describe, expect, test } from 'vitest';
import { type Account, type AccountCommand, decide, evolve, newAccount } from './account.ts';

const NOW = 2_000;
const opened = newAccount('Kas', false, 1_000, 'ref-1');
const frozen: Account = { ...opened, frozen: true };
const inactive: Account = { ...opened, active: false };

const update = (change: { name?: string; active?: boolean }): AccountCommand => ({
  type: 'update',
  name: change.name,
  active: change.active,
});

describe('an account', () => {
  test('is active when it is new', () => {
    expect(opened).toMatchObject({
      active: true,
      frozen: false,
      merchantReffNo: 'ref-1',
      createdAtMs: 1_000,
      updatedAtMs: 1_000,
    });
  });

  test.each<[string, Account, AccountCommand, Partial<Account>]>([
    ['its name', opened, update({ name: 'Laci' }), { name: 'Laci', active: true }],
    ['off', opened, update({ active: false }), { name: 'Kas', active: false }],
    ['on again', inactive, update({ active: true }), { active: true }],
    ['both', opened, update({ name: 'Laci', active: false }), { name: 'Laci', active: false }],
    ['frozen', inactive, { type: 'set-frozen', frozen: true }, { frozen: true, active: false }],
    ['unfrozen, as its merchant had it', { ...inactive, frozen: true }, { type: 'set-frozen', frozen: false }, { active: false }],
  ])('changes: %s', (_what, account, command, after) => {
    const events = decide(account, command, NOW);
    if (!Array.isArray(events)) return expect.fail('it was refused');
    expect(events).toHaveLength(1);
    expect(events.reduce(evolve, account)).toMatchObject({ ...after, updatedAtMs: NOW, createdAtMs: 1_000 });
  });

  test.each<[string, Account, AccountCommand]>([
    ['the same name', opened, update({ name: 'Kas' })],
    ['nothing', opened, update({})],
    ['frozen already', frozen, { type: 'set-frozen', frozen: true }],
  ])('does nothing twice: %s', (_what, account, command) => expect(decide(account, command, NOW)).toEqual([]));

  test('is not its merchant’s to change while it is frozen', () => {
    expect(decide(frozen, update({ name: 'Laci' }), NOW)).toMatchObject({ refused: 'frozen' });
    expect(decide(frozen, update({}), NOW)).toMatchObject({ refused: 'frozen' });
  });
});
