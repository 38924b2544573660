import { isIP } from 'node:net';
import { type Check, textOf } from './settings.ts';

/** Checked by their own rules. */
const NOT_WEB = new Set(['NATS_URL', 'SANDBOX_CLOCK_URL']);

/**
 * Banks, acquirers and customers are reached by HTTPS, and no rail is this machine: the simulator is. Spans may go to a
 * collector on the same host without TLS, and no further.
 */
export const checkAddresses: Check = ({ settings }) => {
  const reasons: string[] = [];
  for (const [variable, value] of settings) {
    if (!/^[A-Z0-9_]+_URL$/.test(variable) || NOT_WEB.has(variable) || typeof value !== 'string') continue;
    const url = URL.parse(value);
    if (url?.protocol !== 'https:') reasons.push(`${variable} is not safe: production requires https://`);
    if (variable.startsWith('RAIL_') && url !== null && isLoopback(url.hostname))
      reasons.push(`${variable} is not safe: no bank answers on this machine, only the simulator does`);
  }
  const collector = URL.parse(textOf(settings, 'OTEL_EXPORTER_OTLP_ENDPOINT') ?? '');
  if (collector !== null && collector.protocol !== 'https:' && !isLoopback(collector.hostname))
    reasons.push('OTEL_EXPORTER_OTLP_ENDPOINT is not safe: production requires https:// to another host');
  return reasons;
};

/** Whether a host as a URL has it is this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (isIP(host) === 4) return host.startsWith('127.') || host === '0.0.0.0';
  // URL writes an IPv4 address within IPv6 in hexadecimal: ::ffff:7f00:1.
  return host === '::1' || host === '::' || /^::ffff:7f/.test(host);
}
