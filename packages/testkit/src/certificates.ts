import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a test's certificates belong to unless it says otherwise. */
export const TEST_TRUST_DOMAIN = 'gerbang.internal';

/** Files of mutual TLS as services are configured by them. */
export type TestCertificate = { ca: string; cert: string; key: string; trustDomain: string };

/** What a certificate says; by default it is good for 127.0.0.1 and `<service>.test`, and its one URI names the service. */
export type CertificateNames = { hosts?: string; uris?: readonly string[]; commonName?: string };

/** An authority of the test's own, which makes the certificate of a service. */
export function createAuthority(): (service: string, names?: CertificateNames) => TestCertificate {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-tls-'));
  const file = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', file('ca.pem'), '-days', '1', '-subj', '/CN=test authority');
  let made = 0;
  return (service, names = {}) => {
    const name = `${service}-${made++}`;
    const hosts = names.hosts ?? `IP:127.0.0.1,DNS:${service}.test`;
    const uris = names.uris ?? [`spiffe://${TEST_TRUST_DOMAIN}/gerbang/${service}`];
    const all = [hosts, ...uris.map((uri) => `URI:${uri}`)].filter((part) => part !== '').join(',');
    const request = ['-keyout', file(`${name}.key`), '-out', file(`${name}.csr`), '-subj', `/CN=${names.commonName ?? service}`];
    openssl('req', ...key, ...request, ...(all === '' ? [] : ['-addext', `subjectAltName=${all}`]));
    const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '1', '-copy_extensions', 'copy'];
    openssl('x509', '-req', '-in', file(`${name}.csr`), '-out', file(`${name}.pem`), ...signer);
    return { ca: file('ca.pem'), cert: file(`${name}.pem`), key: file(`${name}.key`), trustDomain: TEST_TRUST_DOMAIN };
  };
}
