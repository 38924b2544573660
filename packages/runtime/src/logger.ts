import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger as PinoLogger, pino, stdSerializers } from 'pino';

/** JSON lines; each carries the service and, inside a request, its trace id. */
export type Logger = PinoLogger;

const SECRET_KEYS = [
  'authorization',
  'access_token',
  'accessToken',
  'client_secret',
  'clientSecret',
  'secret',
  'signature',
  'x-signature',
  'password',
  'private_key',
  'privateKey',
  'card_number',
  'cardNumber',
  'card_cvv',
  'cardCvv',
  'otp',
  'pin',
  'token',
];

/** Redacts secrets by key at the top and two levels below; nothing logs whole requests, so nothing lies deeper. */
const REDACTED_PATHS = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);

/**
 * Makes a service's logger. Secrets, tokens, signatures and card data are replaced by [redacted] under any of the usual keys, and
 * card numbers that slipped into a message are masked. Logs to standard output unless a stream is given.
 */
export function createLogger(options: { service: string; level: string }, stream?: DestinationStream): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: Error) => maskError(error) },
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
      mixin: () => {
        const span = trace.getActiveSpan()?.spanContext();
        return span === undefined ? {} : { trace_id: span.traceId };
      },
      hooks: {
        logMethod(args, method) {
          for (let i = 0; i < args.length; i++) if (typeof args[i] === 'string') args[i] = maskPan(args[i] as string);
          method.apply(this, args);
        },
      },
    },
    stream ?? pino.destination({ fd: 1, sync: false }),
  );
}

/** Masks anything that looks like a card number of 13 to 19 digits: first six, six stars, last four. */
export function maskPan(text: string): string {
  return text.replace(/(?<![\dA-Za-z])(\d{6})\d{3,9}(\d{4})(?![\dA-Za-z])/g, '$1******$2');
}

function maskError(error: Error): object {
  const plain = stdSerializers.err(error);
  return { type: plain.type, message: maskPan(plain.message), stack: maskPan(plain.stack) };
}
