import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
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
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { CardNumberAlarm } from './card-number-alarm.ts';
import { maskingSpans } from './masking-spans.ts';

const tracer = trace.getTracer('gerbang');

/** Set where no span can ever be recorded: then a trace is only its ids. */
let recordsNothing = false;

const ids = new RandomIdGenerator();
const SPAN_ID_LENGTH = 16;
const VERSION_0 = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Under which key a context holds its span: the API keeps it to itself, but tells it to any context. */
let spanKey = Symbol('unknown');
trace.setSpan(
  {
    getValue: () => undefined,
    setValue(key) {
      spanKey = key;
      return ROOT_CONTEXT;
    },
    deleteValue: () => ROOT_CONTEXT,
  },
  trace.wrapSpanContext({ traceId: '', spanId: '', traceFlags: TraceFlags.NONE }),
);

/**
 * A context with nothing but a span: every request has one, and a context of the API is a map, copied for each value that is
 * added.
 */
class SpanAlone implements Context {
  readonly #span: Span;

  constructor(span: Span) {
    this.#span = span;
  }

  getValue(key: symbol): unknown {
    return key === spanKey ? this.#span : undefined;
  }

  setValue(key: symbol, value: unknown): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return key === spanKey ? ROOT_CONTEXT : this;
  }
}

/** The parent with another span; a parent that is nothing but a span is replaced. */
function withActive(parent: Context, span: Span): Context {
  return parent === ROOT_CONTEXT || parent instanceof SpanAlone ? new SpanAlone(span) : trace.setSpan(parent, span);
}

/**
 * Starts tracing for the process. Every request has a trace id, which goes with it through calls, events and webhooks; spans are
 * recorded and exported by OTLP over HTTP only when an endpoint is given, with card numbers masked; `alarm` is raised for each.
 * Returns how to flush and stop.
 */
export async function startTelemetry(options: {
  service: string;
  otlpEndpoint: string | undefined;
  alarm?: CardNumberAlarm;
}): Promise<() => Promise<void>> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `gerbang-${options.service}` }),
    sampler:
      options.otlpEndpoint === undefined ? new AlwaysOffSampler() : new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: options.otlpEndpoint === undefined ? [] : [await exporting(options.otlpEndpoint, options.alarm)],
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
async function exporting(endpoint: string, alarm?: CardNumberAlarm): Promise<SpanProcessor> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  return maskingSpans(new BatchSpanProcessor({ exporter }), (field) => alarm?.('span', field));
}

/** What a piece of work belongs to; opaque. */
export type TraceContext = Context;

/** `links`: other traces that the work has to do with, without being a part of them. */
export type SpanOptions = {
  kind?: keyof typeof SpanKind;
  attributes?: Attributes;
  parent?: TraceContext;
  links?: readonly TraceContext[];
};

/**
 * Runs `work` within a new span, which ends with it and takes its error. Attributes never hold secrets, names or account numbers.
 */
export function withSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = options.parent ?? context.active();
  const inherited = trace.getSpan(parent);
  // Where nothing is recorded only the trace id is passed on; an own span would be wasted work.
  if (inherited !== undefined && (inherited.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) {
    return options.parent === undefined ? work(inherited) : context.with(parent, work, undefined, inherited);
  }
  const span = startSpan(name, options, parent);
  if (recordsNothing) return context.with(withActive(parent, span), work, undefined, span);
  return recorded(span, parent, work);
}

async function recorded<T>(span: Span, parent: Context, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await context.with(withActive(parent, span), work, undefined, span);
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
  const active = withActive(parent, span);
  return { span, traceId: span.spanContext().traceId, within: (work) => context.with(active, work) };
}

function startSpan(name: string, options: SpanOptions, parent: Context): Span {
  if (recordsNothing) {
    const { traceId, spanId } = trace.getSpanContext(parent) ?? newIds();
    return trace.wrapSpanContext({ traceId, spanId, traceFlags: TraceFlags.NONE });
  }
  const { kind = 'INTERNAL', attributes = {} } = options;
  return tracer.startSpan(name, { kind: SpanKind[kind], attributes, links: linksTo(options.links ?? []) }, parent);
}

function linksTo(contexts: readonly TraceContext[]): Link[] {
  return contexts.flatMap((linked) => {
    const context = trace.getSpanContext(linked);
    return context === undefined || !isSpanContextValid(context) ? [] : [{ context }];
  });
}

/** Ids of a trace in which nothing is recorded: there is no span of that id, but a traceparent must have one. */
function newIds(): { traceId: string; spanId: string } {
  const traceId = ids.generateTraceId();
  return { traceId, spanId: traceId.slice(-SPAN_ID_LENGTH) };
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
  const named = traceparent === '' ? null : parse(traceparent);
  return named === null ? ROOT_CONTEXT : new SpanAlone(trace.wrapSpanContext({ ...named, isRemote: true }));
}

/** The version that everybody sends is cut where its parts are known to be; others are left to OpenTelemetry. */
function parse(traceparent: string): SpanContext | null {
  if (!VERSION_0.test(traceparent)) return parseTraceParent(traceparent);
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
  };
}

/** The trace that a context belongs to; empty where it has none. */
export function traceIdOf(of: TraceContext): string {
  return trace.getSpanContext(of)?.traceId ?? '';
}

/** The trace id of the active span; empty outside of one. */
export function currentTraceId(): string {
  return trace.getActiveSpan()?.spanContext().traceId ?? '';
}
