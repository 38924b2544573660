import { defineConfig } from 'vitest/config';

/**
 * Two groups, one after the other: what tests a part (two files at a time, each with servers of its own), then what starts the
 * whole system or kills parts of it, which must have the machine to itself.
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
          exclude: ['**/node_modules/**'],
          pool: 'forks',
          maxWorkers: 2,
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
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
