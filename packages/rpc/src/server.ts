import { RefusalError, refuse } from '@gerbang/core';
import { LaneService } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { Health, HealthCheckResponse_ServingStatus } from '@gerbang/proto/grpc/health/v1/health';
import { type Closeable, type Logger, type Registry, securityEventsOf } from '@gerbang/runtime';
import { Server } from '@grpc/grpc-js';
import { Admission } from './admission.ts';
import type { TlsFiles } from './certificate-files.ts';
import { Dispatcher } from './dispatcher.ts';
import { type Implementation, implement } from './implementation.ts';
import { FLOW_WINDOW_BYTES, MESSAGE_BYTES_MAX } from './lanes/frames.ts';
import { serveLanes } from './lanes/lane-server.ts';
import { createServerMetrics } from './metrics.ts';
import { serveReflection } from './reflection.ts';
import type { Handlers } from './service-types.ts';
import { serverCredentials } from './tls.ts';
import { serveUnary } from './unary-server.ts';

/** Shorter than a service waits for one step of its closing: what its handlers use is closed only after them. */
const DRAIN_MS = 9_000;

export type RpcServer = Closeable & { port: number };

/**
 * Starts the service's gRPC listener: our own services call over lanes, others by plain unary calls, on one port, with server
 * reflection, and with health checks that follow `ready`. Closing sends new calls elsewhere and finishes those in flight.
 */
export async function startRpcServer(options: {
  host: string;
  port: number;
  tls: TlsFiles | undefined;
  log: Logger;
  implementations: Implementation[];
  ready: () => boolean;
  /** Calls that may run at once, over all callers; one more is refused fast. */
  inFlightMax?: number;
  /** Bytes that the requests of all running calls may have; one more is refused fast. */
  requestBytesMax?: number;
  /** Where the server's metrics are registered (README.md). */
  metrics?: Registry;
}): Promise<RpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc-node.flow_control_window': FLOW_WINDOW_BYTES,
    // A client whose host is gone says nothing; its lanes are closed when it does not answer this.
    'grpc.keepalive_time_ms': 20_000,
    'grpc.keepalive_timeout_ms': 5_000,
  });
  const implementations = [...options.implementations, healthOf(options.implementations, options.ready)];
  const admission = new Admission(options);
  const load = {
    inFlight: () => admission.inFlight,
    requestBytes: () => admission.requestBytes,
    lanes: (): number => lanes.open(),
  };
  const dispatcher = new Dispatcher({
    implementations,
    trustDomain: options.tls?.trustDomain,
    admission,
    log: options.log,
    metrics: options.metrics === undefined ? undefined : createServerMetrics(options.metrics, load),
    security: options.metrics === undefined ? undefined : securityEventsOf(options.metrics, options.log),
  });
  serveUnary(server, implementations, dispatcher);
  const lanes = serveLanes(server, dispatcher);
  serveReflection(server, [...implementations.map(({ desc }) => desc), LaneService], options.tls?.trustDomain);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, serverCredentials(options.tls, options.log), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    port,
    async close() {
      lanes.goAway();
      await drain(server);
      lanes.close();
    },
  };
}

/**
 * Health checks are open to every caller that can connect. They ask about the whole server, with an empty name, or about a
 * service of it; all are as ready as the process.
 */
function healthOf(implementations: readonly Implementation[], ready: () => boolean): Implementation {
  const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
  const known = new Set(['', ...implementations.map(({ desc }) => desc.typeName)]);
  const check: Handlers<typeof Health>['check'] = async ({ service }) => {
    if (!known.has(service)) throw new RefusalError(refuse('not_found'));
    return { status: ready() ? SERVING : NOT_SERVING };
  };
  return { ...implement(Health, { check }, []), callers: () => undefined };
}

async function drain(server: Server): Promise<void> {
  const force = setTimeout(() => server.forceShutdown(), DRAIN_MS);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(force);
}
