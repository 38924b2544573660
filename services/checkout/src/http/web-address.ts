import { URL_LENGTH_MAX } from '@gerbang/core';
import { z } from 'zod';

const schema = z.url({ protocol: /^https?$/ }).max(URL_LENGTH_MAX);

/** An address that a page may lead to; undefined for anything else that a merchant or a rail could have given. */
export function webAddress(text: string): string | undefined {
  const checked = schema.safeParse(text);
  return checked.success ? checked.data : undefined;
}

/** Where the shop wants its customer after a payment: its address with the payment's reference (contract §5). */
export function shopAddress(successRedirectUrl: string, reference: string): string | undefined {
  const address = webAddress(successRedirectUrl);
  if (address === undefined) return undefined;
  const url = new URL(address);
  url.searchParams.set('reff_no', reference);
  return url.href;
}

/**
 * Where a page's form may lead, by the address that it leads to in the end. Browsers check every redirect on the way by it, and
 * wallets and shops lead on through addresses of their own; so it is any that has TLS, or where that address has none, as in the
 * sandbox, only its own.
 */
export function formTargets(address: string): string {
  const { protocol, origin } = new URL(address);
  return protocol === 'https:' ? protocol : origin;
}
