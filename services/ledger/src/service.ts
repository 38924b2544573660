import { type Clock, newUlid } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';
import { assembleService, openClock, startProbes } from '@gerbang/service';
import { openOperatorGate } from '@gerbang/service/operators';
import { type Served, startRpc } from '@gerbang/service/rpc';
import { openStore } from '@gerbang/service/store';
import { addressOf, type Config, instanceOf } from './config.ts';
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

const POSTINGS_LOGGED_PER_SECOND = 200;
const CLOSE_STEP_MS = 15_000;

export type Service = Served & Closeable;

/** Starts the service. `clock` and `log` replace business time and the logger in tests. */
export function startService(config: Config, options: { clock?: Clock; log?: Logger } = {}): Promise<Service> {
  return assembleService({ name: 'ledger', config, log: options.log, closeStepMs: CLOSE_STEP_MS }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clock = await openClock(foundation, options.clock);
    const store = await openStore(foundation);
    const journal = openJournal(store);
    const projections = await openProjectionStore(store);
    const leases = openLeaseStore(store);
    let lease: Lease | undefined;
    const limits = { recentKeysMax: config.LEDGER_RECENT_KEYS, projectorLagMax: config.LEDGER_PROJECTOR_LAG };
    const chaining = {
      chainKeys: config.CHAIN_KEYS,
      checkpointEveryMs: config.LEDGER_CHECKPOINT_MS,
      acceptedBatches: config.LEDGER_ACCEPT_BATCHES,
    };
    const metrics = createLedgerMetrics(registry);
    const partitions = createPartitions(
      { journal, projections, clock, newId: newUlid, metrics, log, ...limits, ...chaining },
      leases,
      () => lease,
    );
    const verifications = createVerifications(newUlid);
    closing.push('verifications', () => verifications.close());
    const isReady = () => lease?.isValid() ?? false;
    const context = {
      partitions,
      journal,
      projections,
      statements: await openStatementStore(store),
      verifications,
      lease: () => lease,
      gate: openOperatorGate(foundation),
      log,
      samplePosting: createSampler(POSTINGS_LOGGED_PER_SECOND, () => performance.now()),
    };
    // It closes in this order: other instances get the partitions, calls in flight are finished, then what is left, and the lease
    // last.
    closing.push('lease', async () => lease?.release());
    closing.push('partitions', () => partitions.close());
    // The port comes before the lease: a second process with the same host and port ends here and takes nothing from the first.
    const rpc = await startRpc(foundation, { implementations: implementations(context), store, isReady });
    lease = await startLease({
      store: leases,
      instance: instanceOf(config, rpc.port),
      address: addressOf(config, rpc.port),
      lifeMs: config.LEDGER_LEASE_MS,
      newToken: () => newUlid(Date.now()),
      onLost: partitions.stepDown,
      log,
    });
    closing.push('hand-over', () => partitions.leave());
    const admin = await startProbes(foundation, async () => {
      await store.ping();
      return isReady() ? undefined : 'the lease is not held';
    });
    await partitions.spread();
    const spreading = startSpreading(partitions, { everyMs: config.LEDGER_LEASE_MS / 3, log });
    closing.push('spreading', () => spreading.close());
    log.info({ port: rpc.port }, 'ready');
    return { port: rpc.port, adminPort: admin.port };
  });
}
