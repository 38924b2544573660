import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { openChannel } from '@gerbang/rpc';
import { demoClient } from '../../launcher/operators.ts';
import { findFreePorts } from '../../launcher/ports.ts';
import { processTable } from '../../launcher/processes.ts';
import { ensureSecrets } from '../../launcher/secrets.ts';
import { type Ports, SERVICES, type ServiceName } from '../../launcher/services.ts';
import { createSupervisor, type Supervisor } from '../../launcher/supervisor.ts';
import { openSystem, type System } from '../../launcher/system.ts';
import { type Answer, accepted, call, type MerchantClient, signIn } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

/** How the second instance of a service is called. */
const REPLICA = ' replica';
const FUNDS_SEN = 10n ** 13n;

/** What a test runs. `env`: variables of every process. */
export type WorldOptions = { name: string; replicated: readonly ServiceName[]; env?: Record<string, string> };

/**
 * The system with a second instance of some services. The second edge calls the second instances, so a merchant that uses both
 * edges uses both of each; on one database, their timers take each other's work.
 */
export type World = {
  /** The merchant at each of the edges. */
  merchants: readonly [MerchantClient, MerchantClient];
  /** The biller's address at each of the edges. */
  billerUrls: readonly [string, string];
  source: string;
  destination: string;
  sink: WebhookSink;
  /** Kills a process and waits until everything is ready again. */
  kill(victim: string): Promise<void>;
  /** A call of the simulator's control API. */
  control(method: string, target: string, body?: object): Promise<Answer>;
  /** The differences between the ledger's journal and what is kept; none is right. */
  verifyLedger(): Promise<string[]>;
  stop(): Promise<void>;
};

/** Starts it, with money on the first account and a webhook receiver. */
export async function startWorld({ name, replicated, env: more }: WorldOptions): Promise<World> {
  const dataFolder = mkdtempSync(path.join(tmpdir(), `gerbang-chaos-${name}-`));
  const ports = await findFreePorts();
  const others = await replicaPorts(ports, replicated);
  const logFolder = path.join(dataFolder, 'replica-logs');
  mkdirSync(logFolder);
  const options = { root: path.resolve(import.meta.dirname, '../..'), dataFolder, shuffleUnsorted: true };
  const env = {
    LOG_LEVEL: 'info',
    MONGODB_DB_PREFIX: `test_${randomBytes(5).toString('hex')}_`,
    ...(replicated.includes('ledger') && {
      LEDGER_RPC: `127.0.0.1:${ports.LEDGER_RPC_PORT},127.0.0.1:${others.LEDGER_RPC_PORT}`,
    }),
    // Waiting for final states asks about all orders again and again.
    RATE_LIMIT_PER_MINUTE: '100000000',
    ...more,
  };
  const stores = { mongodbUri: undefined, natsUrl: undefined };
  const system = await openSystem({ ...options, ...stores, ports, env, fresh: false, say: () => {} });
  const replicas = createSupervisor(
    processTable({
      ...options,
      ports: others,
      replicas: 1,
      env,
      secrets: ensureSecrets(dataFolder),
      mongodbUri: system.mongodb.uri,
      natsUrl: `nats://127.0.0.1:${ports.NATS_PORT}`,
    }).filter((process) => replicated.some((service) => service === process.name)),
    { logFolder, say: () => {}, record: () => {} },
  );
  const sink = await startWebhookSink();
  const stop = async () => {
    await replicas.stop();
    await system.stop();
    await sink.close();
    if (process.env.KEEP_DATA !== 'true') rmSync(dataFolder, { recursive: true, force: true });
  };
  try {
    await replicas.start();
    await fund(system);
    return await openWorld(system, replicas, { others, sink, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openWorld(
  system: System,
  replicas: Supervisor,
  { others, sink, stop }: { others: Ports } & Pick<World, 'sink' | 'stop'>,
): Promise<World> {
  const { demo } = system;
  const merchants = [await signIn(demo.base_url, demo), await signIn(`http://127.0.0.1:${others.EDGE_PORT}`, demo)] as const;
  const settings = { disbursement_notif_url: sink.url, direct_debit_notif_url: sink.url };
  await accepted(merchants[0].api.PUT('/api/v1.0/callback-settings', { body: settings }));
  return {
    merchants,
    billerUrls: [demo.biller_url, `http://127.0.0.1:${others.BILLER_PORT}`],
    source: demo.account_ids[0],
    destination: demo.account_ids[1],
    sink,
    async kill(victim) {
      if (victim.endsWith(REPLICA)) await replicas.kill(victim.slice(0, -REPLICA.length), 'SIGKILL');
      else await system.kill(victim, 'SIGKILL');
      await Promise.all([system.ready(), replicas.ready()]);
    },
    control: (method, target, body) => call(method, `${demo.simulator_url}/sandbox/${target}`, body && JSON.stringify(body)),
    verifyLedger: () => system.verifyLedger(),
    stop,
  };
}

/** The ports of the first instances, but for those of the second ones. */
async function replicaPorts(ports: Ports, replicated: readonly ServiceName[]): Promise<Ports> {
  const moved = new Set(SERVICES.filter(({ name }) => replicated.includes(name)).flatMap(portNamesOf));
  const taken = new Set(Object.values(ports));
  for (;;) {
    const free = await findFreePorts();
    const own = Object.fromEntries(Object.entries(free).filter(([name]) => moved.has(name)));
    if (!Object.values(own).some((port) => taken.has(port))) return { ...ports, ...own };
  }
}

/** Every port of a service, by the variable that moves it. */
function portNamesOf(row: (typeof SERVICES)[number]): string[] {
  const prefix = row.name.toUpperCase().replaceAll('-', '_');
  return [`${prefix}_ADMIN_PORT`, `${prefix}_RPC_PORT`, ...('listens' in row ? Object.keys(row.listens) : [])];
}

/** Money on the first account, and a fee of direct debit, so that a refund takes more than what is pending. */
async function fund({ demo, ports, dataFolder }: System): Promise<void> {
  const channel = openChannel({ address: `127.0.0.1:${ports.MERCHANT_RPC_PORT}`, tls: undefined });
  const operators = demoClient(dataFolder, channel, OperatorService);
  const by = { merchantId: demo.merchant_id };
  try {
    const credit = { accountId: demo.account_ids[0], amountSen: FUNDS_SEN };
    await operators.fund({ ...by, ...credit, operationId: 'chaos', rail: 'bank-transfer' });
    await operators.setFees({ ...by, fee: { product: 'direct-debit', fixedSen: 1_000_00n, basisPoints: 70 } });
  } finally {
    await channel.close();
  }
}
