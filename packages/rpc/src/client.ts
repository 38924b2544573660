import { setTimeout as sleep } from 'node:timers/promises';
import { create, type DescMethod, type DescService, fromBinary, toBinary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { RefusalError, refuse } from '@gerbang/core';
import { type Closeable, currentTraceparent, type Logger, type Registry, type SpanOptions, withSpan } from '@gerbang/runtime';
import { status } from '@grpc/grpc-js';
import type { Span } from '@opentelemetry/api';
import type { TlsFiles } from './certificate-files.ts';
import { type Lookup, parseAddress } from './lanes/address.ts';
import { LanePool } from './lanes/lane-pool.ts';
import type { LostLane } from './lanes/losses.ts';
import { type ClientMetrics, clientMetricsOf } from './metrics.ts';
import { CallError, toRefusal, toRefusalError } from './refusal-status.ts';
import { type Authorize, type CallOptions, methodPath, type RpcClient } from './service-types.ts';
import { endSpan, spanAttributes, spanName } from './spans.ts';

const TIMEOUT_MS = 5_000;
const RETRY_FIRST_MS = 25;
const RETRY_MAX_MS = 400;
/** A try with less time than this would hardly be answered: what is known of the call would become a timeout. */
const TRY_MIN_MS = 100;

/** The way to one service, which all clients of that service share. */
export type RpcChannel = Closeable & {
  /** With `authorize` every attempt at a call carries what that gives for it, and only reads are tried again. */
  client<S extends DescService>(desc: S, options?: { authorize: Authorize }): RpcClient<S>;
};

/**
 * Opens a channel to the service at `host:port`, to all replicas that the name resolves to; it connects on first use and again
 * whenever a replica comes back. Calls have a deadline (5 s unless told). Methods marked idempotent in their contract are tried
 * again within it while the service is unavailable; others never are. Closing waits for the calls under way. `lookup` replaces
 * the system's resolver in tests; `metrics` is where the channel's metrics are registered (README.md); `log` gets a line for each
 * lane that is lost.
 */
export function openChannel(options: {
  address: string;
  tls: TlsFiles | undefined;
  timeoutMs?: number;
  lookup?: Lookup;
  metrics?: Registry;
  log?: Logger;
}): RpcChannel {
  const server = parseAddress(options.address);
  const metrics = options.metrics === undefined ? undefined : clientMetricsOf(options.metrics);
  const watched = metrics?.watch({
    target: options.address,
    get inFlight() {
      return pool.inFlight;
    },
    get openLanes() {
      return pool.openLanes;
    },
  });
  const pool = new LanePool(options, {
    lost(lane) {
      watched?.lost(lane.loss);
      if (options.log !== undefined && lane.isNews) logLost(options.log, options.address, lane);
    },
    refused: (why) => watched?.refused(why),
  });
  const defaultTimeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const clients = new Map<DescService, object>();
  const createClient = (desc: DescService, authorize?: Authorize): object => {
    const methods = desc.methods.map((method) => {
      const called = { ...describe(method, server, metrics), again: mayRepeat(method, authorize !== undefined), authorize };
      return [
        method.localName,
        (request: Record<string, unknown>, call: CallOptions = {}) =>
          callWithRetries(pool, called, request, call, defaultTimeoutMs),
      ];
    });
    return Object.fromEntries(methods);
  };
  return {
    client<S extends DescService>(desc: S, options?: { authorize: Authorize }): RpcClient<S> {
      if (options !== undefined) return createClient(desc, options.authorize) as RpcClient<S>;
      const client = clients.get(desc) ?? createClient(desc);
      clients.set(desc, client);
      return client as RpcClient<S>;
    },
    async close() {
      await pool.close();
      watched?.close();
    },
  };
}

/** Where services start together, one that is not there yet is nothing to worry about. */
function logLost(log: Logger, target: string, { address, loss, reason, failed }: LostLane): void {
  if (loss === 'not_opened') log.info({ target, address, reason }, 'a replica cannot be reached');
  else log.warn({ target, address, loss, reason, failed_calls: failed }, 'a lane is lost');
}

type CalledMethod = {
  desc: DescMethod;
  path: string;
  /** Whether it may be tried again. */
  again: boolean;
  span: string;
  spanOptions: SpanOptions;
  metrics: ClientMetrics | undefined;
  authorize?: Authorize | undefined;
};

/**
 * Whether the method's contract allows to repeat it. An authorized command is given once for each authorization: its repetition
 * would be a command of its own, which may need a second operator anew.
 */
function mayRepeat({ idempotency }: DescMethod, isAuthorized: boolean): boolean {
  if (isAuthorized) return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

function describe(
  desc: DescMethod,
  server: { host: string; port: number },
  metrics: ClientMetrics | undefined,
): Omit<CalledMethod, 'again'> {
  return {
    desc,
    path: methodPath(desc),
    span: spanName(desc),
    spanOptions: { kind: 'CLIENT', attributes: spanAttributes(desc, server) },
    metrics,
  };
}

function callWithRetries(
  pool: LanePool,
  method: CalledMethod,
  init: Record<string, unknown>,
  options: CallOptions,
  defaultTimeoutMs: number,
): Promise<object> {
  const deadlineMs = performance.now() + (options.timeoutMs ?? defaultTimeoutMs);
  return withSpan(method.span, method.spanOptions, (span) => tryUntil(deadlineMs, pool, method, init, options, span));
}

async function tryUntil(
  deadlineMs: number,
  pool: LanePool,
  method: CalledMethod,
  init: Record<string, unknown>,
  options: CallOptions,
  span: Span,
): Promise<object> {
  const request = toBinary(method.desc.input, create(method.desc.input, init));
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
    try {
      const answer = readAnswer(method, await callOnce(pool, method, request, deadlineMs, options));
      ended(status.OK, method, span);
      return answer;
    } catch (error) {
      const pauseMs = waitMs * (0.5 + Math.random());
      if (options.retry === false || !mayTryAgain(error, method) || performance.now() + pauseMs + TRY_MIN_MS >= deadlineMs)
        throw failed(error, method, span);
      await pause(pauseMs, options.signal);
    }
  }
}

function readAnswer(method: CalledMethod, answer: Uint8Array): object {
  try {
    return fromBinary(method.desc.output, answer);
  } catch (error) {
    throw new CallError(
      { code: status.INTERNAL, message: `${method.path}: the answer cannot be read`, detail: undefined },
      error,
    );
  }
}

/** A refusal that travels under the same status, such as vendor_inactive, is an answer and no transport error. */
function mayTryAgain(error: unknown, method: CalledMethod): boolean {
  if (!method.again || !(error instanceof CallError) || error.code !== status.UNAVAILABLE) return false;
  return toRefusal(error).refused === 'unavailable';
}

function failed(error: unknown, method: CalledMethod, span: Span): unknown {
  if (!(error instanceof CallError)) return error;
  ended(error.code, method, span);
  return toRefusalError(error);
}

function ended(code: status, method: CalledMethod, span: Span): void {
  endSpan(span, 'CLIENT', code);
  method.metrics?.answered(method.path, code);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    throw new RefusalError(refuse('timeout'), error);
  });
}

function callOnce(
  pool: LanePool,
  { path, authorize }: CalledMethod,
  request: Uint8Array,
  deadlineMs: number,
  { signal }: CallOptions,
): Promise<Uint8Array> {
  const start = (authorization: string): Promise<Uint8Array> => {
    const call = pool.start({ path, request, traceparent: currentTraceparent(), authorization, deadlineMs });
    if (signal === undefined) return call.answer;
    const cancel = () => pool.cancel(call);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    return call.answer.finally(() => signal.removeEventListener('abort', cancel));
  };
  return authorize === undefined ? start('') : authorize({ method: path, request }).then(start);
}
