import { openLedgerChannel } from '@gerbang/neighbours';
import {
  type Implementation,
  openChannel as openRpcChannel,
  type RpcChannel,
  type RpcServer,
  startRpcServer,
  type TlsFiles,
} from '@gerbang/rpc';
import { refusingWithoutDatabase, type WatchedStore } from './database-refusals.ts';
import type { CommonConfig, Foundation } from './foundation.ts';
import { answers, startProbes } from './listen.ts';

/** What a service that calls others is configured by: `tlsShape`, read by `tlsFromConfig`. */
export type CallerConfig = { tls: TlsFiles | undefined };

/** Opens the way to another service; `peer` is its name, `address` host:port. */
export function openChannel(foundation: Foundation<CallerConfig>, peer: string, address: string): RpcChannel {
  const { config, log, registry, closing } = foundation;
  const channel = openRpcChannel({ address, tls: config.tls, metrics: registry, log });
  closing.push(`${peer} channel`, () => channel.close());
  return channel;
}

/** Opens the way to the ledger, whose partitions are spread over several instances. */
export function openLedger({ config, log, registry, closing }: Foundation<CallerConfig & { LEDGER_RPC: string[] }>): RpcChannel {
  const channel = openLedgerChannel({ addresses: config.LEDGER_RPC, tls: config.tls, metrics: registry, log });
  closing.push('ledger channel', () => channel.close());
  return channel;
}

/** What a service that listens for gRPC is configured by: `rpcShape` and its RPC_PORT. */
export type RpcConfig = { RPC_HOST: string; RPC_PORT: number; tls: TlsFiles | undefined };

/** Where a service with a gRPC listener answers. */
export type Served = { port: number; adminPort: number };

/**
 * Starts the gRPC listener, then probes and metrics; both are the last that a service opens. It is ready while its database
 * answers.
 */
export async function serveRpc(
  foundation: Foundation<CommonConfig & RpcConfig>,
  { implementations, store }: { implementations: Implementation[]; store: WatchedStore },
): Promise<Served> {
  const rpc = await startRpc(foundation, { implementations, store });
  const admin = await startProbes(foundation, answers(store));
  foundation.log.info({ port: rpc.port }, 'ready');
  return { port: rpc.port, adminPort: admin.port };
}

/**
 * Starts only the gRPC listener. Calls that fail because the database is away are refused with `unavailable`. `isReady` is what its
 * health checks say.
 */
export async function startRpc(
  { config, log, registry, closing }: Foundation<RpcConfig>,
  options: { implementations: Implementation[]; store: WatchedStore; isReady?: () => boolean },
): Promise<RpcServer> {
  const { implementations, store, isReady = () => true } = options;
  const rpc = await startRpcServer({
    host: config.RPC_HOST,
    port: config.RPC_PORT,
    tls: config.tls,
    log,
    implementations: implementations.map((implementation) => refusingWithoutDatabase(implementation, { store, log })),
    metrics: registry,
    ready: isReady,
  });
  closing.push('rpc', () => rpc.close());
  return rpc;
}
