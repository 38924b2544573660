import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { afterPowerLoss, allLost, byChance, type Fate } from './power-loss/replay.ts';
import { type Acknowledged, faultsOf, nothingYet, startProcess, writeUntilKilled } from './writers.ts';

/** How often the power fails. */
const cuts = Number(process.env.EMBEDDED_MONGO_TEST_POWER_CUTS ?? 3);
/** A preloaded library sees what a process does to files on Linux, if there is a compiler to make it. */
const able = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
const server = join(import.meta.dirname, 'power-loss/server.ts');

describe.skipIf(!able)('power loss (skipped where there is no Linux or no C compiler)', () => {
  let work: string;
  let library: string;
  beforeAll(() => {
    work = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-mongo-power-')));
    library = join(work, 'recorder.so');
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, join(import.meta.dirname, 'power-loss/recorder.c'), '-ldl']);
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  type Cut = { test: TestContext; before: string; acknowledged: Acknowledged; synchronous: string; name: string; round: number };

  /** Runs writers on a copy of `before` until the power fails; `disk` writes what the disk then holds into a new folder. */
  async function untilPowerFails({ test: own, before, acknowledged, synchronous, name, round }: Cut) {
    const dir = join(work, `${name}-live`);
    const record = join(work, `${name}-record`);
    cpSync(before, dir, { recursive: true });
    const env = { LD_PRELOAD: library, RECORD_DIR: dir, RECORD_TO: record };
    const { child, uri, exited } = await startProcess(own, [server, dir, synchronous], env);
    const acknowledgedMin = 1500 + Math.floor(Math.random() * 2000);
    const isReady = afterReturnOfLog(join(dir, 'embedded-mongo.db'));
    const kill = () => child.kill('SIGKILL');
    await writeUntilKilled(uri, acknowledged, { firstId: round * 1_000_000, acknowledgedMin, isReady, kill });
    await exited;
    const disk = (fate: Fate, to: string) => {
      const path = join(work, `${name}-${to}`);
      return { path, syncs: afterPowerLoss({ dir, before, record, to: path, fate }) };
    };
    const forget = () => {
      rmSync(dir, { recursive: true });
      rmSync(record);
    };
    return { disk, forget };
  }

  const emptyDisk = () => {
    const path = join(work, 'empty');
    mkdirSync(path, { recursive: true });
    return path;
  };

  test(
    `what was acknowledged is on the disk whenever the power fails (${cuts} times)`,
    async (own) => {
      const acknowledged = nothingYet();
      let before = emptyDisk();
      let checkpoints = 0;
      for (let round = 0; round < cuts; round++) {
        const power = await untilPowerFails({
          test: own,
          before,
          acknowledged,
          synchronous: 'full',
          name: `full-${round}`,
          round,
        });
        const { path, syncs } = power.disk(allLost, 'all-lost');
        checkpoints += syncs.get('embedded-mongo.db') ?? 0;
        expect((await faultsOf(path, acknowledged)).slice(0, 5)).toEqual([]);
        const torn = power.disk(byChance, 'by-chance');
        expect((await faultsOf(torn.path, acknowledged)).slice(0, 5)).toEqual([]);
        rmSync(torn.path, { recursive: true });
        power.forget();
        before = path;
      }
      expect(checkpoints).toBeGreaterThanOrEqual(cuts);
      expect(acknowledged.ids.size).toBeGreaterThan(cuts * 1000);
    },
    Math.max(60_000, cuts * 20_000),
  );

  test('what a killed process has left in the log is on the disk before anybody can read it', async (own) => {
    const acknowledged = nothingYet();
    await untilPowerFails({ test: own, before: emptyDisk(), acknowledged, synchronous: 'full', name: 'left', round: 0 });
    const dir = join(work, 'left-live');
    const [before, record] = [join(work, 'left-before'), join(work, 'left-again')];
    cpSync(dir, before, { recursive: true });
    expect(statSync(join(before, 'embedded-mongo.db-wal')).size).toBeGreaterThan(0);
    const { child, exited } = await startProcess(own, [server, dir, 'full'], {
      LD_PRELOAD: library,
      RECORD_DIR: dir,
      RECORD_TO: record,
    });
    child.kill('SIGKILL');
    await exited;
    const syncs = afterPowerLoss({ dir, before, record, to: join(work, 'left-disk'), fate: allLost });
    expect(syncs.get('embedded-mongo.db-wal')).toBe(1);
  }, 40_000);

  test.for(['off', 'normal'])(
    'acknowledged writes are lost with synchronous mode %s, so the test above would tell',
    { timeout: 40_000 },
    async (mode, own) => {
      const acknowledged = nothingYet();
      const cut = { before: emptyDisk(), acknowledged, synchronous: mode, name: mode, round: 0 };
      const { disk } = await untilPowerFails({ test: own, ...cut });
      const { path } = disk(allLost, 'all-lost');
      const faults = await faultsOf(path, acknowledged).catch((error: Error) => [`the file does not open: ${error.message}`]);
      expect(faults).not.toEqual([]);
    },
  );
});

/**
 * Answers that come between the return of the log into the file, by which all before it is synced, and the cut: far fewer than
 * the next one takes.
 */
const answersAfterReturn = 200;

/** Whether the log has returned into the file and some more has been acknowledged since; it is asked after every answer. */
function afterReturnOfLog(file: string): () => boolean {
  const { mtimeMs } = statSync(file);
  let since = 0;
  return () => {
    if (since > 0 || statSync(file).mtimeMs !== mtimeMs) since++;
    return since > answersAfterReturn;
  };
}
