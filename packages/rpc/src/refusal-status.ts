import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describeRefusal, isRefusalCode, type Refusal, RefusalError, refuse } from '@gerbang/core';
import { RefusalSchema } from '@gerbang/proto/gerbang/rpc/v1/refusal';
import { status } from '@grpc/grpc-js';

/** By the HTTP status on v1 routes, which tells more refusals apart than the one that comes with a v2 code. */
const statusOfHttp: Record<number, status> = {
  400: status.FAILED_PRECONDITION,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  405: status.UNIMPLEMENTED,
  409: status.ALREADY_EXISTS,
  413: status.INVALID_ARGUMENT,
  422: status.INVALID_ARGUMENT,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
  504: status.DEADLINE_EXCEEDED,
};

/** A failed call as gRPC tells it; `detail` is a Refusal message, in bytes, where a handler or a guard refused. */
export type Failure = { code: status; message: string; detail: Uint8Array | undefined };

/** A refusal as gRPC carries it: the status nearest in meaning, with the refusal itself. `code` overrides the status. */
export function toFailure(refusal: Refusal, code?: status): Failure {
  const detail = create(RefusalSchema, {
    code: refusal.refused,
    message: refusal.message,
    violations: Object.entries(refusal.errors ?? {}).map(([field, messages]) => ({ field, messages })),
    echo: refusal.echo ?? {},
    retryAfterMs: BigInt(refusal.retryAfterMs ?? 0),
    replayed: refusal.replayed ?? false,
    owner: refusal.owner ?? '',
  });
  return {
    code: code ?? statusOf(refusal),
    message: refusal.refused,
    detail: toBinary(RefusalSchema, detail),
  };
}

function statusOf({ refused }: Refusal): status {
  if (refused === 'overloaded') return status.RESOURCE_EXHAUSTED;
  return statusOfHttp[describeRefusal(refused).v1Http] ?? status.INTERNAL;
}

/** A message above the limit: it is never tried again, although gRPC's code suggests it. */
export function tooLarge(message: string): Failure {
  return { ...toFailure(refuse('internal'), status.RESOURCE_EXHAUSTED), message };
}

/** A call that failed, on the side of the caller. A refusal that came with it and cannot be read is its cause. */
export class CallError extends Error {
  readonly code: status;
  /** The server's own refusal; undefined where there is none, or one that this version does not know or cannot read. */
  readonly refusal: Refusal | undefined;

  constructor({ code, message, detail }: Failure, cause?: unknown) {
    const { refusal, unreadable } = detail === undefined ? NO_REFUSAL : readRefusal(detail);
    super(`${code} ${status[code] ?? 'unknown status'}: ${message}`, { cause: unreadable ?? cause });
    this.name = 'CallError';
    this.code = code;
    this.refusal = refusal;
  }
}

/** A failed call as the refusal that it means, with the call's own error as the cause. */
export function toRefusalError(error: CallError): RefusalError {
  return new RefusalError(toRefusal(error), error);
}

/**
 * Whether a server could not do any request: it is full, lacks something that it needs, or is at
 * fault. Refusals that lie in the request, such as vendor_inactive, may travel under the same status and are none of this.
 */
export function wasUnable(error: CallError): boolean {
  const { refused } = toRefusal(error);
  return refused === 'overloaded' || refused === 'unavailable' || refused === 'internal';
}

/**
 * What a failed call means: the handler's own refusal where it came with one, else a transport error (unavailable, overloaded,
 * timeout, internal).
 */
export function toRefusal({ refusal, code }: CallError): Refusal {
  if (refusal !== undefined) return refusal;
  switch (code) {
    case status.RESOURCE_EXHAUSTED:
      return refuse('overloaded', { retryAfterMs: 1_000 });
    case status.UNAVAILABLE:
      return refuse('unavailable', { retryAfterMs: 1_000 });
    case status.DEADLINE_EXCEEDED:
    case status.CANCELLED:
      return refuse('timeout');
    default:
      return refuse('internal');
  }
}

type Read = { refusal?: Refusal; unreadable?: Error };

const NO_REFUSAL: Read = {};

/** No refusal where the code is none of our catalogue, as a newer service's may be, or the bytes are no Refusal. */
function readRefusal(detail: Uint8Array): Read {
  try {
    const { code, message, violations, echo, retryAfterMs, replayed, owner } = fromBinary(RefusalSchema, detail);
    if (!isRefusalCode(code)) return NO_REFUSAL;
    const refusal: Refusal = {
      refused: code,
      message,
      ...(violations.length > 0 && { errors: Object.fromEntries(violations.map((v) => [v.field, v.messages])) }),
      ...(Object.keys(echo).length > 0 && { echo }),
      ...(retryAfterMs > 0n && { retryAfterMs: Number(retryAfterMs) }),
      ...(replayed && { replayed }),
      ...(owner !== '' && { owner }),
    };
    return { refusal };
  } catch (error) {
    return { unreadable: new Error('its refusal cannot be read', { cause: error }) };
  }
}
