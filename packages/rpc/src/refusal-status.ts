import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describeRefusal, isRefusalCode, type Refusal, RefusalError, refuse } from '@gerbang/core';
import { RefusalSchema } from '@gerbang/proto/gerbang/rpc/v1/refusal';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

const DETAIL_KEY = 'gerbang-refusal-bin';

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

/** A refusal as gRPC carries it: the status nearest in meaning, and the refusal itself in the trailers. */
export function toStatus(refusal: Refusal): { code: status; details: string; metadata: Metadata } {
  const detail = create(RefusalSchema, {
    code: refusal.refused,
    message: refusal.message,
    violations: Object.entries(refusal.errors ?? {}).map(([field, messages]) => ({ field, messages })),
    echo: refusal.echo ?? {},
    retryAfterMs: BigInt(refusal.retryAfterMs ?? 0),
    replayed: refusal.replayed ?? false,
    owner: refusal.owner ?? '',
  });
  const metadata = new Metadata();
  metadata.set(DETAIL_KEY, Buffer.from(toBinary(RefusalSchema, detail)));
  return { code: statusOfHttp[describeRefusal(refusal.refused).v1Http] ?? status.INTERNAL, details: refusal.refused, metadata };
}

/** What a failed call means: the handler's own refusal where it came with one, else what the road says (unavailable, timeout, internal). */
export function toRefusalError(error: ServiceError): RefusalError {
  const detail = error.metadata?.get(DETAIL_KEY)[0];
  if (Buffer.isBuffer(detail)) {
    const { code, message, violations, echo, retryAfterMs, replayed, owner } = fromBinary(RefusalSchema, detail);
    if (isRefusalCode(code)) {
      return new RefusalError(
        {
          refused: code,
          message,
          ...(violations.length > 0 && { errors: Object.fromEntries(violations.map((v) => [v.field, v.messages])) }),
          ...(Object.keys(echo).length > 0 && { echo }),
          ...(retryAfterMs > 0n && { retryAfterMs: Number(retryAfterMs) }),
          ...(replayed && { replayed }),
          ...(owner !== '' && { owner }),
        },
        error,
      );
    }
  }
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.RESOURCE_EXHAUSTED:
      return new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), error);
    case status.DEADLINE_EXCEEDED:
    case status.CANCELLED:
      return new RefusalError(refuse('timeout'), error);
    default:
      return new RefusalError(refuse('internal'), error);
  }
}
