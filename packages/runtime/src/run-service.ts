import type { Closeable } from './closing.ts';
import { ConfigError } from './config.ts';
import { memoryDumpFaults, processState } from './memory-dumps.ts';
import { tlsVerificationFaults } from './tls-verification.ts';
import { within } from './within.ts';

const DRAIN_MS = 25_000;

/**
 * The whole of a main.ts: starts the service, drains it on SIGTERM or SIGINT and exits 0. A configuration error prints its lines
 * and exits 1; so does a start that fails, and in production a process whose memory could be written to a file, or that checks no
 * certificate of the servers it connects to. A second signal exits at once.
 */
export async function runService(name: string, start: (env: NodeJS.ProcessEnv) => Promise<Closeable>): Promise<void> {
  let service: Closeable;
  try {
    refuseUnsafeProcess();
    service = await start(process.env);
  } catch (error) {
    const text =
      error instanceof ConfigError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const line of text.split('\n')) process.stderr.write(`${name}: ${line}\n`);
    process.exit(1);
  }
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    within(DRAIN_MS, service.close()).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${name}: did not drain: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function refuseUnsafeProcess(): void {
  if (process.env.GERBANG_ENV !== 'production') return;
  const faults = [...memoryDumpFaults(processState()), ...tlsVerificationFaults(process.env)];
  if (faults.length > 0) throw new ConfigError(faults);
}
