/** One name of a certificate as Node prints them: `DNS:ledger`, `URI:spiffe://…`; one with special characters is in quotes. */
const NAME = /(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)/gy;

/** The URI that says which service a certificate was made for; the operators' commands are `cli`. */
export function identityOf(service: string, trustDomain: string): string {
  return `spiffe://${trustDomain}/gerbang/${service}`;
}

/**
 * The service that a certificate was made for, by its subject alternative names as Node prints them. Undefined unless it has
 * exactly one URI and that is one of ours in this trust domain: SPIFFE allows no more than one. Common names mean nothing.
 */
export function serviceOf(subjectAltName: string | undefined, trustDomain: string): string | undefined {
  const [uri, ...others] = urisOf(subjectAltName ?? '');
  if (uri === undefined || others.length > 0) return undefined;
  const before = identityOf('', trustDomain);
  const service = uri.startsWith(before) ? uri.slice(before.length) : '';
  return /^[a-z][a-z0-9-]{0,62}$/.test(service) ? service : undefined;
}

function urisOf(subjectAltName: string): string[] {
  return [...subjectAltName.matchAll(NAME)].flatMap(([, kind, name = '']) => (kind === 'URI' ? [name] : []));
}
