import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePorts } from '../../launcher/ports.ts';
import { openSystem } from '../../launcher/system.ts';
import { live } from './life.ts';

/**
 * Writes the data folder of this version to `data.tar.gz` beside this file, for the test that the next version opens it: run it
 * at a release, in place of the archive of the release before. Everything is killed in the middle of its work. Run it with `node
 * test/previous-data/write.ts`. The secrets in the archive are those of a sandbox that is gone.
 */
const archive = path.join(import.meta.dirname, 'data.tar.gz');
const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-previous-'));
const system = await openSystem({
  dataFolder: folder,
  ports: await findFreePorts(),
  fresh: false,
  mongodbUri: undefined,
  natsUrl: undefined,
  env: { LOG_LEVEL: 'info' },
  say: () => {},
});
const left = await live(system);
for (const pid of system.pids()) process.kill(pid, 'SIGKILL');
await system.stop();
writeFileSync(path.join(folder, 'left.json'), `${JSON.stringify(left, undefined, 2)}\n`);
const kept = ['demo.json', 'format', 'left.json', 'secrets.json', 'mongodb'];
const packed = spawnSync('tar', ['-czf', archive, '-C', folder, ...kept], { stdio: 'inherit' });
rmSync(folder, { recursive: true, force: true });
process.exit(packed.status ?? 1);
