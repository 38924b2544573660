import { eventually } from '@gerbang/testkit';
import { MongoClient } from 'mongodb';
import { ensureSecrets } from '../../launcher/secrets.ts';
import { type System, startSystem } from '../../launcher/system.ts';
import { isRecord, signIn } from '../support/merchant-client.ts';
import { type Hook, startWebhookSink } from '../support/webhook-sink.ts';
import { fund, transfers } from './disbursement.ts';
import { type Announcements, announcementsOf, signedTransfers } from './disbursement-load.ts';
import { openBareAcquirer } from './floors/acquirer.ts';
import { peakOf, startBareFastify } from './floors/fastify.ts';
import type { Benchmark, Turn } from './harness/benchmark.ts';
import { encodeShot } from './harness/http-connection.ts';
import { closedLoop, mustNotFail, type Target } from './harness/http-load.ts';
import { cpuMsByProcess } from './process-cpu.ts';

/** Enough to keep both cores busy, and no more than the acquirer's client has. */
const CONNECTIONS = 64;
const FLOOR_MS = 3_000;
const LONE_MS = 3_000;
const PAYMENTS_MS = 6_000;
const WARM_UP_MS = 8_000;
const ANNOUNCED_WITHIN_MS = 5_000;
const CAPTURED_WITHIN_MS = 120_000;

/** How many payments are captured and credited. */
type Captured = () => Promise<number>;

/** Payments by card without 3DS, authorised, announced, captured and credited, beside disbursements in the same run. */
export const card: Benchmark = {
  name: 'card',
  about: 'payments by card, announced, captured and credited, beside disbursements, bare fastify and the acquirer alone',
  needs: 'nats-server; two minutes',
  rounds: 3,
  compared: ['payments.finishedPerSecond'],
  bars: [
    {
      name: 'authorised and announced to bare fastify',
      figure: 'payments.finishedPerSecond',
      over: 'floor.perSecond',
      min: 0.003,
    },
    { name: 'payments to disbursements', figure: 'payments.finishedPerSecond', over: 'transfers.finishedPerSecond' },
    { name: 'processor time of a payment to that of a disbursement', figure: 'payments.cpuMs', over: 'transfers.cpuMs' },
    { name: 'added p50 of a payment, ms', figure: 'lone payment.p50Ms', less: 'acquirer alone.p50Ms' },
  ],
  async prepare(resources) {
    const [sink, cardSink] = [await startWebhookSink(), await startWebhookSink()];
    resources.defer(() => sink.close());
    resources.defer(() => cardSink.close());
    const env = {
      RATE_LIMIT_PER_MINUTE: '100000000',
      LOG_LEVEL: 'warn',
      CARD_CAPTURE_SECONDS: '0',
      SETTLEMENT_RULES: '*=86400s',
    };
    const system = await startSystem({ name: 'bench-card', env });
    resources.defer(() => system.stop());
    const fastify = await startBareFastify(resources);
    const acquirer = openBareAcquirer(resources, { url: system.demo.simulator_url, secrets: ensureSecrets(system.dataFolder) });
    await fund(system);
    const signed = await signedTransfers(system, sink.url);
    const announced = announcementsOf(sink);
    const target = await cardPayments(system, cardSink.url);
    const paid = announcementsOf(cardSink, paidIn);
    const captured = await countCaptured(resources, system);
    for (const load of [signed, target])
      mustNotFail(await closedLoop(load, { connections: CONNECTIONS, durationMs: WARM_UP_MS }));
    await Promise.all([announced.settle(), paid.settle()]);
    return {
      floors: {
        floor: peakOf(fastify.target('POST'), { connections: CONNECTIONS, durationMs: FLOOR_MS }),
        'acquirer alone': acquirer({ callers: 1, durationMs: LONE_MS }),
      },
      subjects: {
        transfers: withSum(transfers(system, signed, announced)),
        payments: withSum(payments(system, target, { paid, captured })),
        'lone payment': lone(target, { paid, captured }),
      },
    };
  },
};

/** Payments of the demo merchant by the card that needs no 3DS, announced to `notifyUrl`. */
async function cardPayments({ demo }: System, notifyUrl: string): Promise<Target> {
  const merchant = await signIn(demo.base_url, demo);
  await merchant.send('PUT', '/api/v1.0/callback-settings', { transaction_notif_url: notifyUrl });
  const body = JSON.stringify({
    card_number: '4411111111111118',
    card_expiry: '12/39',
    card_cvv: '123',
    card_holder_name: 'BUDI SANTOSO',
    amount: { value: '10000.00', currency: 'IDR' },
    customer: { name: 'Budi Santoso', email: 'budi@example.com', phone: '081234567890' },
  });
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${merchant.token}`,
    'x-partner-id': demo.partner_id,
  };
  const shot = encodeShot({ method: 'POST', path: `/api/v2.0/card/${demo.account_ids[1]}/payment`, body, headers });
  return {
    port: Number(new URL(demo.base_url).port),
    next: () => shot,
    judge(status, answer) {
      if (status === 503) return 'refused';
      return status === 200 && answer.includes('"status":"success"') ? 'accepted' : 'failed';
    },
  };
}

function paidIn({ body }: Hook): string | undefined {
  if (body.event !== 'card-transaction' || !isRecord(body.data)) return undefined;
  if (body.data.status !== 'success') throw new Error(`a payment has not succeeded: ${JSON.stringify(body)}`);
  return String(body.data.id);
}

async function countCaptured(resources: AsyncDisposableStack, { mongodb }: System): Promise<Captured> {
  const database = await MongoClient.connect(mongodb.uri);
  resources.defer(() => database.close());
  const stored = database.db(`${mongodb.prefix}cards`).collection('card_payments');
  return () => stored.countDocuments({ status: 'captured' });
}

type Followed = { paid: Announcements; captured: Captured };

/** As many as go. The processor's time is that of each process, until everything is announced, captured and credited. */
function payments(system: System, target: Target, { paid, captured }: Followed): Turn {
  return {
    durationMs: PAYMENTS_MS,
    async measure(durationMs) {
      const before = paid.count();
      const cpuBefore = cpuMsByProcess(system.pids());
      const load = mustNotFail(await closedLoop(target, { connections: CONNECTIONS, durationMs }));
      const endMs = Date.now();
      const { count } = load.accepted;
      await paid.reach(before + count);
      await untilCaptured({ paid, captured });
      const figures: Record<string, number> = {
        finishedPerSecond: (paid.by(endMs + ANNOUNCED_WITHIN_MS) - before) / (durationMs / 1_000),
        acceptedPerSecond: load.perSecond,
        refusedPerSecond: load.refused.count / (durationMs / 1_000),
        // What could be kept up for longer: the time until the last capture is part of the work.
        untilCapturedPerSecond: (count / (Date.now() - endMs + durationMs)) * 1_000,
        lastCapturedMs: Date.now() - endMs,
        acceptedP50Ms: load.accepted.p50Ms,
        acceptedP99Ms: load.accepted.p99Ms,
        'generatorMs.load generator and webhook sink': load.generatorMicros / 1_000,
      };
      for (const [name, ms] of cpuMsByProcess(system.pids()))
        figures[`cpuMs.${name}`] = (ms - (cpuBefore.get(name) ?? 0)) / count;
      return figures;
    },
  };
}

/** One connection, one payment at a time. */
function lone(target: Target, followed: Followed): Turn {
  return {
    durationMs: LONE_MS,
    async measure(durationMs) {
      const before = followed.paid.count();
      const load = mustNotFail(await closedLoop(target, { connections: 1, durationMs }));
      await followed.paid.reach(before + load.accepted.count);
      await untilCaptured(followed);
      return { p50Ms: load.accepted.p50Ms, p99Ms: load.accepted.p99Ms };
    },
  };
}

async function untilCaptured({ paid, captured }: Followed): Promise<void> {
  await eventually('all are captured', async () => (await captured()) >= paid.count(), CAPTURED_WITHIN_MS);
}

/** The same with the processor time of all processes together, the generator's apart. */
function withSum({ durationMs, measure }: Turn): Turn {
  return {
    durationMs,
    async measure(ms, figure) {
      const figures = await measure(ms, figure);
      const ofServices = Object.entries(figures).filter(([name]) => name.startsWith('cpuMs.') && !name.includes(' '));
      return { ...figures, cpuMs: ofServices.reduce((sum, [, used]) => sum + used, 0) };
    },
  };
}
