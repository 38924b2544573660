import { maskCardNumbers } from '@gerbang/core';
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';

/** Gives ended spans to the next processor with every card number in their texts masked; `masked` is given where it was. */
export function maskingSpans(next: SpanProcessor, masked: (field: string) => void): SpanProcessor {
  return {
    onStart: (span, parent) => next.onStart(span, parent),
    onEnd: (span) => next.onEnd(maskSpan(span, masked)),
    forceFlush: () => next.forceFlush(),
    shutdown: () => next.shutdown(),
  };
}

function maskSpan(span: ReadableSpan, masked: (field: string) => void): ReadableSpan {
  const text = (field: string, value: string) => {
    const safe = maskCardNumbers(value);
    if (safe !== value) masked(field);
    return safe;
  };
  const { status } = span;
  return {
    ...pickRest(span),
    name: text('name', span.name),
    status: status.message === undefined ? status : { ...status, message: text('status', status.message) },
    attributes: maskAttributes(span.attributes, text),
    events: span.events.map((event) => ({
      ...event,
      name: text('event', event.name),
      ...(event.attributes === undefined ? {} : { attributes: maskAttributes(event.attributes, text) }),
    })),
    links: span.links.map((link) =>
      link.attributes === undefined ? link : { ...link, attributes: maskAttributes(link.attributes, text) },
    ),
  };
}

/** What of a span is no text. The span's own properties are getters, which a spread would not take. */
function pickRest(span: ReadableSpan): Omit<ReadableSpan, 'name' | 'status' | 'attributes' | 'events' | 'links'> {
  const { kind, startTime, endTime, duration, ended, resource, instrumentationScope, parentSpanContext } = span;
  const { droppedAttributesCount, droppedEventsCount, droppedLinksCount } = span;
  const counts = { droppedAttributesCount, droppedEventsCount, droppedLinksCount };
  const parent = parentSpanContext === undefined ? {} : { parentSpanContext };
  const spanContext = () => span.spanContext();
  return { spanContext, ...parent, kind, startTime, endTime, duration, ended, resource, instrumentationScope, ...counts };
}

function maskAttributes(attributes: Attributes, text: (field: string, value: string) => string): Attributes {
  const value = (field: string, given: AttributeValue | undefined): AttributeValue | undefined => {
    if (typeof given === 'string') return text(field, given);
    if (typeof given === 'number' && Number.isInteger(given)) {
      const safe = text(field, String(given));
      return safe === String(given) ? given : safe;
    }
    return isTexts(given) ? given.map((one) => (typeof one === 'string' ? text(field, one) : one)) : given;
  };
  return Object.fromEntries(
    Object.entries(attributes).map(([name, given]) => [text('attribute name', name), value(name, given)]),
  );
}

function isTexts(value: AttributeValue | undefined): value is (string | null | undefined)[] {
  return Array.isArray(value) && value.some((one) => typeof one === 'string');
}
