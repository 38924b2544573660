import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TlsFiles } from '../src/index.ts';

/** An authority of the test's own. Certificates are good for 127.0.0.1 and `<service>.test`, or for what `names` says. */
export function createAuthority(): (service: string, names?: string) => TlsFiles {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-tls-'));
  const file = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  const ca = ['-keyout', file('ca.key'), '-out', file('ca.pem'), '-days', '1', '-subj', '/CN=test authority'];
  openssl('req', '-x509', ...key, ...ca);
  return (service, names = `IP:127.0.0.1,DNS:${service}.test`) => {
    const request = ['-keyout', file(`${service}.key`), '-out', file(`${service}.csr`), '-subj', `/CN=${service}`];
    openssl('req', ...key, ...request, '-addext', `subjectAltName=${names}`);
    const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '1', '-copy_extensions', 'copy'];
    openssl('x509', '-req', '-in', file(`${service}.csr`), '-out', file(`${service}.pem`), ...signer);
    return { ca: file('ca.pem'), cert: file(`${service}.pem`), key: file(`${service}.key`) };
  };
}
