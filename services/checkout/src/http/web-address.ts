import { z } from 'zod';

const schema = z.url({ protocol: /^https?$/ }).max(2_000);

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
