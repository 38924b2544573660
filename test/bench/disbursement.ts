import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { openChannel } from '@gerbang/rpc';
import { demoClient } from '../../launcher/operators.ts';
import { ensureSecrets } from '../../launcher/secrets.ts';
import { type System, startSystem } from '../../launcher/system.ts';
import { startWebhookSink } from '../support/webhook-sink.ts';
import { type Announcements, announcementsOf, signedTransfers } from './disbursement-load.ts';
import { peakOf, startBareFastify } from './floors/fastify.ts';
import { openBareRail } from './floors/rail.ts';
import type { Benchmark, Turn } from './harness/benchmark.ts';
import { closedLoop, mustNotFail, openLoop, type Target } from './harness/http-load.ts';
import { cpuMsByProcess } from './process-cpu.ts';

/**
 * More than the edge lets in at once, so that its own limit decides how many are under way. What concurs travels together at
 * every step: with fewer each step's batches are smaller, and dearer.
 */
const CONNECTIONS = 256;
/** Over so many bare fastify is fastest. */
const FLOOR_CONNECTIONS = 64;
const FLOOR_MS = 3_000;
const TRANSFERS_MS = 8_000;
/** Until the processes have compiled what they run often. */
const WARM_UP_MS = 12_000;
const FUNDS_SEN = 10n ** 13n;
const LONE_MS = 3_000;
const OVERLOAD = 2;
const OVERLOAD_MS = 8_000;
/** So many that the generator never holds back what the gateway should refuse. */
const OVERLOAD_CONNECTIONS = 1_024;
/** Everything must be captured and announced this soon after the end of the load. */
const ANNOUNCED_WITHIN_MS = 5_000;

/** Signed disbursements, captured and announced: as many as go, one at a time, and twice as many as go. */
export const disbursement: Benchmark = {
  name: 'disbursement',
  about:
    'signed disbursements captured and announced, beside bare fastify and the bank alone; one at a time; and at twice their peak',
  needs: 'nats-server; two and a half minutes',
  rounds: 3,
  compared: ['transfers.finishedPerSecond'],
  bars: [
    { name: 'captured and announced to bare fastify', figure: 'transfers.finishedPerSecond', over: 'floor.perSecond', min: 0.03 },
    { name: 'added p50 of a payment, ms', figure: 'lone payment.p50Ms', less: 'bank alone.p50Ms', max: 6 },
    {
      name: 'goodput at twice the peak, to the peak',
      figure: 'twice the peak.finishedPerSecond',
      over: 'transfers.finishedPerSecond',
      min: 0.8,
    },
    { name: 'refused with 503, p99 ms', figure: 'twice the peak.refusedP99Ms', max: 50 },
    { name: 'neither accepted nor refused with 503', figure: 'twice the peak.failed', max: 0 },
  ],
  async prepare(resources) {
    const sink = await startWebhookSink();
    resources.defer(() => sink.close());
    const system = await startSystem({
      name: 'bench-disbursement',
      env: { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' },
    });
    resources.defer(() => system.stop());
    const fastify = await startBareFastify(resources);
    const bank = openBareRail(resources, { url: system.demo.simulator_url, secrets: ensureSecrets(system.dataFolder) });
    await fund(system);
    const target = await signedTransfers(system, sink.url);
    const announcements = announcementsOf(sink);
    mustNotFail(await closedLoop(target, { connections: CONNECTIONS, durationMs: WARM_UP_MS }));
    await announcements.settle();
    return {
      floors: {
        floor: peakOf(fastify.target('POST'), { connections: FLOOR_CONNECTIONS, durationMs: FLOOR_MS }),
        'bank alone': bank({ callers: 1, durationMs: LONE_MS }),
      },
      subjects: {
        transfers: transfers(system, target, announcements),
        'lone payment': lone(target, announcements),
        'twice the peak': overload(target, announcements),
      },
    };
  },
};

/** Money for more transfers than a run can make. */
export async function fund({ demo, ports, dataFolder }: System): Promise<void> {
  const channel = openChannel({ address: `127.0.0.1:${ports.MERCHANT_RPC_PORT}`, tls: undefined });
  const credit = { merchantId: demo.merchant_id, accountId: demo.account_ids[0], amountSen: FUNDS_SEN };
  try {
    await demoClient(dataFolder, channel, OperatorService).fund({ ...credit, operationId: 'bench', rail: 'bank-transfer' });
  } finally {
    await channel.close();
  }
}

/**
 * As many as go. Counted is what is announced in time; the processor's time is that of each process, until everything is
 * announced.
 */
export function transfers(system: System, target: Target, announcements: Announcements): Turn {
  return {
    durationMs: TRANSFERS_MS,
    async measure(durationMs) {
      const before = announcements.count();
      const cpuBefore = cpuMsByProcess(system.pids());
      const load = mustNotFail(await closedLoop(target, { connections: CONNECTIONS, durationMs }));
      const endMs = Date.now();
      const { count } = load.accepted;
      await announcements.reach(before + count);
      const inTime = announcements.by(endMs + ANNOUNCED_WITHIN_MS) - before;
      const { perSecond, accepted, refused, generatorMicros } = load;
      const figures: Record<string, number> = {
        finishedPerSecond: inTime / (durationMs / 1_000),
        announcedMeanwhilePerSecond: (announcements.by(endMs) - before) / (durationMs / 1_000),
        acceptedPerSecond: perSecond,
        refusedPerSecond: refused.count / (durationMs / 1_000),
        // What could be kept up for longer: the time until the last announcement is part of the work.
        untilLastPerSecond: (count / (announcements.lastMs() - endMs + durationMs)) * 1_000,
        announcedInTimeShare: inTime / count,
        lastAnnouncedMs: announcements.lastMs() - endMs,
        acceptedP50Ms: accepted.p50Ms,
        acceptedP99Ms: accepted.p99Ms,
        'cpuMs.load generator and webhook sink': generatorMicros / 1_000,
      };
      for (const [name, ms] of cpuMsByProcess(system.pids()))
        figures[`cpuMs.${name}`] = (ms - (cpuBefore.get(name) ?? 0)) / count;
      return figures;
    },
  };
}

/** One connection, one payment at a time. */
function lone(target: Target, announcements: Announcements): Turn {
  return {
    durationMs: LONE_MS,
    async measure(durationMs) {
      const before = announcements.count();
      const load = mustNotFail(await closedLoop(target, { connections: 1, durationMs }));
      await announcements.reach(before + load.accepted.count);
      return { p50Ms: load.accepted.p50Ms, p99Ms: load.accepted.p99Ms };
    },
  };
}

/**
 * An open loop at twice the peak. Goodput is counted as the peak is, by what is announced in time; beside it is what was
 * announced while the load lasted.
 */
function overload(target: Target, announcements: Announcements): Turn {
  return {
    durationMs: OVERLOAD_MS,
    async measure(durationMs, figure) {
      const before = announcements.count();
      const endMs = Date.now() + durationMs;
      const perSecond = OVERLOAD * figure('transfers.finishedPerSecond');
      const load = await openLoop(target, { connections: OVERLOAD_CONNECTIONS, durationMs, perSecond });
      await announcements.settle();
      return {
        offeredPerSecond: perSecond,
        finishedPerSecond: (announcements.by(endMs + ANNOUNCED_WITHIN_MS) - before) / (durationMs / 1_000),
        announcedMeanwhilePerSecond: (announcements.by(endMs) - before) / (durationMs / 1_000),
        lastAnnouncedMs: announcements.lastMs() - endMs,
        acceptedPerSecond: load.accepted.count / (durationMs / 1_000),
        acceptedP50Ms: load.accepted.p50Ms,
        acceptedP99Ms: load.accepted.p99Ms,
        refusedPerSecond: load.refused.count / (durationMs / 1_000),
        refusedP99Ms: load.refused.p99Ms,
        refusedMaxMs: load.refused.maxMs,
        failed: load.failed,
        lateP99Ms: load.lateP99Ms,
      };
    },
  };
}
