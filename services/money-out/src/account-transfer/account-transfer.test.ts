import { expect, test } from 'vitest';
import { type AccountTransferState, decide, evolve } from './account-transfer.ts';

const created: AccountTransferState = { status: 'created' };

test('an account transfer succeeds once, with the balance after its posting', () => {
  const events = decide(created, { type: 'succeed', balanceAfterSen: 5n, possibleDuplicateOf: undefined }, 1_000);
  const succeeded = events.reduce(evolve, created);
  expect(succeeded).toEqual({ status: 'succeeded', balanceAfterSen: 5n, processedAtMs: 1_000 });
  expect(decide(succeeded, { type: 'succeed', balanceAfterSen: 7n, possibleDuplicateOf: undefined }, 2_000)).toEqual([]);
});
