import { MONEY_OUT_RAILS } from '@gerbang/core';
import { SANDBOX_HMAC_RAIL, sandboxPartnerId, sandboxRails, writeRailPartners } from './rail-partners.ts';
import type { Secrets } from './secrets.ts';

/** A port that something listens on: its default, and what for. */
export type Port = { standard: number; purpose: string };

/** What a service's own variables are made of. `urlOf` takes the name of a port, and throws for one that there is not. */
export type Setup = { dataFolder: string; secrets: Secrets; urlOf: (port: string) => string };

/**
 * A service, in all that is known of it outside its folder. The launcher starts it from this row, gives its gRPC address to the
 * other services and to the operators' commands as `<NAME>_RPC`, and tells the notifier where its events are confirmed.
 */
type Row = {
  /** Its folder in services/, and its name in logs, metrics and streams. */
  name: string;
  /** Probes and metrics. The variable that moves it is `<NAME>_ADMIN_PORT`. */
  adminPort: number;
  /** Its gRPC listener. The variable that moves it is `<NAME>_RPC_PORT`. */
  rpcPort?: number;
  /** `<NAME>_RPC` takes the addresses of several instances, separated by commas. */
  hasInstances?: true;
  /** It publishes the events of these aggregates, by the name of their collection; the notifier confirms them to it. */
  aggregates?: readonly string[];
  /** It hears at NATS which merchants and accounts have changed. */
  hearsHints?: true;
  /** Its other listeners, by the variable that both moves them and tells the service. */
  listens?: Readonly<Record<string, Port>>;
  /** Its own variables in a sandbox on one machine. */
  env?: (setup: Setup) => Record<string, string>;
};

/** Every service, one row each, in the order in which they are started. */
export const SERVICES = [
  {
    name: 'simulator',
    adminPort: 9205,
    listens: { SIMULATOR_PORT: { standard: 8070, purpose: 'sandbox bank and controls (simulator_url)' } },
    env: ({ urlOf, secrets }) => ({
      SIMULATOR_CLIENT_KEY: secrets.rail.clientKey,
      SIMULATOR_CLIENT_SECRET: secrets.rail.clientSecret,
      SIMULATOR_PUBLIC_KEY: secrets.rail.publicKey,
      SIMULATOR_RAILS_URL: urlOf('RAILS_PORT'),
      SIMULATOR_PRIVATE_KEY: secrets.rails.privateKey,
      SIMULATOR_RAIL_SECRET: secrets.rails.clientSecret,
      SIMULATOR_HMAC_RAILS: SANDBOX_HMAC_RAIL,
    }),
  },
  {
    name: 'merchant',
    adminPort: 9201,
    rpcPort: 9101,
    aggregates: ['merchants', 'accounts'],
    env: ({ secrets }) => ({ GERBANG_KEKS: secrets.keks, CHAIN_KEYS: secrets.chainKeys }),
  },
  {
    name: 'ledger',
    adminPort: 9202,
    rpcPort: 9102,
    hasInstances: true,
    env: ({ secrets }) => ({ CHAIN_KEYS: secrets.chainKeys }),
  },
  {
    name: 'money-out',
    adminPort: 9203,
    rpcPort: 9103,
    hearsHints: true,
    aggregates: ['transfers'],
    env: ({ urlOf, secrets }) => ({
      GERBANG_KEKS: secrets.keks,
      ...sandboxRails(MONEY_OUT_RAILS, urlOf('SIMULATOR_PORT'), secrets),
      RAIL_QRIS_ISSUER_MERCHANT_ID: 'gerbang',
    }),
  },
  {
    name: 'money-in',
    adminPort: 9206,
    rpcPort: 9105,
    hearsHints: true,
    aggregates: ['payables', 'payments'],
    env: ({ urlOf, secrets }) => ({
      PAY_URL: urlOf('PAY_PORT'),
      RAIL_QRIS_MERCHANT_ID: 'gerbang',
      RAIL_QRIS_ACQUIRER_NAME: 'Gerbang Sandbox',
      RAIL_QRIS_CALLBACK_PARTNER_ID: sandboxPartnerId('qris'),
      RAIL_EWALLET_CALLBACK_PARTNER_ID: sandboxPartnerId('ewallet'),
      ...sandboxRails(['QRIS', 'EWALLET', 'VA', 'RETAIL'], urlOf('SIMULATOR_PORT'), secrets),
    }),
  },
  {
    name: 'direct-debit',
    adminPort: 9208,
    rpcPort: 9106,
    hearsHints: true,
    aggregates: ['bindings', 'charges'],
    env: ({ urlOf, secrets }) => ({
      PAY_URL: urlOf('PAY_PORT'),
      GERBANG_KEKS: secrets.keks,
      ...sandboxRails(['DIRECT_DEBIT'], `${urlOf('SIMULATOR_PORT')}/direct-debit`, secrets),
      RAIL_DIRECT_DEBIT_MERCHANT_ID: 'gerbang',
    }),
  },
  {
    name: 'biller',
    adminPort: 9209,
    rpcPort: 9107,
    hearsHints: true,
    aggregates: ['purchases'],
    env: ({ urlOf, secrets }) => ({
      ...sandboxRails(['BILLER'], urlOf('SIMULATOR_PORT'), secrets),
      GERBANG_KEKS: secrets.keks,
    }),
  },
  {
    name: 'cards',
    adminPort: 9210,
    rpcPort: 9108,
    aggregates: ['card_payments', 'card_plans', 'card_cycles'],
    hearsHints: true,
    env: ({ urlOf, secrets }) => ({
      PAY_URL: urlOf('PAY_PORT'),
      RAIL_CARD_URL: `${urlOf('SIMULATOR_PORT')}/card`,
      RAIL_CARD_HISTORY_URL: `${urlOf('SIMULATOR_PORT')}/card`,
      RAIL_CARD_CLIENT_KEY: secrets.rail.clientKey,
      RAIL_CARD_CLIENT_SECRET: secrets.rail.clientSecret,
      GERBANG_KEKS: secrets.keks,
      CARD_PLAN_RETRY_SECONDS: '2',
    }),
  },
  {
    name: 'notifier',
    adminPort: 9204,
    rpcPort: 9104,
    env: ({ secrets }) => ({ WEBHOOK_ALLOW_PRIVATE: 'true', GERBANG_KEKS: secrets.keks }),
  },
  {
    name: 'checkout',
    adminPort: 9207,
    listens: { PAY_PORT: { standard: 8081, purpose: 'customer pages (pay_url)' } },
  },
  {
    name: 'edge',
    adminPort: 9200,
    hearsHints: true,
    listens: {
      EDGE_PORT: { standard: 8080, purpose: 'merchant API (base_url)' },
      BILLER_PORT: { standard: 8_090, purpose: 'biller API (biller_url)' },
      RAILS_PORT: { standard: 8082, purpose: 'bank callbacks (rails_url)' },
    },
    env: ({ dataFolder, secrets, urlOf }) => ({
      RAIL_PARTNERS: writeRailPartners(dataFolder, secrets),
      BILLER_URL: urlOf('BILLER_PORT'),
    }),
  },
] as const satisfies readonly Row[];

/** Ports of what is no service of ours. */
const OTHER_PORTS = {
  MONGODB_PORT: { standard: 27_027, purpose: 'MongoDB' },
  NATS_PORT: { standard: 4_223, purpose: 'NATS' },
  NATS_CLUSTER_PORT: { standard: 6_223, purpose: 'NATS servers among each other, with --replicas' },
} as const;

/** Where everything listens that has no replicas. */
const HOST = '127.0.0.1';

type Service = (typeof SERVICES)[number];
type RpcService = Extract<Service, { rpcPort: number }>;

/** A name as variables begin with it: MONEY_OUT. */
type Prefix<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${Prefix<Tail>}`
  : Uppercase<Name>;

export type ServiceName = Service['name'];
/** Services with a gRPC listener. */
export type RpcServiceName = RpcService['name'];
/** Services that publish events. */
export type EventOwner = Extract<Service, { aggregates: readonly string[] }>['name'];

/** The keys of each type of a union. */
type KeyOf<T> = T extends T ? keyof T : never;

/** The variable that moves a port, which is the port's name. */
export type PortName =
  | `${Prefix<ServiceName>}_ADMIN_PORT`
  | `${Prefix<RpcServiceName>}_RPC_PORT`
  | KeyOf<Extract<Service, { listens: object }>['listens']>
  | keyof typeof OTHER_PORTS;
export type Ports = Record<PortName, number>;

const ROWS: readonly Row[] = SERVICES;

/** Every port of the system, by the variable that moves it. By its making it has the keys that `PortName` says. */
export const PORTS = Object.fromEntries([...ROWS.flatMap(portsOf), ...Object.entries(OTHER_PORTS)]) as Record<PortName, Port>;

/**
 * The services that others call by gRPC: the variable by which they find each, and where it is. `hostOf` gives the host of a
 * service, for one with instances all of theirs.
 */
export function peersOf(
  ports: Ports,
  hostsOf: (service: RpcServiceName, hasInstances: boolean) => string[] = () => [HOST],
): Peer[] {
  const services = SERVICES.filter((row): row is RpcService => 'rpcPort' in row);
  return services.map(({ name, ...row }) => {
    const hasInstances = 'hasInstances' in row;
    const port = portIn(ports, `${prefixOf(name)}_RPC_PORT`);
    return {
      service: name,
      variable: `${prefixOf(name)}_RPC`,
      address: hostsOf(name, hasInstances)
        .map((host) => `${host}:${port}`)
        .join(','),
      hasInstances,
      publishesEvents: 'aggregates' in row,
    };
  });
}

export type Peer = {
  service: RpcServiceName;
  variable: string;
  address: string;
  hasInstances: boolean;
  publishesEvents: boolean;
};

/** Which service publishes the events of an aggregate, by the name of its collection. */
export const EVENT_OWNERS: ReadonlyMap<string, EventOwner> = new Map(
  SERVICES.flatMap((row) => ('aggregates' in row ? row.aggregates.map((aggregate) => [aggregate, row.name] as const) : [])),
);

/** All variables that a row gives its service: what it listens on, at `host`, and its own. */
export function environmentOf(row: Row, setup: Omit<Setup, 'urlOf'> & { ports: Ports }, host = HOST): Record<string, string> {
  const { ports } = setup;
  const prefix = prefixOf(row.name);
  const listens = listenersOf(row).flatMap(({ variable, name }) => [
    [`${variable}_PORT`, String(portIn(ports, name))],
    ...(host === HOST ? [] : [[`${variable}_HOST`, host]]),
  ]);
  return {
    ADMIN_PORT: String(portIn(ports, `${prefix}_ADMIN_PORT`)),
    ...(host === HOST ? {} : { ADMIN_HOST: host }),
    ...Object.fromEntries(listens),
    ...row.env?.({ ...setup, urlOf: (port) => `http://${HOST}:${portIn(ports, port)}` }),
  };
}

/** The ports on which a service answers others, without that of its probes. */
export function answeringPorts(row: Row, ports: Ports): number[] {
  return listenersOf(row).map(({ name }) => portIn(ports, name));
}

/** Its listeners: what their variables begin with in the service, and the launcher's name of the port. */
function listenersOf(row: Row): { variable: string; name: string }[] {
  const rpc = row.rpcPort === undefined ? [] : [{ variable: 'RPC', name: `${prefixOf(row.name)}_RPC_PORT` }];
  return [...rpc, ...Object.keys(row.listens ?? {}).map((name) => ({ variable: name.replace(/_PORT$/, ''), name }))];
}

function portsOf({ name, adminPort, rpcPort, listens }: Row): [string, Port][] {
  const prefix = prefixOf(name);
  const admin: Port = { standard: adminPort, purpose: `probes and metrics of ${name}` };
  const rpc: [string, Port][] =
    rpcPort === undefined ? [] : [[`${prefix}_RPC_PORT`, { standard: rpcPort, purpose: `${name} service` }]];
  return [[`${prefix}_ADMIN_PORT`, admin], ...rpc, ...Object.entries(listens ?? {})];
}

function portIn(ports: Readonly<Record<string, number>>, name: string): number {
  const port = ports[name];
  if (port === undefined) throw new Error(`there is no port ${name}`);
  return port;
}

/** A name as variables begin with it: MONEY_OUT. */
function prefixOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
