import { isIP } from 'node:net';

/** Whether the text is an IPv4 or IPv6 address, or a CIDR range of them, as whitelists hold (contract §3). */
export function isIpRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^(0|[1-9][0-9]{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}
