import { ConfigError } from '@gerbang/runtime';
import { checkAddresses } from './addresses.ts';
import { checkCardHost } from './card-host.ts';
import { checkCertificate } from './certificate.ts';
import { checkDatabase } from './database.ts';
import { checkEventBus } from './event-bus.ts';
import { checkKeyStore, checkKeys } from './keys.ts';
import { checkSandbox } from './sandbox.ts';
import type { Check } from './settings.ts';

/** Everything that production checks; docs/security.md has a row for each. */
const CHECKS: readonly Check[] = [
  checkCertificate,
  checkEventBus,
  checkDatabase,
  checkAddresses,
  checkKeyStore,
  checkKeys,
  checkSandbox,
  checkCardHost,
];

/**
 * Refuses to start a service that is configured as unsafe for production: throws ConfigError with every reason, each naming its
 * variable and no value. It checks what the configuration has: a service without a database is not asked for one. `nowMs` is
 * real time. Nothing switches it off but GERBANG_ENV itself.
 */
export function checkProduction(service: string, config: object, nowMs: number): void {
  const settings = new Map<string, unknown>(Object.entries(config));
  if (settings.get('GERBANG_ENV') === 'sandbox') return;
  const reasons = CHECKS.flatMap((check) => check({ service, settings, nowMs }));
  if (reasons.length > 0) throw new ConfigError(reasons);
}
