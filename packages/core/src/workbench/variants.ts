import { jakartaDay } from '../calendar.ts';
import type { BodyVariant } from './body-variants.ts';
import { type Cause, type Difference, difference } from './causes.ts';
import { type Draft, hmac, PLAIN_SHA512, SWAPPED, withPart } from './draft.ts';
import type { Parsed } from './received.ts';

/** One mistake: how a draft looks with it. Two of one slot exclude each other; `alone` is tried without any other. */
export type Variant = { slot: string; differences: readonly Difference[]; apply: (draft: Draft) => Draft; alone?: true };

/** Where the parts of a request's string to sign are (merchant-api.md, request signature). */
const REQUEST_PARTS = { method: 0, path: 1, access_token: 2, body: 3, timestamp: 4 } as const;
/** Of the access token's (merchant-api.md, access token signature). */
const TOKEN_PARTS = { client_id: 0, secret: 1, day: 2 } as const;

const DAY_MS = 86_400_000;
/** How far apart two readings of one clock are looked for, seconds. */
const TAKEN_TWICE_MAX = 120;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const TIMESTAMP_FIELDS = /"(?:[a-z_]*timestamp|[a-z_]+_at)"\s*:\s*(?:"([^"\\]*)"|(\d+))/gi;

/** What may have gone wrong with a signed request or webhook. */
export function requestVariants(parsed: Parsed, bodies: readonly BodyVariant[]): Variant[] {
  return [
    ...bodies.filter(({ causes }) => causes.length > 0).map(toVariant),
    ...partVariants('path', REQUEST_PARTS.path, parsed.path, paths(parsed)),
    ...partVariants('access_token', REQUEST_PARTS.access_token, parsed.accessToken, tokens(parsed)),
    ...partVariants('timestamp', REQUEST_PARTS.timestamp, parsed.timestamp, timestamps(parsed)),
    ...partVariants('method', REQUEST_PARTS.method, parsed.method, methods(parsed)),
    ...otherMoments(parsed.timestamp),
    ...keyVariants(parsed, undefined),
    ...digestVariants(),
    ...['|', '\n', '', '.', '&', '+'].map((separator) => separatorVariant(separator)),
  ];
}

/** What may have gone wrong with the signature of an access token request. */
export function tokenVariants(parsed: Parsed, nowMs: number): Variant[] {
  const today = jakartaDay(nowMs);
  const days: [string, Cause][] = [
    [jakartaDay(nowMs - 7 * 3_600_000), 'day_of_utc'],
    [`${today.slice(0, 4)}-${today.slice(4, 6)}-${today.slice(6)}`, 'day_with_dashes'],
    ...[-2, -1, 1].map((days): [string, Cause] => [jakartaDay(nowMs + days * DAY_MS), 'day_other']),
  ];
  return [
    ...partVariants('day', TOKEN_PARTS.day, today, days),
    ...partVariants('client_id', TOKEN_PARTS.client_id, parsed.clientId, [[parsed.partnerId, 'client_id_is_partner_id']]),
    ...keyVariants(parsed, TOKEN_PARTS.secret),
    ...digestVariants(),
    ...['', '-', ':', '|'].map((separator) => separatorVariant(separator)),
  ];
}

function toVariant({ hashed, causes }: BodyVariant): Variant {
  return {
    slot: 'body',
    differences: [...new Set(causes)].map((cause) => difference(cause)),
    apply: (draft) => withPart(draft, REQUEST_PARTS.body, hashed),
  };
}

/** Each other text once, under the first cause that leads to it. */
function partVariants(slot: string, index: number, right: string, others: readonly [string, Cause][]): Variant[] {
  const known = new Set([right]);
  return others.flatMap(([text, cause]): Variant[] => {
    if (known.has(text)) return [];
    known.add(text);
    return [{ slot, differences: [difference(cause, shown(text))], apply: (draft) => withPart(draft, index, text) }];
  });
}

/** For people: what was signed in place of the right text. */
function shown(text: string): string {
  return `signed was ${JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)}`;
}

function paths({ path, origins }: Parsed): [string, Cause][] {
  const [bare = '', query] = splitOnce(path, '?');
  const rest = query === undefined ? '' : `?${query}`;
  const slashed = bare.endsWith('/') ? bare.slice(0, -1) : `${bare}/`;
  const decoded = decode(path);
  return [
    [bare, 'path_without_query'],
    ...origins.flatMap((origin): [string, Cause][] => [
      [`${origin}${path}`, 'path_with_host'],
      [`${origin}${bare}`, 'path_with_host'],
    ]),
    [path.slice(1), 'path_without_leading_slash'],
    [`${slashed}${rest}`, 'path_with_other_trailing_slash'],
    ...decoded.map((text): [string, Cause] => [text, 'path_decoded']),
    [encodeURI(path), 'path_encoded'],
    [encodeURIComponent(path), 'path_encoded'],
    [`${bare}?${(query ?? '').split('&').sort().join('&')}`, 'path_query_sorted'],
    [path.toLowerCase(), 'path_in_lower_case'],
    ['', 'path_left_out'],
    ['/', 'path_left_out'],
  ];
}

function decode(path: string): string[] {
  try {
    return [decodeURIComponent(path), decodeURIComponent(path.replaceAll('+', ' '))];
  } catch {
    return [];
  }
}

function tokens({ accessToken, authorization, partnerId }: Parsed): [string, Cause][] {
  return [
    [authorization, 'token_with_bearer'],
    [`Bearer ${accessToken}`, 'token_with_bearer'],
    [`bearer ${accessToken}`, 'token_with_bearer'],
    [`Bearer${accessToken}`, 'token_with_bearer'],
    [` ${accessToken}`, 'token_with_white_space'],
    [`${accessToken} `, 'token_with_white_space'],
    [`${accessToken}\n`, 'token_with_white_space'],
    [accessToken.trim(), 'token_with_white_space'],
    ['', 'token_left_out'],
    [partnerId, 'token_is_partner_id'],
  ];
}

function timestamps({ timestamp, body }: Parsed): [string, Cause][] {
  const ms = millisecondsOf(timestamp);
  const seconds = ms === undefined ? undefined : String(Math.floor(ms / 1_000));
  const others: [string, Cause][] = [];
  if (ms !== undefined && seconds !== undefined) {
    others.push(
      [seconds, 'timestamp_in_seconds'],
      [String(ms), 'timestamp_in_milliseconds'],
      [`${seconds}.0`, 'timestamp_in_seconds'],
    );
    const iso = new Date(ms).toISOString();
    const local = new Date(ms + 7 * 3_600_000).toISOString().slice(0, 19);
    const dates = [iso, `${iso.slice(0, 19)}Z`, `${iso.slice(0, 19)}+00:00`, `${local}+07:00`, local.replace('T', ' ')];
    others.push(...dates.map((text): [string, Cause] => [text, 'timestamp_in_iso_8601']));
  }
  for (const [, text, digits] of body.matchAll(TIMESTAMP_FIELDS)) others.push([text ?? digits ?? '', 'timestamp_of_the_body']);
  others.push(['', 'timestamp_left_out']);
  return others.slice(0, 100);
}

/** Unix milliseconds of a timestamp in seconds, milliseconds or ISO 8601. */
function millisecondsOf(timestamp: string): number | undefined {
  if (/^\d{1,11}$/.test(timestamp)) return Number(timestamp) * 1_000;
  if (/^\d{12,14}$/.test(timestamp)) return Number(timestamp);
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The string to sign and the header made at different moments: the seconds around, and each millisecond of the second. */
function otherMoments(timestamp: string): Variant[] {
  if (!/^\d{1,11}$/.test(timestamp)) return [];
  const seconds = Number(timestamp);
  const variant = (text: string, cause: Cause): Variant => ({
    slot: 'timestamp',
    differences: [difference(cause, shown(text))],
    apply: (draft) => withPart(draft, REQUEST_PARTS.timestamp, text),
    alone: true,
  });
  const variants: Variant[] = [];
  for (let apart = 1; apart <= TAKEN_TWICE_MAX; apart++) {
    variants.push(
      variant(String(seconds - apart), 'timestamp_taken_twice'),
      variant(String(seconds + apart), 'timestamp_taken_twice'),
    );
  }
  for (let ms = 1; ms < 1_000; ms++) variants.push(variant(String(seconds * 1_000 + ms), 'timestamp_in_milliseconds'));
  return variants;
}

function methods({ method }: Parsed): [string, Cause][] {
  return [
    [method.toLowerCase(), 'method_not_upper_case'],
    [method.charAt(0) + method.slice(1).toLowerCase(), 'method_not_upper_case'],
    ...METHODS.map((other): [string, Cause] => [other, 'method_other']),
    ['', 'method_left_out'],
  ];
}

/** Other keys; where the secret is a part of the text too, it is another there as well. */
function keyVariants({ partnerId, accessToken }: Parsed, index: number | undefined): Variant[] {
  const others: [(secret: string) => string | Buffer, Cause][] = [
    [(secret) => `${secret}\n`, 'secret_with_white_space'],
    [(secret) => `${secret}\r\n`, 'secret_with_white_space'],
    [(secret) => `${secret} `, 'secret_with_white_space'],
    [(secret) => ` ${secret}`, 'secret_with_white_space'],
    [(secret) => secret.trim(), 'secret_with_white_space'],
    [(secret) => `"${secret}"`, 'secret_quoted'],
    [(secret) => `'${secret}'`, 'secret_quoted'],
    [(secret) => secret.replace(/^(["'])(.*)\1$/s, '$2'), 'secret_quoted'],
    [(secret) => Buffer.from(secret, 'base64'), 'secret_decoded'],
    [(secret) => Buffer.from(secret, 'hex'), 'secret_decoded'],
    [(secret) => secret.toLowerCase(), 'secret_in_other_case'],
    [(secret) => secret.toUpperCase(), 'secret_in_other_case'],
    [() => partnerId, 'partner_id_as_secret'],
    [() => accessToken, 'token_as_secret'],
  ];
  return others.map(([change, cause]) => ({
    slot: 'secret',
    // What was used in its place is not shown: a secret stays out of every answer.
    differences: [difference(cause)],
    apply: (draft) => {
      const other = change(draft.key.toString());
      const changed = { ...draft, key: Buffer.from(other) };
      return index === undefined || typeof other !== 'string' ? changed : withPart(changed, index, other);
    },
  }));
}

function digestVariants(): Variant[] {
  const hmacs = [hmac('sha256', 32), hmac('sha384', 48), hmac('sha1', 20), hmac('md5', 16)];
  const variant = (digest: Draft['digest'], cause: Cause): Variant => ({
    slot: 'algorithm',
    differences: [difference(cause, digest.name)],
    apply: (draft) => ({ ...draft, digest }),
  });
  return [
    ...hmacs.map((digest) => variant(digest, 'hmac_other')),
    ...PLAIN_SHA512.map((digest) => variant(digest, 'not_an_hmac')),
    variant(SWAPPED, 'key_and_text_swapped'),
  ];
}

function separatorVariant(separator: string): Variant {
  return {
    slot: 'string_to_sign',
    differences: [difference('separator', separator === '' ? 'by nothing' : `by ${JSON.stringify(separator)}`)],
    apply: (draft) => ({ ...draft, separator }),
  };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
