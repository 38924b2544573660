import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { addressesOf, NATS_SERVERS, nameOf } from './cluster/addresses.ts';
import type { Route } from './cluster/balancer.ts';
import { NODE_FLAGS, type ProcessSpec, type TableOptions } from './process-spec.ts';
import { answeringPorts, environmentOf, peersOf, SERVICES } from './services.ts';
import { mongodb, mongodbUriOf, natsServers, natsUrlOf } from './stores.ts';

/** Several of the balancer's looks at a probe. */
const DRAIN_DELAY_MS = 500;

/** Every process of a sandbox on one machine, as data. */
export function processTable(options: TableOptions): ProcessSpec[] {
  return [
    ...(options.mongodbUri === undefined ? [mongodb(options)] : []),
    ...(options.natsUrl === undefined ? natsServers(options) : []),
    ...SERVICES.flatMap((row) => processesOf(row, options)),
    ...(options.replicas > 1 ? [balancer(options)] : []),
  ];
}

type Row = (typeof SERVICES)[number];

/** The replicas of a service: `edge`, or `edge-1`, `edge-2`. */
function processesOf(row: Row, options: TableOptions): ProcessSpec[] {
  const common = environmentOfAll(options);
  return hostsOf(row, options).map((host, i, hosts): ProcessSpec => {
    const env = environmentOf(row, options, host);
    return {
      name: hosts.length === 1 ? row.name : `${row.name}-${i + 1}`,
      command: process.execPath,
      args: [...NODE_FLAGS, ...clusterFlags(options), path.join(options.root, 'services', row.name, 'src/main.ts')],
      env: { ...common, ...env, ...options.env, ...options.envOf?.(row.name) },
      stage: 'services',
      ready: { http: probeOf(env, host) },
    };
  });
}

/** The simulator is the banks' side: there is one. */
function hostsOf(row: Row, { replicas }: TableOptions): string[] {
  return replicas === 1 || row.name === 'simulator' ? ['127.0.0.1'] : addressesOf(replicas);
}

function probeOf(env: Record<string, string>, host: string): string {
  return `http://${host}:${env.ADMIN_PORT}/readyz`;
}

/** Names of services resolve to the addresses of all their replicas. */
function clusterFlags({ root, ports, replicas }: TableOptions): string[] {
  if (replicas === 1) return [];
  const hosts = pathToFileURL(path.join(root, 'launcher/cluster/hosts.mjs'));
  for (const { service } of peersOf(ports)) {
    for (const address of addressesOf(replicas)) hosts.searchParams.append(nameOf(service), address);
  }
  return ['--import', hosts.href];
}

/** Hands what comes to 127.0.0.1 to the replicas. */
function balancer(options: TableOptions): ProcessSpec {
  const routes = SERVICES.filter(({ name }) => name !== 'simulator').flatMap((row): Route[] => {
    const targets = hostsOf(row, options).map((host) => ({ host, probe: probeOf(environmentOf(row, options, host), host) }));
    return answeringPorts(row, options.ports).map((port) => ({ port, targets }));
  });
  return {
    name: 'balancer',
    command: process.execPath,
    args: [...NODE_FLAGS, path.join(options.root, 'launcher/cluster/main.ts'), JSON.stringify(routes)],
    env: {},
    stage: 'services',
    ready: { tcp: options.ports.EDGE_PORT },
  };
}

/** The variables of every service: where the database, NATS, the clock and the other services are. */
function environmentOfAll(options: TableOptions): Record<string, string> {
  const { ports, replicas } = options;
  const peers = peersOf(ports, (service, hasInstances) => {
    if (replicas === 1) return ['127.0.0.1'];
    return hasInstances ? addressesOf(replicas) : [nameOf(service)];
  });
  const sources = peers.filter(({ publishesEvents }) => publishesEvents);
  return {
    GERBANG_ENV: 'sandbox',
    MONGODB_URI: mongodbUriOf(options),
    NATS_URL: natsUrlOf(options),
    SANDBOX_CLOCK_URL: `http://127.0.0.1:${ports.SIMULATOR_PORT}/sandbox/clock`,
    EVENT_SOURCES: sources.map(({ service, address }) => `${service}=${address}`).join(','),
    ...Object.fromEntries(peers.map(({ variable, address }) => [variable, address])),
    ...(replicas > 1 && {
      REPLICAS: String(replicas),
      // A NATS that was given may be a single server.
      ...(options.natsUrl === undefined && { STREAM_REPLICAS: String(NATS_SERVERS) }),
      DRAIN_DELAY_MS: String(DRAIN_DELAY_MS),
    }),
  };
}
