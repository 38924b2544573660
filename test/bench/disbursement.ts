import { spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { eventually, freePort } from '@gerbang/testkit';
import { type System, startSystem } from '../../launcher/system.ts';
import { signIn } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';
import { type LoadResult, type Shot, shoot } from './load.ts';
import { cpuMsByProcess } from './process-cpu.ts';

const CONNECTIONS = 32;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 15_000;
const FLOOR_MS = 5_000;
/** Everything must be captured and announced this soon after the end of the load. */
const ANNOUNCED_WITHIN_MS = 5_000;
const PATH = '/api/v2.0/disbursement/transfer';

/** Signed disbursements at 32 connections, captured and announced, beside a bare fastify route in the same run. */
export async function benchDisbursement(): Promise<object> {
  const sink = await startWebhookSink();
  const system = await startSystem({
    name: 'bench-disbursement',
    env: { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' },
  });
  try {
    const shots = await signedShots(system, sink);
    const floorBefore = await measureFloor();
    await fire(system, shots, WARM_UP_MS);
    const announcedBefore = await quiet(sink);
    const cpuBefore = cpuMsByProcess(system.pids());
    const load = await fire(system, shots, MEASURED_MS);
    const endMs = Date.now();
    await eventually('all are announced', () => sink.hooks.length - announcedBefore >= load.answers, 60_000);
    const drainedMs = Date.now() - endMs;
    const cpuAfter = cpuMsByProcess(system.pids());
    const inTime = sink.hooks.slice(announcedBefore).filter((hook) => hook.atMs <= endMs + ANNOUNCED_WITHIN_MS).length;
    const floorAfter = await measureFloor();
    const floorPerSecond = Math.round((floorBefore.perSecond + floorAfter.perSecond) / 2);
    const finishedPerSecond = Math.round(inTime / (MEASURED_MS / 1_000));
    return {
      machine: `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, load generator included`,
      connections: CONNECTIONS,
      accepted: load.answers,
      errors: load.errors,
      finishedPerSecond,
      announcedWithin5s: `${inTime} of ${load.answers}`,
      drainedMs,
      acceptanceMs: { p50: load.p50Ms, p99: load.p99Ms },
      cpuMsPerTransfer: Object.fromEntries(
        [...cpuAfter].map(([name, ms]) => [name, Number(((ms - (cpuBefore.get(name) ?? 0)) / load.answers).toFixed(2))]),
      ),
      floor: { perSecond: floorPerSecond, p50Ms: floorAfter.p50Ms, p99Ms: floorAfter.p99Ms },
      ratioToFloor: Number((finishedPerSecond / floorPerSecond).toFixed(4)),
    };
  } finally {
    await system.stop();
    await sink.close();
  }
}

function fire(system: System, next: () => Shot, durationMs: number): Promise<LoadResult> {
  return shoot({
    origin: system.demo.base_url,
    connections: CONNECTIONS,
    durationMs,
    next,
    accept: (status, body) => status === 200 && body.includes('"SP000"'),
  });
}

async function signedShots(system: System, sink: WebhookSink): Promise<() => Shot> {
  const merchant = await signIn(system.demo.base_url, system.demo);
  await merchant.send('PUT', '/api/v1.0/callback-settings', { disbursement_notif_url: sink.url });
  const [accountId] = system.demo.account_ids;
  let count = 0;
  return () => {
    count++;
    // Keys in alphabetical order: the text is its own normalized form.
    const body = `{"account_id":"${accountId}","amount":{"currency":"IDR","value":"10.00"},"bank_account_number":"1234567890","bank_code":"014","reference_number":"bench-${count}"}`;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const hash = createHash('sha256').update(body).digest('hex');
    const toSign = `POST:${PATH}:${merchant.token}:${hash}:${timestamp}`;
    return {
      path: PATH,
      body,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${merchant.token}`,
        'x-partner-id': system.demo.partner_id,
        'x-timestamp': timestamp,
        'x-signature': createHmac('sha512', system.demo.client_secret).update(toSign).digest('hex'),
      },
    };
  };
}

/** Waits until no more webhooks arrive, and says how many there were. */
async function quiet(sink: WebhookSink): Promise<number> {
  let last = -1;
  await eventually(
    'the warm-up is announced',
    async () => {
      const same = sink.hooks.length === last;
      last = sink.hooks.length;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return same && sink.hooks.length === last;
    },
    60_000,
  );
  return sink.hooks.length;
}

async function measureFloor(): Promise<LoadResult> {
  const port = await freePort();
  const server = spawn(process.execPath, [fileURLToPath(new URL('floor-server.ts', import.meta.url)), String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(server.stdout, 'data');
  const shot = {
    path: '/floor',
    headers: { 'content-type': 'application/json' },
    body: '{"reference_number":"x","amount":{"value":"10.00","currency":"IDR"}}',
  };
  const result = await shoot({
    origin: `http://127.0.0.1:${port}`,
    connections: CONNECTIONS,
    durationMs: FLOOR_MS,
    next: () => shot,
    accept: (status) => status === 200,
  });
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  return result;
}
