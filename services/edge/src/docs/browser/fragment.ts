import type { Credentials } from './signing.ts';

const NAMES = ['partner_id', 'client_id', 'client_secret'];

/**
 * Takes credentials out of an address's fragment, such as `#partner_id=..&client_id=..&client_secret=..`. They may follow a link
 * to an operation: `#/Tag/operation?partner_id=..`. `rest` is the fragment without them; undefined where it has none.
 */
export function takeCredentials(fragment: string): { credentials: Credentials; rest: string } | undefined {
  const text = fragment.replace(/^#/, '');
  const [link = '', query] = text.startsWith('/') ? text.split('?', 2) : ['', text];
  const fields = new URLSearchParams(query ?? '');
  if (!NAMES.some((name) => fields.has(name))) return undefined;
  const field = (name: string) => fields.get(name) ?? '';
  const credentials = { partnerId: field('partner_id'), clientId: field('client_id'), clientSecret: field('client_secret') };
  return { credentials, rest: link === '' ? '' : `#${link}` };
}
