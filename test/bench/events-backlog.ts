import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  DisbursementAcceptedSchema,
  DisbursementFinishedSchema,
  TransferStatus,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { Binary, type Collection, MongoClient } from 'mongodb';
import { type System, startSystem } from '../../launcher/system.ts';
import { newOrder, notifyAt, transfer } from '../support/disbursement.ts';
import { call, idr, signIn } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';
import type { Benchmark, Figures } from './harness/benchmark.ts';
import { latenciesOf } from './harness/statistics.ts';
import { cpuMsByProcess } from './process-cpu.ts';
import { pssMiB } from './process-memory.ts';

/** Each transfer has two events that are not confirmed. */
const TRANSFERS = 50_000;
const EVENTS = TRANSFERS * 2;
const CHUNK = 1_000;
const LOOK_EVERY_MS = 100;
/** A payment every now and then, while the backlog drains. */
const FRESH_EVERY_MS = 100;
const FRESH_BEFORE = 30;
const ADVANCE_MS = 3_600_000;

type Transfer = { _id: string } & Record<string, unknown>;

/**
 * What an outage leaves: tails that are not confirmed. Until all are stored by the notifier and confirmed, with new payments
 * meanwhile, whose webhooks must not wait behind them. The backlog's merchant wants no webhooks, so that delivering them is not
 * measured.
 */
export const eventsBacklog: Benchmark = {
  name: 'events-backlog',
  about: '100,000 unconfirmed events after an outage: until all are stored and confirmed, with fresh payments meanwhile',
  needs: 'nats-server; two minutes',
  rounds: 0,
  bars: [
    { name: 'events stored and confirmed a second', figure: 'backlog.eventsPerSecond', min: 5_000 },
    { name: 'webhook of a fresh payment meanwhile, p50 ms', figure: 'backlog.freshP50Ms', max: 200 },
    { name: 'memory that the notifier takes for it, MiB', figure: 'backlog.notifierGrowsMiB', max: 150 },
  ],
  async prepare(resources) {
    const sink = await startWebhookSink();
    resources.defer(() => sink.close());
    const system = await startSystem({
      name: 'bench-events-backlog',
      env: { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' },
    });
    resources.defer(() => system.stop());
    const client = new MongoClient(system.mongodb.uri, { useBigInt64: true });
    resources.defer(() => client.close());
    const transfers = client.db(`${system.mongodb.prefix}money_out`).collection<Transfer>('transfers');
    return { floors: {}, subjects: {}, once: { backlog: () => drain(system, transfers, sink) } };
  },
};

async function drain(system: System, transfers: Collection<Transfer>, sink: WebhookSink): Promise<Figures> {
  const fresh = await freshPayments(system, sink);
  for (let i = 0; i < FRESH_BEFORE; i++) await fresh.pay();
  const calm = await fresh.finish();
  const idleMiB = memoryOf(system);

  const merchantId = await merchantIdOf(system);
  // Dated so that they count as overdue after the clock was advanced, all in one moment.
  const atMs = Date.now() + ADVANCE_MS / 2;
  for (let i = 0; i < TRANSFERS; i += CHUNK)
    await transfers.insertMany(Array.from({ length: CHUNK }, (_, j) => leftover(`backlog:${i + j}`, merchantId, atMs)));
  await call('POST', `${system.demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms: ADVANCE_MS }));

  const cpuBefore = cpuMsByProcess(system.pids());
  const startedMs = performance.now();
  let peak = memoryOf(system);
  let left = true;
  const paying = (async () => {
    for (; left; await sleep(FRESH_EVERY_MS)) await fresh.pay();
  })();
  for (; left; await sleep(LOOK_EVERY_MS)) {
    const now = memoryOf(system);
    peak = { notifier: Math.max(peak.notifier, now.notifier), moneyOut: Math.max(peak.moneyOut, now.moneyOut) };
    const found = await transfers.findOne({ 'tail.at': new Date(atMs), 'tail.0': { $exists: true } }, { projection: { _id: 1 } });
    left = found !== null;
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpu = [...cpuMsByProcess(system.pids())].map(([name, ms]) => [
    `cpuMs.${name}`,
    (ms - (cpuBefore.get(name) ?? 0)) / EVENTS,
  ]);
  await paying;
  const meanwhile = await fresh.finish();
  return {
    eventsPerSecond: EVENTS / seconds,
    lastAfterMs: seconds * 1_000,
    freshP50Ms: meanwhile.p50Ms,
    freshP99Ms: meanwhile.p99Ms,
    freshCount: meanwhile.count,
    calmP50Ms: calm.p50Ms,
    calmP99Ms: calm.p99Ms,
    notifierGrowsMiB: peak.notifier - idleMiB.notifier,
    moneyOutGrowsMiB: peak.moneyOut - idleMiB.moneyOut,
    ...Object.fromEntries(cpu),
  };
}

/** Payments of the demo merchant, one at a time; how long each webhook came after the answer. */
async function freshPayments({ demo }: System, sink: WebhookSink) {
  const merchant = await signIn(demo.base_url, demo);
  await notifyAt(merchant, sink.url);
  const answered = new Map<string, number>();
  return {
    async pay(): Promise<void> {
      const { reference_number: reference } = await transfer(merchant, newOrder(demo.account_ids[0], { amount: idr(10_000) }));
      answered.set(reference, Date.now());
    },
    async finish() {
      const waits: number[] = [];
      for (const [reference, atMs] of answered) {
        while (sink.about(reference).length === 0) await sleep(10);
        waits.push(Math.max(0, (sink.about(reference)[0]?.atMs ?? Number.NaN) - atMs));
      }
      answered.clear();
      return latenciesOf(waits);
    },
  };
}

function memoryOf(system: System): { notifier: number; moneyOut: number } {
  return { notifier: pssMiB([system.pidOf('notifier')]), moneyOut: pssMiB([system.pidOf('money-out')]) };
}

/** The second merchant's, which has no URL for webhooks; its token tells its id. */
async function merchantIdOf({ demo }: System): Promise<string> {
  const { token } = await signIn(demo.base_url, demo.second_merchant);
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return String(Reflect.get(Object(claims), 'sub'));
}

/** A finished transfer as money-out leaves it, with both events in its tail. */
function leftover(id: string, merchantId: string, atMs: number): Transfer {
  const transfer = {
    transactionId: id,
    referenceNumber: id,
    merchantId,
    accountId: 'backlog',
    status: TransferStatus.SUCCESS,
    amountSen: 1_000_000n,
    feeSen: 250_000n,
    balanceAfterSen: 5_000_000n,
    createdAtMs: BigInt(atMs),
    processedAtMs: BigInt(atMs),
    bankCode: '014',
    bankName: 'BCA',
    bankAccountNumber: '1234567890',
    bankAccountName: 'TEST 7890',
  };
  const payloads = [
    toBinary(DisbursementAcceptedSchema, create(DisbursementAcceptedSchema, { transfer })),
    toBinary(DisbursementFinishedSchema, create(DisbursementFinishedSchema, { transfer })),
  ];
  return {
    _id: id,
    schema: 1,
    version: 3n,
    incarnation: randomUUID(),
    last_seq: 2n,
    merchant_id: merchantId,
    product: 'disbursement',
    status: 'succeeded',
    tail: payloads.map((payload, i) => ({
      seq: BigInt(i) + 1n,
      event: i === 0 ? 'disbursement.accepted' : 'disbursement.succeeded',
      schema: 1,
      at: new Date(atMs),
      payload: new Binary(payload),
      traceparent: '',
    })),
  };
}
