import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import { startSystem } from '../../launcher/system.ts';
import { startWebhookSink } from '../support/webhook-sink.ts';
import { signedTransfers } from './disbursement-load.ts';
import { startBareFastify } from './floors/fastify.ts';
import { openBarePost } from './floors/undici-post.ts';
import type { Benchmark, Figures } from './harness/benchmark.ts';
import { closedLoop, mustNotFail } from './harness/http-load.ts';
import { latenciesOf } from './harness/statistics.ts';
import { cpuMsByProcess } from './process-cpu.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';
import { openWebhooksWorld, type WebhooksWorld } from './webhooks-world.ts';

const CALLERS = 64;
const FLOOR_MS = 3_000;
const MERCHANTS = 50;
const DELIVERIES_MS = 8_000;
/** Published and not yet delivered, at most. */
const UNDER_WAY = 1_500;
const PUBLISHED_TOGETHER = 100;
const LONE_MS = 4_000;
const ALL_WITHIN_MS = 150_000;
const LOOK_EVERY_MS = 20;

/**
 * Signed webhooks, each stored before and recorded after, as many as go; the memory that a backlog costs; and how soon a lone one
 * comes.
 */
export const webhooks: Benchmark = {
  name: 'webhooks',
  about:
    'durable signed deliveries beside bare undici POSTs; a backlog of 100,000: its order and its memory; from the rail to the merchant',
  needs: 'nats-server; two and a half minutes',
  rounds: 3,
  compared: ['deliveries.perSecond'],
  bars: [
    { name: 'deliveries to bare undici POSTs', figure: 'deliveries.perSecond', over: 'undici POST.perSecond', min: 0.3 },
    { name: 'out of order in a backlog of 100,000', figure: 'backlog of 100,000.outOfOrder', max: 0 },
    {
      name: 'memory of a backlog of 100,000 to that of 10,000',
      figure: 'backlog of 100,000.peakMiB',
      over: 'backlog of 10,000.peakMiB',
      max: 1.5,
    },
    { name: 'from the rail’s answer to the webhook, p50 ms', figure: 'lone payment.p50Ms', max: 30 },
  ],
  async prepare(resources) {
    const fastify = await startBareFastify(resources);
    const post = openBarePost(resources, fastify.port);
    const receiver = await startReceiver(resources);
    const world = await openWebhooksWorld(resources);
    for (let i = 0; i < MERCHANTS; i++) world.merchants.set(`m${i}`, { url: receiver.url });
    let turns = 0;
    await world.startNotifier();
    return {
      floors: { 'undici POST': post({ callers: CALLERS, durationMs: FLOOR_MS }) },
      subjects: {
        deliveries: { durationMs: DELIVERIES_MS, measure: (durationMs) => flow(world, receiver, `turn${turns++}`, durationMs) },
      },
      once: {
        'backlog of 10,000': () => drain(world, receiver, 'short', { transfers: 5_000, events: 2 }),
        'backlog of 100,000': () => drain(world, receiver, 'long', { transfers: 50_000, events: 2 }),
        'lone payment': railToWebhook,
      },
    };
  },
};

/** As many as go while new ones are published: from their publication until all are recorded. */
async function flow(world: WebhooksWorld, receiver: Receiver, name: string, durationMs: number): Promise<Figures> {
  receiver.references.length = 0;
  receiver.atMs.length = 0;
  const pids = [world.notifierPid(), world.mongoPid];
  const cpuBefore = cpuMsByProcess(pids);
  const startedMs = performance.now();
  let published = 0;
  while (performance.now() - startedMs < durationMs) {
    if (published - receiver.atMs.length >= UNDER_WAY) await sleep(1);
    else {
      await world.publishMany(`${name}-${published}`, PUBLISHED_TOGETHER, 1);
      published += PUBLISHED_TOGETHER;
    }
  }
  await eventually('all have come', () => receiver.atMs.length >= published, ALL_WITHIN_MS);
  await eventually('all are recorded', async () => (await world.pending()) === 0, ALL_WITHIN_MS);
  const seconds = (performance.now() - startedMs) / 1_000;
  return { perSecond: published / seconds, ...microsEach(pids, cpuBefore, published) };
}

/** A notifier that starts with a backlog works it off: counted from its first webhook until all are recorded. */
async function drain(
  world: WebhooksWorld,
  receiver: Receiver,
  name: string,
  { transfers, events }: { transfers: number; events: number },
): Promise<Figures> {
  const count = transfers * events;
  receiver.references.length = 0;
  receiver.atMs.length = 0;
  await world.publishMany(name, transfers, events);
  const { pid } = await world.startNotifier();
  const pids = [pid, world.mongoPid];
  await eventually('the first webhook', () => receiver.atMs.length > 0, ALL_WITHIN_MS);
  const startedMs = performance.now();
  const cpuBefore = cpuMsByProcess(pids);
  const before = receiver.atMs.length;
  let peakMiB = 0;
  while (receiver.atMs.length < count || (await world.pending()) > 0) {
    peakMiB = Math.max(peakMiB, residentMiB(pid));
    if (performance.now() - startedMs > ALL_WITHIN_MS) throw new Error(`${receiver.atMs.length} of ${count} webhooks have come`);
    await sleep(LOOK_EVERY_MS);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    perSecond: (count - before) / seconds,
    peakMiB,
    outOfOrder: outOfOrder(receiver.references),
    again: receiver.references.length - count,
    ...microsEach(pids, cpuBefore, count - before),
  };
}

/** The processor's time that each process has taken since, for each delivery. */
function microsEach(pids: readonly number[], before: ReadonlyMap<string, number>, count: number): Figures {
  const taken = [...cpuMsByProcess(pids)].map(([process, ms]) => [
    `${process}MicrosEach`,
    ((ms - (before.get(process) ?? 0)) * 1_000) / count,
  ]);
  return Object.fromEntries(taken);
}

/** References that came before the one that precedes them in their transfer. */
function outOfOrder(references: readonly string[]): number {
  const seen = new Set<string>();
  let wrong = 0;
  for (const reference of references) {
    const [transfer = '', n = ''] = reference.split('#');
    if (n !== '1' && !seen.has(`${transfer}#${Number(n) - 1}`)) wrong++;
    seen.add(reference);
  }
  return wrong;
}

function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

/**
 * The whole system, one payment at a time: from when the bank's answer is noted, which the webhook tells, until the merchant has
 * it.
 */
async function railToWebhook(): Promise<Figures> {
  await using resources = new AsyncDisposableStack();
  const sink = await startWebhookSink();
  resources.defer(() => sink.close());
  const system = await startSystem({ name: 'bench-webhooks', env: { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' } });
  resources.defer(() => system.stop());
  const target = await signedTransfers(system, sink.url);
  const { accepted } = mustNotFail(await closedLoop(target, { connections: 1, durationMs: LONE_MS }));
  await eventually('all are announced', () => sink.hooks.length >= accepted.count);
  const tookMs = sink.hooks.map(({ atMs, body }) => atMs - processedAtMs(body));
  const { p50Ms, p99Ms } = latenciesOf(tookMs);
  return { p50Ms, p99Ms };
}

function processedAtMs({ data }: Record<string, unknown>): number {
  const at = typeof data === 'object' && data !== null && 'processed_timestamp' in data ? Number(data.processed_timestamp) : 0;
  if (!(at > 0)) throw new Error('a webhook does not tell when it was processed');
  return at;
}
