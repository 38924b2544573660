import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The addresses of a name, as the system's resolver gives them. */
export type Lookup = (host: string) => Promise<string[]>;

export type HostAndPort = { host: string; port: number };

/** Reads `host:port`; the host may be an IPv6 address in brackets. Throws on anything else. */
export function parseAddress(address: string): HostAndPort {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(address);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined) throw new Error(`${address} is not host:port`);
  return { host, port: Number(match?.[3]) };
}

/**
 * The addresses of all replicas behind a name (a headless service has one for each), each as `ip:port`, sorted. Rejects when the
 * name has none.
 */
export async function resolveReplicas({ host, port }: HostAndPort, lookup: Lookup = lookupAll): Promise<string[]> {
  const addresses = new Set(await lookup(host));
  if (addresses.size === 0) throw new Error(`${host} has no addresses`);
  return [...addresses].sort().map((ip) => (isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`));
}

async function lookupAll(host: string): Promise<string[]> {
  const entries = await systemLookup(host, { all: true });
  return entries.map(({ address }) => address);
}
