import { trace } from '@opentelemetry/api';
import { type DestinationStream, pino, stdSerializers } from 'pino';
import type { CardNumberAlarm } from './card-number-alarm.ts';
import { allowedFields, type Logger } from './log-fields.ts';
import { maskLine } from './mask-line.ts';

/** pino merges fields only where there is a mixin. */
const NOTHING = {};

/**
 * Makes a service's logger. A line holds only the fields of LogFields; one that a type has not seen is dropped, and named once in
 * a line of its own. Each line is searched for card numbers, which are masked, and `alarm` is raised. Logs to standard output
 * unless a stream is given.
 */
export function createLogger(
  options: { service: string; level: string; alarm?: CardNumberAlarm },
  stream?: DestinationStream,
): Logger {
  const named = new Set<string>();
  const dropped = (field: string) => {
    if (named.has(field)) return;
    named.add(field);
    log.error({ alert: 'log_field_dropped', field }, 'a field is not among those that may be logged; it is dropped');
  };
  const masked = (field: string) => options.alarm?.('log', field);
  const lines = pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: writtenError, cause: writtenError },
      mixin: () => NOTHING,
      mixinMergeStrategy: (given) => {
        const fields = allowedFields(given, dropped);
        fields.trace_id ??= trace.getActiveSpan()?.spanContext().traceId;
        return fields;
      },
      hooks: { streamWrite: (line) => maskLine(line, masked) },
    },
    stream ?? pino.destination({ fd: 1, sync: false }),
  );
  const unfiltered = lines.child({}, { level: options.level === 'silent' ? 'silent' : 'info' });
  const log: Logger = Object.assign(lines, { always: unfiltered.info.bind(unfiltered) });
  return log;
}

/** Other properties than these hold what the error is about: documents, requests, answers. */
function writtenError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? undefined : error;
  const { type, message, stack } = stdSerializers.err(error);
  return { type, message, stack };
}
