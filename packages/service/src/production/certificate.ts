import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { serviceOf } from '@gerbang/rpc';
import { type Check, fileReasons, type Settings } from './settings.ts';

/**
 * Services call each other, and are called, by mutual TLS with a certificate of their own: each of them has `tls`, as
 * `tlsFromConfig` gives it. Without it anyone who reaches a port may do what the edge may.
 */
export const checkCertificate: Check = ({ service, settings, nowMs }) => {
  if (!settings.has('tls')) return [];
  const files = filesOf(settings);
  if (files === undefined)
    return ['RPC_TLS_CA', 'RPC_TLS_CERT', 'RPC_TLS_KEY'].map((name) => `${name} is not set; production requires it`);
  return [...fileReasons('RPC_TLS_KEY', files.key), ...certificateReasons(service, files, nowMs)];
};

type Files = { ca: string; cert: string; key: string; trustDomain: string };

function filesOf(settings: Settings): Files | undefined {
  const tls = Object(settings.get('tls'));
  const { ca, cert, key, trustDomain } = tls;
  const texts = [ca, cert, key, trustDomain];
  return texts.every((text) => typeof text === 'string') ? { ca, cert, key, trustDomain } : undefined;
}

function certificateReasons(service: string, files: Files, nowMs: number): string[] {
  const certificate = readOrUndefined(() => new X509Certificate(readFileSync(files.cert)));
  if (certificate === undefined) return ['RPC_TLS_CERT is not valid: expected a certificate in PEM'];
  const reasons: string[] = [];
  if (certificate.validToDate.getTime() <= nowMs) reasons.push('RPC_TLS_CERT is not valid: the certificate has expired');
  if (certificate.validFromDate.getTime() > nowMs) reasons.push('RPC_TLS_CERT is not valid: the certificate is not valid yet');
  if (serviceOf(certificate.subjectAltName, files.trustDomain) !== service)
    reasons.push(`RPC_TLS_CERT is not valid: the only URI of its names must be spiffe://<RPC_TRUST_DOMAIN>/gerbang/${service}`);
  const fits = readOrUndefined(() => certificate.checkPrivateKey(createPrivateKey(readFileSync(files.key))));
  if (fits !== true) reasons.push('RPC_TLS_KEY is not valid: expected the private key of RPC_TLS_CERT, in PEM');
  if (readOrUndefined(() => new X509Certificate(readFileSync(files.ca))) === undefined)
    reasons.push('RPC_TLS_CA is not valid: expected certificates in PEM');
  return reasons;
}

/** What cannot be read has a reason of its own, which names the variable and not the contents. */
function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
