import { setTimeout as sleep } from 'node:timers/promises';
import { create, type DescMethod, type DescService, fromBinary, toBinary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { RefusalError, refuse } from '@gerbang/core';
import { type Closeable, currentTraceparent, withSpan } from '@gerbang/runtime';
import { Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { toRefusalError } from './refusal-status.ts';
import { type CallOptions, methodPath, type RpcClient } from './service-types.ts';
import { channelCredentials, type TlsFiles } from './tls.ts';

const TIMEOUT_MS = 5_000;
const RETRY_FIRST_MS = 25;
const RETRY_MAX_MS = 400;
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/** A connection to one service, which all clients of that service share. */
export type RpcChannel = Closeable & { client<S extends DescService>(desc: S): RpcClient<S> };

/**
 * Opens a channel to `host:port`; it connects on first use and again whenever the other side comes back.
 * Calls have a deadline (5 s unless told). Methods marked idempotent in their contract are tried again within it while the service is unavailable;
 * others never are.
 */
export function openChannel(options: { address: string; tls: TlsFiles | undefined; timeoutMs?: number }): RpcChannel {
  const transport = new Client(options.address, channelCredentials(options.tls), {
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.min_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 500,
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.keepalive_time_ms': 20_000,
    'grpc.keepalive_timeout_ms': 5_000,
  });
  const defaultTimeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  return {
    client<S extends DescService>(desc: S): RpcClient<S> {
      const methods = desc.methods.map((method) => [
        method.localName,
        (request: Record<string, unknown>, call: CallOptions = {}) =>
          callWithRetries(transport, method, request, call, defaultTimeoutMs),
      ]);
      return Object.fromEntries(methods) as RpcClient<S>;
    },
    async close() {
      transport.close();
    },
  };
}

async function callWithRetries(
  transport: Client,
  method: DescMethod,
  init: Record<string, unknown>,
  options: CallOptions,
  defaultTimeoutMs: number,
): Promise<object> {
  const request = Buffer.from(toBinary(method.input, create(method.input, init)));
  const deadlineMs = Date.now() + (options.timeoutMs ?? defaultTimeoutMs);
  const again = options.retry !== false && method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
  const path = methodPath(method);
  return withSpan(path, { kind: 'CLIENT' }, async () => {
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      try {
        return await callOnce(transport, path, method, request, deadlineMs, options.signal);
      } catch (error) {
        const refused = toRefusalError(error as ServiceError);
        const pauseMs = waitMs * (0.5 + Math.random());
        // A refusal that travels under the same status, such as vendor_inactive, is an answer and not a failure of the road.
        const retriable =
          again && (error as ServiceError).code === status.UNAVAILABLE && refused.refusal.refused === 'unavailable';
        if (!retriable || Date.now() + pauseMs >= deadlineMs) throw refused;
        await sleep(pauseMs, undefined, options.signal === undefined ? {} : { signal: options.signal }).catch(() => {
          throw new RefusalError(refuse('timeout'), error);
        });
      }
    }
  });
}

function callOnce(
  transport: Client,
  path: string,
  method: DescMethod,
  request: Buffer,
  deadlineMs: number,
  signal: AbortSignal | undefined,
): Promise<object> {
  return new Promise((resolve, reject) => {
    const metadata = new Metadata();
    const traceparent = currentTraceparent();
    if (traceparent !== '') metadata.set('traceparent', traceparent);
    const call = transport.makeUnaryRequest(
      path,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => fromBinary(method.output, bytes),
      request,
      metadata,
      { deadline: deadlineMs },
      (error, answer) => {
        signal?.removeEventListener('abort', cancel);
        if (error !== null) reject(error);
        else if (answer === undefined) reject(new Error(`${path} answered nothing`));
        else resolve(answer);
      },
    );
    const cancel = () => call.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
  });
}
