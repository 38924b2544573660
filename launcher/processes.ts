import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Ports } from './ports.ts';
import { SANDBOX_HMAC_RAIL, sandboxPartnerId, writeRailPartners } from './rail-partners.ts';
import type { ReadinessProbe } from './readiness.ts';
import type { Secrets } from './secrets.ts';

/** A process of the system: how it is started and how one knows that it is ready. */
export type ProcessSpec = {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Started together; the next stage waits until all of this one are ready. */
  stage: 'stores' | 'services';
  ready: ReadinessProbe;
};

export type TableOptions = {
  root: string;
  dataFolder: string;
  ports: Ports;
  secrets: Secrets;
  /** MONGODB_URI and NATS_URL as given; then nothing is started for them. */
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  /** Variables that go before all others. */
  env: Record<string, string>;
};

/**
 * A young generation large enough that little outlives it under load; idle services keep it small. No threads that help to collect: on a small machine
 * they would take the processors from the other services. A heap is collected when it has grown to twice what lived in it, not to four times, so that
 * a backlog takes little more memory than it has content.
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=32', '--no-parallel-scavenge', '--heap-growing-percent=100'];

const REPLICA_SET = 'gerbang';

/** Where the system's database is. */
export function mongodbUriOf({ mongodbUri, ports }: Pick<TableOptions, 'mongodbUri' | 'ports'>): string {
  return mongodbUri ?? `mongodb://127.0.0.1:${ports.mongodb}/?replicaSet=${REPLICA_SET}`;
}

/** Every process of a sandbox on one machine, as data. */
export function processTable(options: TableOptions): ProcessSpec[] {
  const { dataFolder, ports, secrets } = options;
  const at = (port: number) => `127.0.0.1:${port}`;
  const common = {
    GERBANG_ENV: 'sandbox',
    MONGODB_URI: mongodbUriOf(options),
    NATS_URL: options.natsUrl ?? `nats://${at(ports.nats)}`,
    SANDBOX_CLOCK_URL: `http://${at(ports.simulator)}/sandbox/clock`,
    MERCHANT_RPC: at(ports.merchantRpc),
    LEDGER_RPC: at(ports.ledgerRpc),
    MONEY_OUT_RPC: at(ports.moneyOutRpc),
    MONEY_IN_RPC: at(ports.moneyInRpc),
    NOTIFIER_RPC: at(ports.notifierRpc),
  };
  const service = (name: string, adminPort: number, env: Record<string, string>): ProcessSpec => ({
    name,
    command: process.execPath,
    args: [...NODE_FLAGS, path.join(options.root, 'services', name, 'src/main.ts')],
    env: { ...common, ADMIN_PORT: String(adminPort), ...env, ...options.env },
    stage: 'services',
    ready: { http: `http://${at(adminPort)}/readyz` },
  });
  const railOf = (name: string) => ({
    [`RAIL_${name}_URL`]: `http://${at(ports.simulator)}`,
    [`RAIL_${name}_CLIENT_KEY`]: secrets.rail.clientKey,
    [`RAIL_${name}_CLIENT_SECRET`]: secrets.rail.clientSecret,
    [`RAIL_${name}_PRIVATE_KEY`]: secrets.rail.privateKey,
    [`RAIL_${name}_PARTNER_ID`]: 'gerbang',
    [`RAIL_${name}_CHANNEL_ID`]: '95221',
  });
  return [
    ...(options.mongodbUri === undefined ? [mongodb(options)] : []),
    ...(options.natsUrl === undefined ? [nats(dataFolder, ports)] : []),
    service('simulator', ports.simulatorAdmin, {
      SIMULATOR_PORT: String(ports.simulator),
      SIMULATOR_CLIENT_KEY: secrets.rail.clientKey,
      SIMULATOR_CLIENT_SECRET: secrets.rail.clientSecret,
      SIMULATOR_PUBLIC_KEY: secrets.rail.publicKey,
      SIMULATOR_RAILS_URL: `http://${at(ports.rails)}`,
      SIMULATOR_PRIVATE_KEY: secrets.rails.privateKey,
      SIMULATOR_RAIL_SECRET: secrets.rails.clientSecret,
      SIMULATOR_HMAC_RAILS: SANDBOX_HMAC_RAIL,
    }),
    service('merchant', ports.merchantAdmin, { RPC_PORT: String(ports.merchantRpc), GERBANG_KEKS: secrets.keks }),
    service('ledger', ports.ledgerAdmin, { RPC_PORT: String(ports.ledgerRpc) }),
    service('money-out', ports.moneyOutAdmin, { RPC_PORT: String(ports.moneyOutRpc), ...railOf('BANK_TRANSFER') }),
    service('money-in', ports.moneyInAdmin, {
      RPC_PORT: String(ports.moneyInRpc),
      PAY_URL: `http://${at(ports.pay)}`,
      RAIL_QRIS_MERCHANT_ID: 'gerbang',
      RAIL_QRIS_ACQUIRER_NAME: 'Gerbang Sandbox',
      RAIL_QRIS_CALLBACK_PARTNER_ID: sandboxPartnerId('qris'),
      RAIL_EWALLET_CALLBACK_PARTNER_ID: sandboxPartnerId('ewallet'),
      ...railOf('QRIS'),
      ...railOf('EWALLET'),
    }),
    service('notifier', ports.notifierAdmin, { RPC_PORT: String(ports.notifierRpc), WEBHOOK_ALLOW_PRIVATE: 'true' }),
    service('checkout', ports.checkoutAdmin, { PAY_PORT: String(ports.pay) }),
    service('edge', ports.edgeAdmin, {
      EDGE_PORT: String(ports.edge),
      RAILS_PORT: String(ports.rails),
      RAIL_PARTNERS: writeRailPartners(dataFolder, secrets),
    }),
  ];
}

/** The embedded server, or mongod where that is on PATH; a data folder stays with the one that has begun it. */
function mongodb({ root, dataFolder, ports }: TableOptions): ProcessSpec {
  const base = { name: 'mongodb', env: {}, stage: 'stores' as const };
  const port = String(ports.mongodb);
  const embedded = path.join(dataFolder, 'mongodb');
  const real = path.join(dataFolder, 'mongod');
  if (existsSync(embedded) || (!existsSync(real) && !isOnPath('mongod'))) {
    const main = path.join(root, 'packages/embedded-mongo/src/main.ts');
    const args = [...NODE_FLAGS, main, '--data', embedded, '--port', port];
    return { ...base, command: process.execPath, args, ready: { tcp: ports.mongodb } };
  }
  if (!isOnPath('mongod')) throw new Error(`the data in ${real} are of a mongod, which is no longer on PATH; put it there again`);
  mkdirSync(real, { recursive: true });
  const replicaSet = ['--replSet', REPLICA_SET, '--bind_ip', '127.0.0.1', '--port', port];
  const args = ['--dbpath', real, ...replicaSet, '--wiredTigerCacheSizeGB', '0.25'];
  return { ...base, command: 'mongod', args, ready: { replicaSet: { name: REPLICA_SET, port: ports.mongodb } } };
}

function nats(dataFolder: string, ports: Ports): ProcessSpec {
  return {
    name: 'nats',
    command: 'nats-server',
    args: ['-a', '127.0.0.1', '-p', String(ports.nats), '-js', '-sd', path.join(dataFolder, 'nats')],
    env: {},
    stage: 'stores',
    ready: { tcp: ports.nats },
  };
}

function isOnPath(command: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, command), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
