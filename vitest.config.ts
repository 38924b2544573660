import { defineConfig } from 'vitest/config';

/** Tests of a part that measure their process, or trace what it does: they need a process of their own. */
const ALONE = [
  'packages/embedded-mongo/test/protocol.test.ts',
  'packages/rpc/test/{telemetry,rpc,unary}.test.ts',
  'packages/runtime/test/{telemetry,logger,linked-trace,masking-spans}.test.ts',
];

/**
 * Two groups, one after the other: what tests a part, then what starts the whole system or kills parts of it. For two processors
 * three files of parts run at a time, because many of them wait; and two of the system. The tests of parts share processes: one
 * of its own for each file would cost a quarter of the whole run. A test that needs one is listed in ALONE.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'parts',
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'services/*/{src,test}/**/*.test.ts',
            'launcher/**/*.test.ts',
            'test/{api,bench}/**/*.test.ts',
            'tools/*/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...ALONE],
          pool: 'forks',
          isolate: false,
          maxWorkers: 3,
          testTimeout: 20_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'alone',
          include: ALONE,
          pool: 'forks',
          maxWorkers: 3,
          testTimeout: 20_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/{api,bench,clients}/**'],
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
