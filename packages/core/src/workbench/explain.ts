import { jakartaDay } from '../calendar.ts';
import { canonicalJson, type Json } from '../canonical-json.ts';
import { RefusalError } from '../result.ts';
import { isTimestampInWindow, SIGNATURE_WINDOW_SECONDS } from '../signature.ts';
import { bodyVariants, type ReadBody, readBodyText } from './body-variants.ts';
import { type Difference, difference } from './causes.ts';
import { type Draft, HMAC_SHA512, signatureOf, textOf } from './draft.ts';
import { compareStrings } from './own-string.ts';
import { type Parsed, parseReceived, type Received, readSignature } from './received.ts';
import { findMistakes } from './search.ts';
import { requestVariants, tokenVariants, type Variant } from './variants.ts';

/**
 * What a signature should have been, and why the one received is another. `differences` is empty where the signature is good;
 * `notes` are what else a receiver would refuse. The secret is in none of it.
 */
export type Explanation = {
  kind: 'request or webhook' | 'access token';
  valid: boolean;
  /** Undefined where the body is no JSON, or is not signed. */
  canonicalJson: string | undefined;
  bodySha256: string | undefined;
  /** With stars in the secret's place, where the secret is a part of it. */
  stringToSign: string | undefined;
  expectedSignature: string | undefined;
  receivedSignature: string;
  differences: readonly Difference[];
  notes: readonly string[];
};

/** What is known of a message's signature before anything is compared. */
type Expected = Pick<Explanation, 'kind' | 'canonicalJson' | 'bodySha256' | 'stringToSign'> & {
  draft: Draft;
  variants: () => readonly Variant[];
  /** What is wrong with any signature. */
  differences: readonly Difference[];
  notes: readonly string[];
};

/** The access token endpoint that takes a signature. */
const TOKEN_PATH = /\/access-token\/b2b$/;
const UNIX_SECONDS = /^[0-9]{1,11}$/;
const HIDDEN = '********';

/**
 * Explains the signature of a request to the API, of a webhook, or of a request for an access token. `nowMs` is real time, for
 * the window of X-Timestamp and for the day of an access token. The caller bounds the body: 256 KiB take half a second.
 */
export function explainSignature(
  received: Received,
  clientSecret: string,
  { nowMs, ownString }: { nowMs: number; ownString?: string | undefined },
): Explanation {
  const parsed = parseReceived(received);
  const key = Buffer.from(clientSecret);
  const isTokenRequest = parsed.clientId !== '' && TOKEN_PATH.test(parsed.path);
  const read = isTokenRequest ? undefined : readBody(parsed.body);
  if (read !== undefined && 'component' in read) return unreadable(parsed, read);
  const expected = read === undefined ? ofTokenRequest(parsed, clientSecret, nowMs) : ofRequest(parsed, read, key, nowMs);
  const { kind, canonicalJson, bodySha256, stringToSign, draft, notes } = expected;
  const signature = signatureOf(draft);
  const found = compare(parsed.signature, signature, expected);
  const isUnexplained = found.some(({ cause }) => cause === 'unexplained');
  const told = isUnexplained && ownString !== undefined && kind !== 'access token';
  const differences = [...expected.differences, ...(told ? compareStrings(ownString, parsed.signature, expected) : found)];
  return {
    kind,
    valid: differences.length === 0,
    canonicalJson,
    bodySha256,
    stringToSign,
    expectedSignature: signature.toString('hex'),
    receivedSignature: parsed.signature,
    differences,
    notes,
  };
}

/** The same with the names that the command and the sandbox show. */
export function presentExplanation(explanation: Explanation): Record<string, Json> {
  return {
    kind: explanation.kind,
    valid: explanation.valid,
    canonical_json: explanation.canonicalJson ?? null,
    body_sha256: explanation.bodySha256 ?? null,
    string_to_sign: explanation.stringToSign ?? null,
    expected_signature: explanation.expectedSignature ?? null,
    received_signature: explanation.receivedSignature,
    differences: explanation.differences.map(({ component, cause, message }) => ({ component, cause, message })),
    notes: [...explanation.notes],
  };
}

function readBody(text: string): ReadBody | Difference {
  try {
    return readBodyText(text);
  } catch (error) {
    if (error instanceof RefusalError) return difference('body_not_json', error.refusal.message);
    if (error instanceof SyntaxError) return difference('body_not_json', error.message);
    throw error;
  }
}

function unreadable(parsed: Parsed, wrong: Difference): Explanation {
  return {
    kind: 'request or webhook',
    valid: false,
    canonicalJson: undefined,
    bodySha256: undefined,
    stringToSign: undefined,
    expectedSignature: undefined,
    receivedSignature: parsed.signature,
    differences: [wrong],
    notes: [],
  };
}

function ofRequest(parsed: Parsed, body: ReadBody, key: Buffer, nowMs: number): Expected {
  const bodies = bodyVariants(body, key);
  const bodySha256 = bodies[0]?.hashed ?? '';
  const parts = [parsed.method, parsed.path, parsed.accessToken, bodySha256, parsed.timestamp];
  const draft: Draft = { parts, separator: ':', key, digest: HMAC_SHA512 };
  return {
    kind: 'request or webhook',
    canonicalJson: body.json === undefined ? '' : canonicalJson(body.json),
    bodySha256,
    stringToSign: textOf(draft),
    draft,
    variants: () => requestVariants(parsed, bodies),
    differences: [...aboutToken(parsed.authorization), ...aboutTimestamp(parsed.timestamp)],
    notes: [...aboutWindow(parsed.timestamp, nowMs), ...aboutLength(parsed)],
  };
}

function aboutToken(authorization: string): Difference[] {
  return /^Bearer +\S/i.test(authorization) ? [] : [difference('token_missing')];
}

function aboutTimestamp(timestamp: string): Difference[] {
  if (timestamp === '') return [difference('timestamp_missing')];
  return UNIX_SECONDS.test(timestamp) ? [] : [difference('timestamp_not_unix_seconds')];
}

function aboutWindow(timestamp: string, nowMs: number): string[] {
  if (!UNIX_SECONDS.test(timestamp) || isTimestampInWindow(timestamp, nowMs)) return [];
  const seconds = Math.round(Number(timestamp) - nowMs / 1_000);
  const when = seconds < 0 ? `${-seconds} s ago` : `${seconds} s ahead`;
  return [`X-Timestamp is ${when}: more than ${SIGNATURE_WINDOW_SECONDS} s from now, it is refused whatever the signature is`];
}

function aboutLength({ body, contentLength }: Parsed): string[] {
  const bytes = String(Buffer.byteLength(body));
  if (contentLength === '' || contentLength === bytes) return [];
  return [`Content-Length is ${contentLength}, but the body has ${bytes} bytes: it is not the body that was sent`];
}

function ofTokenRequest(parsed: Parsed, clientSecret: string, nowMs: number): Expected {
  const day = jakartaDay(nowMs);
  const draft: Draft = {
    parts: [parsed.clientId, clientSecret, day],
    separator: '_',
    key: Buffer.from(clientSecret),
    digest: HMAC_SHA512,
  };
  return {
    kind: 'access token',
    canonicalJson: undefined,
    bodySha256: undefined,
    stringToSign: [parsed.clientId, HIDDEN, day].join('_'),
    draft,
    variants: () => tokenVariants(parsed, nowMs),
    differences: [],
    notes: [`an access token's signature is good for one day: today is ${day} in Jakarta`],
  };
}

/** How the signature received differs from the one expected: in how it is written, in what was signed, or both. */
function compare(received: string, expected: Buffer, { draft, variants }: Expected): readonly Difference[] {
  if (received === '') return [difference('signature_missing')];
  const readings = readSignature(received);
  if (readings.length === 0) return [difference('signature_unreadable')];
  const written = (cause: (typeof readings)[number]['cause']) => (cause === undefined ? [] : [difference(cause)]);
  for (const { bytes, cause } of readings) if (bytes.equals(expected)) return written(cause);
  if (received.length >= 16 && expected.toString('hex').includes(received)) return [difference('signature_cut')];
  const others = variants();
  for (const { bytes, cause } of readings) {
    const found = findMistakes(draft, bytes, others);
    if (found !== undefined) return [...found, ...written(cause)];
  }
  return [difference('unexplained')];
}
