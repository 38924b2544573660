import { type Clock, newUlid } from '@gerbang/core';
import { startRpcServer } from '@gerbang/rpc';
import {
  type Closeable,
  ClosingStack,
  createLogger,
  createMetrics,
  startAdmin,
  startBusinessClock,
  startTelemetry,
} from '@gerbang/runtime';
import { connectStore } from '@gerbang/store';
import type { Config } from './config.ts';
import { openJournal } from './journal/journal.ts';
import { type Lease, startLease } from './lease/lease.ts';
import { openLeaseStore } from './lease/store.ts';
import { createLedgerMetrics } from './metrics.ts';
import { createPartitions } from './partition/partitions.ts';
import { startSpreading } from './partition/spreading.ts';
import { createSampler } from './posting/sampler.ts';
import { openProjectionStore } from './projector/store.ts';
import { implementations } from './rpc.ts';
import { openStatementStore } from './statement/store.ts';
import { createVerifications } from './verify/verifications.ts';

const NAME = 'ledger';
const POSTINGS_LOGGED_PER_SECOND = 200;

export type Service = Closeable & { port: number; adminPort: number };

/** Starts the service. `clock` replaces business time in tests. */
export async function startService(config: Config, options: { clock?: Clock } = {}): Promise<Service> {
  const log = createLogger({ service: NAME, level: config.LOG_LEVEL });
  const closing = new ClosingStack(log, 15_000);
  try {
    closing.push('telemetry', await startTelemetry({ service: NAME, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }));
    const businessClock = await startBusinessClock(options.clock === undefined ? config.SANDBOX_CLOCK_URL : undefined, log);
    closing.push('clock', () => businessClock.close());
    const store = await connectStore({ uri: config.MONGODB_URI, database: `${config.MONGODB_DB_PREFIX}ledger`, appName: NAME });
    closing.push('store', () => store.close());

    const registry = createMetrics(NAME);
    const journal = openJournal(store);
    const projections = await openProjectionStore(store);
    const statements = await openStatementStore(store);
    const leases = openLeaseStore(store);
    let lease: Lease | undefined;
    const partitions = createPartitions(
      {
        journal,
        projections,
        clock: options.clock ?? businessClock,
        newId: newUlid,
        metrics: createLedgerMetrics(registry),
        log,
        recentKeysMax: config.LEDGER_RECENT_KEYS,
        projectorLagMax: config.LEDGER_PROJECTOR_LAG,
      },
      leases,
      () => lease,
    );
    const verifications = createVerifications(newUlid);
    closing.push('verifications', () => verifications.close());
    const samplePosting = createSampler(POSTINGS_LOGGED_PER_SECOND, () => performance.now());
    const isReady = () => lease?.isValid() ?? false;
    // The port comes before the lease: a second process with the same host and port ends here and takes nothing from the first.
    const rpc = await startRpcServer({
      host: config.RPC_HOST,
      port: config.RPC_PORT,
      tls: config.tls,
      log,
      implementations: implementations({
        partitions,
        journal,
        projections,
        statements,
        verifications,
        lease: () => lease,
        log,
        samplePosting,
      }),
      metrics: registry,
      ready: isReady,
    });
    const address = config.LEDGER_ADDRESS ?? `${isWildcard(config.RPC_HOST) ? config.host : config.RPC_HOST}:${rpc.port}`;
    lease = await startLease({
      store: leases,
      instance: config.LEDGER_INSTANCE ?? `${config.host}:${rpc.port}`,
      address,
      lifeMs: config.LEDGER_LEASE_MS,
      newToken: () => newUlid(Date.now()),
      onLost: partitions.stepDown,
      log,
    });
    // In the order of closing: others get the partitions, calls in flight are finished, then what is left, and the lease only then.
    const held = lease;
    closing.push('lease', () => held.release());
    closing.push('partitions', () => partitions.close());
    closing.push('rpc', () => rpc.close());
    closing.push('hand-over', () => partitions.leave());
    const admin = await startAdmin({
      host: config.ADMIN_HOST,
      port: config.ADMIN_PORT,
      metrics: registry,
      ready: async () => {
        await store.ping();
        return isReady() ? undefined : 'the lease is not held';
      },
    });
    closing.push('admin', () => admin.close());
    await partitions.spread();
    const spreading = startSpreading(partitions, { everyMs: config.LEDGER_LEASE_MS / 3, log });
    closing.push('spreading', () => spreading.close());
    log.info({ port: rpc.port }, 'ready');
    return { port: rpc.port, adminPort: admin.port, close: () => closing.close() };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** Whether a host means every address of the machine, which nobody can call. */
function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
