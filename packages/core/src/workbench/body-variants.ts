import { createHash, createHmac } from 'node:crypto';
import { canonicalJson, type Json } from '../canonical-json.ts';
import { checkStructure } from '../json-structure.ts';
import { hashOfCanonical } from '../signature.ts';
import type { Cause } from './causes.ts';
import { readWritten, type Style, type WrittenJson, write } from './written-json.ts';

/** What may have stood in the place of the body's hash, and by which mistakes; none for the right one. */
export type BodyVariant = { hashed: string; causes: readonly Cause[] };

/** A body as received. `json` is undefined where there is none. */
export type ReadBody = { text: string; json: Json | undefined };

/** As much text is written in other ways, in all. */
const WRITTEN_MAX = 8 * 1024 * 1024;

const GENERAL_WEIGHT = 10;

type Way<T> = { value: T; causes: readonly Cause[] };

const ORDERS: readonly Way<Style['order']>[] = [
  { value: 'code-units', causes: [] },
  { value: 'as-received', causes: ['keys_not_sorted'] },
  { value: 'outermost', causes: ['keys_sorted_outermost_only'] },
  { value: 'without-case', causes: ['keys_sorted_without_case'] },
  { value: 'code-points', causes: ['keys_sorted_by_code_point'] },
];

const TEXTS: readonly Way<Style['text']>[] = [
  { value: rewritten, causes: [] },
  { value: (written) => slashed(ascii(rewritten(written))), causes: ['unicode_escaped', 'slashes_escaped'] },
  { value: (written) => ascii(rewritten(written)), causes: ['unicode_escaped'] },
  { value: (written) => slashed(rewritten(written)), causes: ['slashes_escaped'] },
  { value: (written) => html(rewritten(written)), causes: ['html_escaped'] },
  { value: (written) => written, causes: ['escapes_as_received'] },
];

const SPACES: readonly Way<Pick<Style, 'comma' | 'colon' | 'indent'>>[] = [
  { value: { comma: ',', colon: ':', indent: undefined }, causes: [] },
  { value: { comma: ', ', colon: ': ', indent: undefined }, causes: ['white_space'] },
  { value: { comma: ',', colon: ': ', indent: '  ' }, causes: ['white_space'] },
  { value: { comma: ',', colon: ': ', indent: '    ' }, causes: ['white_space'] },
  { value: { comma: ',', colon: ': ', indent: '\t' }, causes: ['white_space'] },
];

const NUMBERS: readonly Way<Style['number']>[] = [
  { value: rewritten, causes: [] },
  { value: (written) => written, causes: ['numbers_as_received'] },
  { value: asFloat, causes: ['numbers_as_floats'] },
];

/**
 * Reads a body as the gateway does. Refusals: bad_request, for what it refuses before it looks at the signature; SyntaxError
 * likewise.
 */
export function readBodyText(text: string): ReadBody {
  if (text === '') return { text, json: undefined };
  const json: Json = JSON.parse(text);
  checkStructure(text);
  return { text, json };
}

/**
 * Every way in which the body may have been hashed, the right one first, each once and with the fewest mistakes that lead to it.
 */
export function bodyVariants(body: ReadBody, secret: Buffer): BodyVariant[] {
  const found = new Map<string, BodyVariant>();
  const add = (hashed: string, causes: readonly Cause[]) => {
    const known = found.get(hashed);
    if (known === undefined || weightOf(known.causes) > weightOf(causes)) found.set(hashed, { hashed, causes });
  };
  const canonical = body.json === undefined ? '' : canonicalJson(body.json);
  add(hashOfCanonical(canonical), []);
  for (const { value, causes } of otherTexts(body, canonical)) add(hashOfCanonical(value), causes);
  for (const text of new Set([canonical, body.text])) {
    for (const { value, causes } of otherHashes(text, secret)) {
      add(value, text === canonical ? causes : [...causes, 'body_as_received']);
    }
  }
  return [...found.values()];
}

/** The fewer mistakes the better; "as it was sent" is said only where nothing tells what that means. */
function weightOf(causes: readonly Cause[]): number {
  return causes.length + (causes.includes('body_as_received') ? GENERAL_WEIGHT : 0);
}

function* otherTexts(body: ReadBody, canonical: string): Generator<Way<string | Uint8Array>> {
  const { text, json } = body;
  if (json === undefined) {
    for (const value of ['{}', '[]', 'null', '""']) yield { value, causes: ['empty_body_not_empty'] };
    return;
  }
  yield* stylesOf(readWritten(text));
  yield { value: text, causes: ['body_as_received'] };
  yield { value: '', causes: ['body_left_out'] };
  for (const value of new Set([text, canonical, JSON.stringify(json)])) {
    const causes: Cause[] = value === canonical ? [] : ['body_as_received'];
    yield { value: `${value}\n`, causes: [...causes, 'trailing_newline'] };
    yield { value: `${value}\r\n`, causes: [...causes, 'trailing_newline'] };
    yield { value: `\ufeff${value}`, causes: [...causes, 'byte_order_mark'] };
    yield { value: Buffer.from(value, 'latin1'), causes: [...causes, 'latin1'] };
    yield { value: JSON.stringify(value), causes: ['double_encoded'] };
  }
  yield* innerTexts(json);
}

/** The same JSON in the styles of the languages' serializers, those with the fewest mistakes first. */
function* stylesOf(json: WrittenJson): Generator<Way<string>> {
  const styles: Way<Style>[] = [];
  for (const order of ORDERS) {
    for (const text of TEXTS) {
      for (const space of SPACES) {
        for (const number of NUMBERS) {
          styles.push({
            value: { order: order.value, text: text.value, number: number.value, ...space.value },
            causes: [order, space, text, number].flatMap(({ causes }) => causes),
          });
        }
      }
    }
  }
  let written = 0;
  for (const { value, causes } of styles.sort((a, b) => a.causes.length - b.causes.length)) {
    const text = write(json, value);
    written += text.length;
    yield { value: text, causes };
    if (written > WRITTEN_MAX) return;
  }
}

/** Parts of the body that may have been taken for the whole. */
function* innerTexts(json: Json): Generator<Way<string>> {
  if (typeof json === 'string') {
    yield { value: json, causes: ['sent_double_encoded'] };
    const inner = parsed(json);
    if (inner !== undefined) yield { value: canonicalJson(inner), causes: ['sent_double_encoded'] };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json) || json.data === undefined) return;
  yield { value: canonicalJson(json.data), causes: ['data_only'] };
  yield { value: JSON.stringify(json.data), causes: ['data_only'] };
}

function parsed(text: string): Json | undefined {
  try {
    return readBodyText(text).json;
  } catch {
    return undefined;
  }
}

/** Other things than the lower-case SHA-256 of a text. */
function* otherHashes(text: string, secret: Buffer): Generator<Way<string>> {
  const sha256 = createHash('sha256').update(text).digest();
  yield { value: sha256.toString('hex').toUpperCase(), causes: ['hash_in_capitals'] };
  yield { value: sha256.toString('base64'), causes: ['hash_in_base64'] };
  yield { value: createHash('sha512').update(text).digest('hex'), causes: ['hash_sha512'] };
  for (const name of ['sha1', 'md5']) yield { value: createHash(name).update(text).digest('hex'), causes: ['hash_other'] };
  yield { value: createHmac('sha256', secret).update(text).digest('hex'), causes: ['hash_keyed'] };
  yield { value: text, causes: ['body_not_hashed'] };
}

/** A text or number as ECMAScript writes it. */
function rewritten(written: string): string {
  return JSON.stringify(JSON.parse(written));
}

function ascii(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function slashed(text: string): string {
  return text.replaceAll('/', '\\/');
}

function html(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Numbers that are no plain integers as languages with floats write them. */
function asFloat(written: string): string {
  const text = rewritten(written);
  return /[.eE]/.test(written) && /^-?\d+$/.test(text) ? `${text}.0` : text;
}
