import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort } from '@gerbang/testkit';

const run = promisify(execFile);
const INSTALLATIONS = '/usr/lib/postgresql';
const CLIENTS = [1, 8, 32, 64];
/** At least as many branches as clients, so that none waits for another's. */
const SPREAD_SCALE = 64;

type Best = { perSecond: number; clients: number };

/**
 * The classic debit-credit peer: transactions a second of `pgbench` TPC-B-like on the distribution's PostgreSQL with its default
 * durability, prepared, the best number of clients; over many branches and over one hot one. A notice instead where there is no
 * PostgreSQL.
 */
export async function measurePgbench(seconds: number): Promise<{ skipped: string } | { spread: Best; hot: Best }> {
  const binaries = findBinaries();
  if (binaries === undefined) return { skipped: 'PostgreSQL is not installed; on Debian and Ubuntu: apt-get install postgresql' };
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-pgbench-'));
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? await idsOf('postgres') : {};
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const port = String(await freePort());
  const at = ['-h', folder, '-p', port, '-U', 'postgres'];
  const call = async (name: string, args: readonly string[]) =>
    (await run(path.join(binaries, name), args, { ...user, cwd: folder, maxBuffer: 2 ** 24 })).stdout;
  try {
    await call('initdb', ['-D', path.join(folder, 'data'), '-U', 'postgres', '-A', 'trust']);
    const args = ['-D', path.join(folder, 'data'), '-p', port, '-k', folder, '-c', 'listen_addresses='];
    const server = spawn(path.join(binaries, 'postgres'), args, { ...user, cwd: folder, stdio: 'ignore' });
    try {
      await eventually('PostgreSQL accepts connections', async () => (await call('pg_isready', at)) !== '', 30_000);
      const best = async (database: string, scale: number) => {
        await call('createdb', [...at, database]);
        await call('pgbench', [...at, '-q', '-i', '-s', String(scale), database]);
        let [perSecond, clients] = [0, 0];
        for (const count of CLIENTS) {
          const load = ['-n', '-M', 'prepared', '-c', String(count), '-j', String(Math.min(count, 2)), '-T', String(seconds)];
          const tps = tpsOf(await call('pgbench', [...at, ...load, database]));
          if (tps > perSecond) [perSecond, clients] = [tps, count];
        }
        return { perSecond, clients };
      };
      return { spread: await best('spread', SPREAD_SCALE), hot: await best('hot', 1) };
    } finally {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function findBinaries(): string | undefined {
  if (!existsSync(INSTALLATIONS)) return undefined;
  const versions = readdirSync(INSTALLATIONS).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => path.join(INSTALLATIONS, version, 'bin')).find((bin) => existsSync(path.join(bin, 'pgbench')));
}

async function idsOf(user: string): Promise<{ uid?: number; gid?: number }> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, user])).stdout)));
  return uid === undefined || gid === undefined ? {} : { uid, gid };
}

function tpsOf(report: string): number {
  // Without a single transaction there is no line of tps.
  if (/^number of transactions actually processed: 0$/m.test(report)) return 0;
  const found = /^tps = ([\d.]+) \(without initial connection time\)/m.exec(report);
  if (found === null) throw new Error(`pgbench printed no tps:\n${report}`);
  return Math.round(Number(found[1]));
}
