import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/** A public address by its range, but a cloud's metadata service. */
const METADATA_ADDRESSES = ['168.63.129.16'];

/** The part of IPv6 that IANA has assigned to the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Which targets this installation may send to (contract §10). */
export type TargetPolicy = { allowPrivate: boolean; allowHttp: boolean };

/** Why a URL is refused as a target. The message is for the merchant. */
export class TargetRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'TargetRefused';
  }
}

/**
 * Parses a configured URL. Throws TargetRefused: not a URL, another scheme than https (or http where allowed), credentials in it.
 */
export function parseTarget(url: string, policy: TargetPolicy): URL {
  if (!URL.canParse(url)) throw new TargetRefused('not a URL');
  const target = new URL(url);
  const allowed = target.protocol === 'https:' || (target.protocol === 'http:' && policy.allowHttp);
  if (!allowed) throw new TargetRefused(`the scheme ${target.protocol} is not allowed`);
  if (target.username !== '' || target.password !== '') throw new TargetRefused('the URL carries credentials');
  return target;
}

/**
 * Whether an address is on the public internet: not private, loopback, link-local, metadata or multicast, also when one of those
 * is embedded in IPv6.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false;
  return parsed.range() === 'unicast' && !METADATA_ADDRESSES.includes(parsed.toString());
}

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<string[]>;

const REFUSED = 'the address is not a public one';

/**
 * Connects undici to a target. It resolves the host once, checks all its addresses and dials one of the checked addresses, so
 * that a second answer of the DNS cannot lead elsewhere. It always verifies certificates; the environment cannot turn that off.
 */
export function createConnector(
  policy: TargetPolicy,
  options: { timeoutMs: number; resolve?: Resolve },
): buildConnector.connector {
  const resolve = options.resolve ?? (policy.allowPrivate ? resolveAnywhere() : resolvePublicly());
  const isAllowed = (address: string) => policy.allowPrivate || isPublicAddress(address);
  const connect = buildConnector({
    timeout: options.timeoutMs,
    allowH2: false,
    rejectUnauthorized: true,
    lookup: checkedLookup(resolve, isAllowed),
  });
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !isAllowed(literal)) return callback(new TargetRefused(REFUSED), null);
    connect(target, callback);
  };
}

function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return callback(new TargetRefused('the host has no address'), '');
        if (!addresses.every(isAllowed)) return callback(new TargetRefused(REFUSED), '');
        if (options.all !== true) return callback(null, first, isIP(first));
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        );
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}

/**
 * Asks the name servers without the operating system's resolver. That resolver has four threads for the whole process, and a
 * merchant's dead name server could block them for all merchants.
 */
function resolvePublicly(): Resolve {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [...(v4.status === 'fulfilled' ? v4.value : []), ...(v6.status === 'fulfilled' ? v6.value : [])];
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  };
}

/**
 * Often only the operating system knows private names. It is asked when the name servers answer at once that they do not know the
 * name.
 */
function resolveAnywhere(): Resolve {
  const ask = resolvePublicly();
  const askSystem: Resolve = async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address);
  return async (hostname) => {
    if (hostname === 'localhost') return askSystem(hostname);
    try {
      return await ask(hostname);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ETIMEOUT') throw error;
      return askSystem(hostname);
    }
  };
}
