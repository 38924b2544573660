import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

const tracer = trace.getTracer('gerbang');

/** Set where no span can ever be recorded: then a trace is its ids alone. */
let recordsNothing = false;

const ids = new RandomIdGenerator();

/**
 * Starts tracing for the process. Every request has a trace id, which goes with it through calls, events and webhooks; spans are recorded and
 * exported by OTLP over HTTP only when an endpoint is given. Returns how to flush and stop.
 */
export async function startTelemetry(options: {
  service: string;
  otlpEndpoint: string | undefined;
}): Promise<() => Promise<void>> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `gerbang-${options.service}` }),
    sampler:
      options.otlpEndpoint === undefined ? new AlwaysOffSampler() : new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: options.otlpEndpoint === undefined ? [] : [await exporting(options.otlpEndpoint)],
  });
  trace.setGlobalTracerProvider(provider);
  recordsNothing = options.otlpEndpoint === undefined;
  return async () => {
    recordsNothing = false;
    await provider.shutdown();
    trace.disable();
    context.disable();
  };
}

/** Loaded only where spans are exported: it is a third of the process's memory otherwise spent on nothing. */
async function exporting(endpoint: string): Promise<BatchSpanProcessor> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  return new BatchSpanProcessor({ exporter });
}

/** What a piece of work belongs to; opaque. */
export type TraceContext = Context;

export type SpanOptions = { kind?: keyof typeof SpanKind; attributes?: Attributes; parent?: TraceContext };

/** Runs `work` within a new span, which ends with it and takes its error. Attributes never hold secrets, names or account numbers. */
export async function withSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = options.parent ?? context.active();
  const inherited = trace.getSpan(parent);
  // Where nothing is recorded the trace id alone goes on: a span of its own would be work for nobody.
  if (inherited !== undefined && (inherited.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) {
    return options.parent === undefined ? work(inherited) : context.with(parent, work, undefined, inherited);
  }
  const span = startSpan(name, options, parent);
  if (recordsNothing) return context.with(trace.setSpan(parent, span), work, undefined, span);
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** A span that its opener ends, for work that no one function spans. `within` runs what belongs to it. */
export function openSpan(name: string, options: SpanOptions): { span: Span; traceId: string; within(work: () => void): void } {
  const parent = options.parent ?? context.active();
  const span = startSpan(name, options, parent);
  const active = trace.setSpan(parent, span);
  return { span, traceId: span.spanContext().traceId, within: (work) => context.with(active, work) };
}

function startSpan(name: string, options: SpanOptions, parent: Context): Span {
  if (recordsNothing) {
    const traceId = trace.getSpanContext(parent)?.traceId ?? ids.generateTraceId();
    return trace.wrapSpanContext({ traceId, spanId: ids.generateSpanId(), traceFlags: TraceFlags.NONE });
  }
  return tracer.startSpan(name, { kind: SpanKind[options.kind ?? 'INTERNAL'], attributes: options.attributes ?? {} }, parent);
}

/** The W3C traceparent of the active span; empty outside of one. */
export function currentTraceparent(): string {
  const active = trace.getSpanContext(context.active());
  if (active === undefined || !isSpanContextValid(active)) return '';
  return `00-${active.traceId}-${active.spanId}-0${active.traceFlags & TraceFlags.SAMPLED}`;
}

/** What the work at hand belongs to, for `withSpan({parent})` when it goes on elsewhere. */
export function currentContext(): TraceContext {
  return context.active();
}

/** The context that a traceparent names, for `withSpan({parent})`; the root context when it is empty or malformed. */
export function contextFrom(traceparent: string): TraceContext {
  const named = traceparent === '' ? null : parseTraceParent(traceparent);
  return named === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...named, isRemote: true });
}

/** The trace id of the active span; empty outside of one. */
export function currentTraceId(): string {
  return trace.getActiveSpan()?.spanContext().traceId ?? '';
}
