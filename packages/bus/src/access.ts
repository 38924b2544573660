import { readFileSync } from 'node:fs';
import { ConfigError } from '@gerbang/runtime';
import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';

/** What a service is configured by: `busShape`. */
export type BusConfig = AccessConfig & { STREAM_REPLICAS: number };

type AccessConfig = {
  NATS_URL: string;
  NATS_USER?: string | undefined;
  NATS_PASSWORD?: string | undefined;
  NATS_CREDS?: string | undefined;
  NATS_NKEY_SEED?: string | undefined;
  NATS_TLS_CA?: string | undefined;
  NATS_TLS_CERT?: string | undefined;
  NATS_TLS_KEY?: string | undefined;
};

/** How NATS is reached, and as which user. Files are read for each connection, so that they may be renewed. */
export type NatsAccess = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'authenticator' | 'tls'>;

/** Reads how NATS is reached. Throws ConfigError where variables contradict each other or a file cannot be read. */
export function accessFromConfig(config: AccessConfig): NatsAccess {
  const reasons = contradictions(config);
  if (reasons.length > 0) throw new ConfigError(reasons);
  const { NATS_URL, NATS_USER: user, NATS_PASSWORD: pass, NATS_CREDS: creds, NATS_NKEY_SEED: seed } = config;
  return {
    servers: NATS_URL.split(',').map((server) => server.trim()),
    ...(user !== undefined && pass !== undefined && { user, pass }),
    ...(creds !== undefined && { authenticator: credsAuthenticator(() => readFileSync(creds)) }),
    ...(seed !== undefined && { authenticator: nkeyAuthenticator(() => readSeed(seed)) }),
    ...tlsOf(config),
  };
}

/** What answers to a service's requests begin with: of a service's own, so that no other one reads them. */
export function inboxPrefixOf(service: string): string {
  return `_INBOX.${service}`;
}

function contradictions(config: AccessConfig): string[] {
  const { NATS_USER, NATS_PASSWORD, NATS_CREDS, NATS_NKEY_SEED, NATS_TLS_CERT, NATS_TLS_KEY } = config;
  const reasons: string[] = [];
  if ((NATS_USER === undefined) !== (NATS_PASSWORD === undefined))
    reasons.push('NATS_USER and NATS_PASSWORD go together: set both or none');
  if ([NATS_USER, NATS_CREDS, NATS_NKEY_SEED].filter((one) => one !== undefined).length > 1)
    reasons.push('NATS_USER, NATS_CREDS and NATS_NKEY_SEED exclude each other: set one');
  if ((NATS_TLS_CERT === undefined) !== (NATS_TLS_KEY === undefined))
    reasons.push('NATS_TLS_CERT and NATS_TLS_KEY go together: set both or none');
  for (const variable of ['NATS_CREDS', 'NATS_NKEY_SEED', 'NATS_TLS_CA', 'NATS_TLS_CERT', 'NATS_TLS_KEY'] as const)
    if (!isReadable(config[variable])) reasons.push(`${variable} is not valid: the file cannot be read`);
  return reasons;
}

/**
 * The client takes TLS from what the server says of itself, not from the address: only with options of TLS does it refuse a
 * server without.
 */
function tlsOf({ NATS_URL, NATS_TLS_CA, NATS_TLS_CERT, NATS_TLS_KEY }: AccessConfig): Pick<ConnectionOptions, 'tls'> {
  if (!NATS_URL.includes('tls://') && NATS_TLS_CA === undefined && NATS_TLS_CERT === undefined) return {};
  return {
    tls: {
      ...(NATS_TLS_CA !== undefined && { caFile: NATS_TLS_CA }),
      ...(NATS_TLS_CERT !== undefined && { certFile: NATS_TLS_CERT }),
      ...(NATS_TLS_KEY !== undefined && { keyFile: NATS_TLS_KEY }),
    },
  };
}

/** A file of `nk -gen user`; white space at its end is no part of the seed. */
function readSeed(file: string): Uint8Array {
  return Buffer.from(readFileSync(file, 'utf8').trim());
}

function isReadable(file: string | undefined): boolean {
  try {
    if (file !== undefined) readFileSync(file);
    return true;
  } catch {
    return false;
  }
}
