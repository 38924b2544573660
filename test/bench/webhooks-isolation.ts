import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import { arrivals } from './harness/arrivals.ts';
import type { Benchmark, Figures } from './harness/benchmark.ts';
import { latenciesOf } from './harness/statistics.ts';
import { type Receiver, startBlackHole, startReceiver } from './webhook-receiver.ts';
import { openWebhooksWorld, type WebhooksWorld } from './webhooks-world.ts';

const ENDPOINTS = 100;
const BLACK_HOLES = 20;
const PER_SECOND = 400;
const MEASURED_MS = 8_000;
/** An attempt to deliver to a black hole lasts as long. */
const ATTEMPT_MS = 11_000;

/** How soon webhooks reach endpoints that answer, while a fifth of all endpoints never does. */
export const webhooksIsolation: Benchmark = {
  name: 'webhooks-isolation',
  about: 'webhooks to endpoints that answer, at a steady rate, without and with one endpoint in five that never does',
  needs: 'nats-server; two and a half minutes',
  rounds: 3,
  bars: [
    {
      name: 'p99 beside black holes to without',
      figure: 'a fifth are black holes.p99Ms',
      over: 'all answer.p99Ms',
      max: 1.2,
    },
  ],
  async prepare(resources) {
    const receiver = await startReceiver(resources);
    const blackHole = await startBlackHole(resources);
    const world = await openWebhooksWorld(resources);
    await world.startNotifier();
    let turns = 0;
    const turn = (holes: number) => ({
      durationMs: 0,
      async measure() {
        for (let i = 0; i < ENDPOINTS; i++) world.merchants.set(`m${i}`, { url: i < holes ? blackHole.url : receiver.url });
        return steadily(world, receiver, `turn${turns++}`, holes);
      },
    });
    return {
      floors: { 'all answer': turn(0) },
      subjects: { 'a fifth are black holes': turn(BLACK_HOLES) },
    };
  },
};

/** From the publication to the webhook, of those endpoints alone that answer in both turns. */
async function steadily(world: WebhooksWorld, receiver: Receiver, name: string, holes: number): Promise<Figures> {
  receiver.references.length = 0;
  receiver.atMs.length = 0;
  const dueMs = arrivals({ perSecond: PER_SECOND, durationMs: MEASURED_MS, seed: 7 });
  const sentAtMs: number[] = [];
  const publishing: Promise<void>[] = [];
  const startedMs = performance.timeOrigin + performance.now();
  let answering = 0;
  for (const [i, due] of dueMs.entries()) {
    const waitMs = startedMs + due - (performance.timeOrigin + performance.now());
    if (waitMs > 1) await sleep(waitMs);
    if (i % ENDPOINTS >= holes) answering++;
    sentAtMs[i] = performance.timeOrigin + performance.now();
    publishing.push(world.publish(`m${i % ENDPOINTS}`, `${name}-${i}`, 1));
  }
  await Promise.all(publishing);
  await eventually('all that can have come', () => receiver.atMs.length >= answering, 20_000);
  const tookMs = receiver.references.flatMap((reference, j) => {
    const i = Number(/-(\d+)#/.exec(reference)?.[1]);
    const beside = i % ENDPOINTS >= BLACK_HOLES;
    return beside ? [(receiver.atMs[j] ?? 0) - (sentAtMs[i] ?? 0)] : [];
  });
  const { p50Ms, p99Ms } = latenciesOf(tookMs);
  if (holes > 0) await forgetPending(world);
  return { p50Ms, p99Ms };
}

/** What is still to be tried, and tried just now, must not fall into the next turn. */
async function forgetPending(world: WebhooksWorld): Promise<void> {
  await world.deliveries.deleteMany({ endpoint: { $gt: '' }, due_at: { $type: 'date' } });
  await sleep(ATTEMPT_MS);
  await world.deliveries.deleteMany({ endpoint: { $gt: '' }, due_at: { $type: 'date' } });
}
