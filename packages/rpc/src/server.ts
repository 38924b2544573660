import { create, type DescMethod, type DescService, fromBinary, toBinary } from '@bufbuild/protobuf';
import { RefusalError, refuse } from '@gerbang/core';
import { Health, HealthCheckResponse_ServingStatus } from '@gerbang/proto/grpc/health/v1/health';
import { type Closeable, contextFrom, type Logger, withSpan } from '@gerbang/runtime';
import { type handleUnaryCall, Server, type ServerUnaryCall, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { toStatus } from './refusal-status.ts';
import { type CallContext, type Handlers, methodPath } from './service-types.ts';
import { serverCredentials, type TlsFiles } from './tls.ts';

/** Calls that may run at once; one more is refused fast, so that a flood grows no queue. */
const IN_FLIGHT_MAX = 4_000;
const DRAIN_MS = 15_000;

/** Who may call a method when certificates are configured: names of services, by the certificates' common names. */
export type Callers = readonly string[];

/** A service with its handlers, ready for `startRpcServer`. */
export type Implementation = {
  desc: DescService;
  handlers: Record<string, UntypedHandler>;
  callers: (method: string) => Callers;
};

type UntypedHandler = (request: never, context: CallContext) => Promise<unknown>;

/**
 * Binds handlers to a service. `callers` lists who may call each method (or all of them); it is enforced when TLS is configured.
 */
export function implement<S extends DescService>(
  desc: S,
  handlers: Handlers<S>,
  callers: Callers | Record<keyof S['method'] & string, Callers>,
): Implementation {
  const list = (method: string): Callers => {
    if (Array.isArray(callers)) return callers;
    return (callers as Record<string, Callers>)[method] ?? [];
  };
  return { desc, handlers, callers: list };
}

export type RpcServer = Closeable & { port: number };

/** Starts the service's gRPC listener, with health checks that follow `ready`. Closing finishes the calls in flight. */
export async function startRpcServer(options: {
  host: string;
  port: number;
  tls: TlsFiles | undefined;
  log: Logger;
  implementations: Implementation[];
  ready: () => boolean;
}): Promise<RpcServer> {
  const server = new Server({ 'grpc.max_receive_message_length': 4 * 1024 * 1024 });
  const load = { inFlight: 0 };
  const health = implement(
    Health,
    {
      check: async () => ({
        status: options.ready() ? HealthCheckResponse_ServingStatus.SERVING : HealthCheckResponse_ServingStatus.NOT_SERVING,
      }),
    },
    [],
  );
  for (const implementation of [...options.implementations, health]) {
    const definition: Record<string, object> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const method of implementation.desc.methods) {
      const handler = implementation.handlers[method.localName];
      if (handler === undefined) throw new Error(`${implementation.desc.typeName} has no handler for ${method.name}`);
      definition[method.localName] = definitionOf(method);
      const allowed =
        options.tls === undefined || implementation.desc === Health ? undefined : implementation.callers(method.localName);
      handlers[method.localName] = unary(method, handler, { allowed, load, log: options.log });
    }
    server.addService(definition as Parameters<Server['addService']>[0], handlers);
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, serverCredentials(options.tls), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, close: () => drain(server) };
}

type Guard = { allowed: Callers | undefined; load: { inFlight: number }; log: Logger };

function unary(method: DescMethod, handler: UntypedHandler, guard: Guard): handleUnaryCall<unknown, unknown> {
  const path = methodPath(method);
  return (call, callback) => {
    const refused = admit(call, guard);
    if (refused !== undefined) return callback(toStatus(refused.refusal), null);
    guard.load.inFlight++;
    const aborter = new AbortController();
    call.on('cancelled', () => aborter.abort());
    const parent = contextFrom(String(call.metadata.get('traceparent')[0] ?? ''));
    withSpan(path, { kind: 'SERVER', parent }, async () => {
      try {
        const answer = await handler(call.request as never, { signal: aborter.signal, caller: callerOf(call) });
        callback(null, create(method.output, answer as Record<string, unknown>));
      } catch (error) {
        if (error instanceof RefusalError) return callback(toStatus(error.refusal), null);
        guard.log.error({ err: error, method: path }, 'a call failed');
        callback(toStatus(refuse('internal')), null);
      }
    }).finally(() => {
      guard.load.inFlight--;
    });
  };
}

function admit(call: ServerUnaryCall<unknown, unknown>, guard: Guard): RefusalError | undefined {
  if (guard.load.inFlight >= IN_FLIGHT_MAX) return new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
  if (guard.allowed === undefined) return undefined;
  const caller = callerOf(call);
  if (caller !== undefined && guard.allowed.includes(caller)) return undefined;
  guard.log.warn({ caller, method: call.getPath() }, 'a service called what it may not');
  return new RefusalError(refuse('forbidden'));
}

function callerOf(call: ServerUnaryCall<unknown, unknown>): string | undefined {
  const name = call.getAuthContext()?.sslPeerCertificate?.subject.CN;
  return typeof name === 'string' ? name : undefined;
}

function definitionOf(method: DescMethod): object {
  return {
    path: methodPath(method),
    requestStream: false,
    responseStream: false,
    requestDeserialize: (bytes: Buffer) => fromBinary(method.input, bytes),
    requestSerialize: () => Buffer.alloc(0),
    responseDeserialize: () => undefined,
    responseSerialize: (message: never) => Buffer.from(toBinary(method.output, message)),
  };
}

async function drain(server: Server): Promise<void> {
  const force = setTimeout(() => server.forceShutdown(), DRAIN_MS);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(force);
}
