import { isIPv6 } from 'node:net';

/** Groups of 16 bits that every subscriber of IPv6 gets a range of: who has one address of a /64 has all of them. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * What limits count an address by: an IPv4 address, also when it comes mapped into IPv6, or the /64 of an IPv6 address. Anything
 * that is no address stays as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [bare = ''] = address.split('%', 1);
  if (!isIPv6(bare)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = bare.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array<string>(GROUPS - before.length - after.length).fill('0');
  const network = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
