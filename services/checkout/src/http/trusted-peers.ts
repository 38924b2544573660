import { BlockList, isIPv6, type Socket } from 'node:net';

/** Tells whether the other side of a connection is one of these addresses and CIDR ranges. */
export function trustedPeers(ranges: readonly string[]): (peer: Socket) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/', 2);
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return ({ remoteAddress }) => remoteAddress !== undefined && list.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4');
}
