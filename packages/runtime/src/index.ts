export { Counter, Gauge, Histogram, Registry } from 'prom-client';
export { type Admin, createMetrics, type Readiness, startAdmin } from './admin.ts';
export { BackgroundWork } from './background-work.ts';
export { Bag, type Placed } from './bag.ts';
export { startBusinessClock } from './business-clock.ts';
export { type CardNumberAlarm, createCardNumberAlarm } from './card-number-alarm.ts';
export { type Closeable, ClosingStack } from './closing.ts';
export { busShape, ConfigError, commonShape, env, loadConfig, rpcShape, storeShape, tlsShape } from './config.ts';
export { listenerShape } from './listener-shape.ts';
export type { LogFields, Logger } from './log-fields.ts';
export { createLogger } from './logger.ts';
export { networkOf } from './network.ts';
export { createPermits, type PermitRefusal, type Permits } from './permits.ts';
export { createRateLimiter, type RateLimiter } from './rate-limit.ts';
export { runService } from './run-service.ts';
export {
  type Identity,
  type SecurityEvent,
  type SecurityEventKind,
  type SecurityEvents,
  type SecurityReasons,
  securityEventsOf,
  securityKindOf,
} from './security-events.ts';
export {
  contextFrom,
  currentContext,
  currentTraceId,
  currentTraceparent,
  openSpan,
  type SpanOptions,
  startTelemetry,
  type TraceContext,
  traceIdOf,
  withSpan,
} from './telemetry.ts';
export { within, withinOr } from './within.ts';
