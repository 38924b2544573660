import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultsOf, nothingYet, startProcess, writeUntilKilled } from './writers.ts';

/** How often the server is killed; a hundred times in the long form. */
const kills = Number(process.env.EMBEDDED_MONGO_TEST_KILLS ?? 5);
const main = join(import.meta.dirname, '../src/main.ts');

test(
  `killed with -9 ${kills} times under 64 writers, it has every acknowledged write, none is half there, and the file opens`,
  async (own) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'embedded-mongo-kill-'));
    const acknowledged = nothingYet();
    for (let round = 0; round < kills; round++) {
      const { child, uri, exited } = await startProcess(own, [main, '--data', dataDir, '--port', '0']);
      const acknowledgedMin = 500 + Math.floor(Math.random() * 1500);
      await writeUntilKilled(uri, acknowledged, {
        firstId: round * 1_000_000,
        acknowledgedMin,
        kill: () => child.kill('SIGKILL'),
      });
      await exited;
      expect((await faultsOf(dataDir, acknowledged)).slice(0, 5)).toEqual([]);
    }
    expect(acknowledged.ids.size + acknowledged.counters.size).toBeGreaterThan(kills * 300);
    rmSync(dataDir, { recursive: true });
  },
  Math.max(30_000, kills * 4_000),
);
