import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Check, textOf } from './settings.ts';

/** The parts of a connection string: user, password, hosts, database, options. A password may not have these signs unescaped. */
const CONNECTION = /^mongodb(\+srv)?:\/\/(?:([^:@/?]*)(?::([^@/?]*))?@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * MongoDB is reached by TLS, as a user whose name says whose it is: the service's own (`money-out`), or its database's
 * (`gerbang_money_out`) where one MongoDB has several systems. A user that two services share has the rights of both.
 */
export const checkDatabase: Check = ({ service, settings }) => {
  const uri = textOf(settings, 'MONGODB_URI');
  if (uri === undefined) return [];
  const match = CONNECTION.exec(uri);
  if (match === null) return ['MONGODB_URI is not valid: expected a connection string'];
  const [, srv, user = '', password = '', , , query = ''] = match;
  const options = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const names = [service, `${textOf(settings, 'MONGODB_DB_PREFIX') ?? ''}${service.replaceAll('-', '_')}`];
  return [...tlsReasons(srv !== undefined, options), ...userReasons({ user: decoded(user), password }, options, names)];
};

type Options = ReadonlyMap<string, string>;

/** With `mongodb+srv://` the driver uses TLS unless it is told not to. */
function tlsReasons(isSrv: boolean, options: Options): string[] {
  const reasons: string[] = [];
  const tls = options.get('tls') ?? options.get('ssl') ?? (isSrv ? 'true' : 'false');
  if (tls !== 'true') reasons.push('MONGODB_URI is not safe: production requires TLS (tls=true)');
  for (const option of ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames'])
    if ((options.get(option.toLowerCase()) ?? 'false') !== 'false')
      reasons.push(`MONGODB_URI is not safe: production does not allow ${option}`);
  return reasons;
}

function userReasons(login: { user: string; password: string }, options: Options, names: readonly string[]): string[] {
  const byCertificate = options.get('authmechanism') === 'MONGODB-X509';
  const user = byCertificate ? commonNameIn(options.get('tlscertificatekeyfile')) : login.user;
  if (user === '' || (!byCertificate && login.password === ''))
    return ["MONGODB_URI is not safe: production requires the service's user and its password, or a certificate (MONGODB-X509)"];
  if (names.includes(user)) return [];
  const kind = byCertificate ? "the certificate's common name" : 'its user';
  return [`MONGODB_URI is not safe: ${kind} must be the service's own, ${[...new Set(names)].join(' or ')}`];
}

/** MongoDB knows a client with a certificate by its subject. Empty where there is no such certificate. */
function commonNameIn(file: string | undefined): string {
  if (file === undefined) return '';
  try {
    return /^CN=(.+)$/m.exec(new X509Certificate(readFileSync(file)).subject)?.[1] ?? '';
  } catch {
    return '';
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
