import { type Check, fileReasons, textOf } from './settings.ts';

/**
 * NATS is reached by TLS, as a user of the service's own with least rights (deploy/nats/users.conf). A name and a password are
 * checked to be the service's; what a credentials file or an nkey stands for, only the server knows.
 */
export const checkEventBus: Check = ({ service, settings }) => {
  const url = textOf(settings, 'NATS_URL');
  if (url === undefined) return [];
  const reasons = url.split(',').every((server) => server.trim().startsWith('tls://'))
    ? []
    : ['NATS_URL is not safe: production requires tls://'];
  if (url.includes('@')) reasons.push('NATS_URL is not safe: its user belongs into NATS_USER and NATS_PASSWORD');
  for (const variable of ['NATS_TLS_KEY', 'NATS_CREDS', 'NATS_NKEY_SEED']) {
    const file = textOf(settings, variable);
    if (file !== undefined) reasons.push(...fileReasons(variable, file));
  }
  const user = textOf(settings, 'NATS_USER');
  if (user !== undefined && user !== service) reasons.push(`NATS_USER is not safe: it must be the service's own, ${service}`);
  if (user === undefined && !settings.has('NATS_CREDS') && !settings.has('NATS_NKEY_SEED'))
    reasons.push('NATS_USER is not set; production requires it with NATS_PASSWORD, or NATS_CREDS, or NATS_NKEY_SEED');
  return reasons;
};
