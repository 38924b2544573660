import { defineConfig } from 'vitest/config';

/** `npm run check:clients`: apart from `npm test`, because it needs Python, Go and, the first time, the network. */
export default defineConfig({
  test: {
    name: 'clients',
    dir: import.meta.dirname,
    pool: 'forks',
    fileParallelism: false,
    reporters: 'verbose',
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
