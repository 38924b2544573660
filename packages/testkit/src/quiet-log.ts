import { createLogger, type Logger } from '@gerbang/runtime';

/** A logger for tests; LOG_LEVEL makes it speak. */
export function testLog(service = 'test'): Logger {
  return createLogger({ service, level: process.env.LOG_LEVEL ?? 'silent' });
}
