import { accessSync, constants, readFileSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { ConfigError, type Logger } from '@gerbang/runtime';
import { ChannelCredentials, experimental, ServerCredentials } from '@grpc/grpc-js';
import { CertificateFiles, type TlsFiles } from './certificate-files.ts';
import { serviceOf } from './identity.ts';

/** Reads RPC_TLS_CA, RPC_TLS_CERT, RPC_TLS_KEY and RPC_TRUST_DOMAIN. Throws ConfigError when only some are set, or a file cannot be read. */
export function tlsFromConfig(config: {
  RPC_TLS_CA?: string | undefined;
  RPC_TLS_CERT?: string | undefined;
  RPC_TLS_KEY?: string | undefined;
  RPC_TRUST_DOMAIN: string;
}): TlsFiles | undefined {
  const { RPC_TLS_CA: ca, RPC_TLS_CERT: cert, RPC_TLS_KEY: key } = config;
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  if (ca === undefined || cert === undefined || key === undefined) {
    throw new ConfigError(['RPC_TLS_CA, RPC_TLS_CERT and RPC_TLS_KEY go together: set all three or none']);
  }
  const unreadable = Object.entries({ RPC_TLS_CA: ca, RPC_TLS_CERT: cert, RPC_TLS_KEY: key }).filter(
    ([, file]) => !isReadable(file),
  );
  if (unreadable.length > 0) {
    throw new ConfigError(unreadable.map(([variable, file]) => `${variable} is not valid: the file ${file} cannot be read`));
  }
  return { ca, cert, key, trustDomain: config.RPC_TRUST_DOMAIN };
}

/**
 * Credentials of a listener; with TLS, callers without a certificate of the same authority are refused. Files that are renewed
 * are used for the connections after it. Throws where they are no certificates now.
 */
export function serverCredentials(tls: TlsFiles | undefined, log: Logger): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const files = new CertificateFiles(tls, log);
  return experimental.createCertificateProviderServerCredentials(files, files, true);
}

/** Credentials of a caller; with TLS, a server is believed only by its address and as one of our services. */
export function channelCredentials(tls: TlsFiles | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(readFileSync(tls.ca), readFileSync(tls.key), readFileSync(tls.cert), {
    checkServerIdentity: (host, certificate) => mistrust(host, certificate, tls.trustDomain),
  });
}

/** Why a server is not the one that was called. Node would take the common name of a certificate that names no host. */
function mistrust(host: string, certificate: PeerCertificate, trustDomain: string): Error | undefined {
  if (serviceOf(certificate.subjectaltname, trustDomain) === undefined)
    return new Error(`the certificate of ${host} names no service of ${trustDomain}`);
  return checkServerIdentity(host, { ...certificate, subject: { ...certificate.subject, CN: '' } });
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
