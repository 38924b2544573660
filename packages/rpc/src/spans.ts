import type { DescMethod } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';

/** What a span of a call is called: OpenTelemetry's semantic conventions for gRPC name it after the method. */
export function spanName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** The attributes that are known before the call. */
export function spanAttributes(method: DescMethod, server?: { host: string; port: number }): Attributes {
  return {
    'rpc.system.name': 'grpc',
    'rpc.method': spanName(method),
    ...(server !== undefined && { 'server.address': server.host, 'server.port': server.port }),
  };
}

/** Answers that the conventions count as errors of a server; the others are the caller's. */
const SERVER_ERRORS: ReadonlySet<status> = new Set([
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.UNIMPLEMENTED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

/** Writes down how the call ended. */
export function endSpan(span: Span, kind: 'CLIENT' | 'SERVER', code: status): void {
  if (!span.isRecording()) return;
  const name = status[code] ?? String(code);
  span.setAttribute('rpc.response.status_code', name);
  const failed = kind === 'CLIENT' ? code !== status.OK : SERVER_ERRORS.has(code);
  if (!failed) return;
  span.setAttribute('error.type', name);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
