import { expect, test } from 'vitest';
import { startComparing } from './self-check/operations.ts';
import { seeded } from './self-check/random.ts';

const operations = Number(process.env.EMBEDDED_MONGO_TEST_OPERATIONS ?? 50_000);
const seed = Number(process.env.EMBEDDED_MONGO_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const perRound = 250;

test(`${operations} random operations answer the same with indexes and without`, { timeout: 600_000 }, () => {
  let done = 0;
  for (let round = 0; done < operations; round++) {
    const random = seeded(seed + round);
    const compared = startComparing(random, 4 + random.below(36));
    try {
      for (let at = 0; at < perRound; at++, done++) compared.operation();
      compared.compareAll();
    } catch (error) {
      throw new Error(`EMBEDDED_MONGO_TEST_SEED=${seed + round}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    } finally {
      compared.close();
    }
  }
  expect(done).toBeGreaterThanOrEqual(operations);
});
