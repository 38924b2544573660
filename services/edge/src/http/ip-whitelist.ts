import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Addresses whose answer a list of ranges remembers; callers are few and call often. */
const REMEMBERED_MAX = 1_000;

/** Tells whether an address, as `callerAddress` gives it, is on a list. */
export type IpMatcher = (address: string) => boolean;

export type TrustedProxies = IpMatcher;

/** A comma-separated list of addresses and CIDR ranges; undefined when an entry is neither. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  const entries = text.split(',').map((entry) => entry.trim());
  const given = entries.filter((entry) => entry !== '');
  return given.every((entry) => parseRange(entry) !== undefined) ? compileWhitelist(given) : undefined;
}

/**
 * Compiles a whitelist of IPv4 and IPv6 addresses and CIDR ranges (contract §3). An empty one admits no address, and an entry
 * that cannot be read admits none either.
 */
export function compileWhitelist(entries: readonly string[]): IpMatcher {
  const addresses = new Set<string>();
  const ranges: Range[] = [];
  for (const entry of entries) {
    const range = parseRange(entry);
    if (range === undefined) continue;
    const [address, bits] = range;
    if (bits === (address.kind() === 'ipv4' ? 32 : 128)) addresses.add(address.toString());
    else ranges.push(range);
  }
  const isInRange = (text: string): boolean => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    return ranges.some(([network, bits]) => matches(address, network, bits));
  };
  const remembered = new Map<string, boolean>();
  return (text) => {
    if (addresses.has(text)) return true;
    if (ranges.length === 0) return false;
    const known = remembered.get(text);
    if (known !== undefined) return known;
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    const found = isInRange(text);
    remembered.set(text, found);
    return found;
  };
}

/** The peer's address in its normal form, which stays the same for the life of a connection. */
const peers = new WeakMap<Socket, string>();

/** The address of the other side; undefined once it has gone. */
export function peerOf(socket: Socket): string | undefined {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const address = normalize(socket.remoteAddress ?? '');
  if (address !== undefined) peers.set(socket, address);
  return address;
}

/** Whether the peer of the connection is a trusted proxy. */
export function isFromProxy(request: IncomingMessage, isTrusted: TrustedProxies): boolean {
  const address = peerOf(request.socket);
  return address !== undefined && isTrusted(address);
}

/**
 * The caller's address in its normal form: the socket's, or, where the peer is a trusted proxy, the right-most entry of
 * X-Forwarded-For that is not one (contract §3). Undefined when that entry is no address: then the caller is unknown.
 */
export function callerAddress(request: IncomingMessage, isTrusted: TrustedProxies): string | undefined {
  let address = peerOf(request.socket);
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined) return address;
  const entries = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',').map((entry) => entry.trim());
  while (address !== undefined && isTrusted(address)) {
    const entry = entries.pop();
    if (entry === undefined || entry === '') return address;
    address = normalize(withoutPort(entry));
  }
  return address;
}

/** IPv6 in its short form, IPv4 in dotted decimal, also when it comes mapped into IPv6; undefined for anything else. */
function normalize(text: string): string | undefined {
  const bare = text.replace(/%.*$/, '');
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare).toString();
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::[0-9]+)?$/.exec(entry)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(entry)?.[1] ?? entry;
}

function parseRange(entry: string): Range | undefined {
  const [text = '', prefix, ...rest] = entry.split('/');
  if (rest.length > 0 || !(ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text))) return undefined;
  const address = ipaddr.parse(text);
  const width = address.kind() === 'ipv4' ? 32 : 128;
  if (prefix !== undefined && !/^[0-9]{1,3}$/.test(prefix)) return undefined;
  const bits = prefix === undefined ? width : Number(prefix);
  if (bits > width) return undefined;
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) return [address.toIPv4Address(), bits - 96];
  return [address, bits];
}

function matches(address: Address, network: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
}
