import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually, freePort } from '@gerbang/testkit';

const MAIN = fileURLToPath(new URL('../../services/ledger/src/main.ts', import.meta.url));

/** One instance of the ledger as a process of its own. */
export type LedgerProcess = {
  instance: string;
  address: string;
  port: number;
  pid: number;
  /** Sends a signal; SIGSTOP and SIGCONT are not waited for. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it for good and waits for that. */
  end(signal?: NodeJS.Signals): Promise<void>;
};

/** Starts an instance and waits until it is ready. */
export async function startLedgerProcess(options: {
  instance: string;
  mongoUri: string;
  databasePrefix: string;
  leaseMs: number;
  merchantRpc: string;
  /** Where one that comes back listens again, as behind a name that stays; a free one otherwise. */
  port?: number;
}): Promise<LedgerProcess> {
  const [port, adminPort] = [options.port ?? (await freePort()), await freePort()];
  const child: ChildProcess = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      GERBANG_ENV: 'sandbox',
      LOG_LEVEL: 'error',
      MONGODB_URI: options.mongoUri,
      MONGODB_DB_PREFIX: options.databasePrefix,
      CHAIN_KEYS: `k1:${Buffer.alloc(32, 'c').toString('base64')}`,
      MERCHANT_RPC: options.merchantRpc,
      LEDGER_INSTANCE: options.instance,
      LEDGER_LEASE_MS: String(options.leaseMs),
      RPC_PORT: String(port),
      ADMIN_PORT: String(adminPort),
    },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the ledger could not be started');
  const ready = async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok;
  await eventually(`ledger ${options.instance} is ready`, ready, 30_000);
  return {
    instance: options.instance,
    address: `127.0.0.1:${port}`,
    port,
    pid,
    signal: (signal) => void child.kill(signal),
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      // One that is stopped does not hear it before it goes on.
      child.kill('SIGCONT');
      await ended;
    },
  };
}
