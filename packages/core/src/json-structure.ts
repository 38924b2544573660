import { RefusalError, refuse } from './result.ts';

const DEPTH_MAX = 64;
/** Integers of so many digits at the most are written as they are read. */
const EXACT_DIGITS_MAX = 15;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;

/** The keys of an open object: the list alone while they ascend, and so cannot repeat; a set from the first that does not. */
type Keys = { last: string | undefined; list: string[]; set: Set<string> | undefined };

/**
 * Goes once over text that JSON.parse has accepted. Refuses a key that comes twice in one object, and what is nested too deep.
 * Tells whether the text is its own normalized JSON (contract §3): then it can be hashed as it is. (False may mean only that
 * telling would take longer than writing it anew.) Refusals: bad_request.
 */
export function checkStructure(text: string): { isCanonical: boolean } {
  const open: (Keys | undefined)[] = [];
  const hasEscapes = text.includes('\\');
  let isCanonical = !hasEscapes;
  let isKey = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = hasEscapes ? endOfString(text, i) : text.indexOf('"', i + 1);
      const keys = isKey ? open.at(-1) : undefined;
      if (keys !== undefined && !addKey(keys, text.slice(i, end + 1))) isCanonical = false;
      isKey = false;
      i = end;
    } else if (code === COMMA) {
      isKey = open.at(-1) !== undefined;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      isKey = code === OPEN_BRACE;
      open.push(isKey ? { last: undefined, list: [], set: undefined } : undefined);
      if (open.length > DEPTH_MAX) refuseBody(`The body is nested deeper than ${DEPTH_MAX} levels`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
      isKey = false;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, i);
      if (code === MINUS || end - i > EXACT_DIGITS_MAX || !isDigits(text, i, end)) isCanonical = false;
      i = end - 1;
    } else if (code <= SPACE) isCanonical = false;
  }
  return { isCanonical };
}

/** Adds a key to its object; false when it comes out of order. */
function addKey(keys: Keys, quoted: string): boolean {
  const key: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
  const ascends = keys.last === undefined || keys.last < key;
  keys.last = key;
  if (keys.set === undefined && ascends) {
    keys.list.push(key);
    return true;
  }
  keys.set ??= new Set(keys.list);
  if (keys.set.has(key)) refuseBody('The body has a key twice in one object');
  keys.set.add(key);
  return false;
}

/** Where the string that begins at `start` ends: at the next quote that no backslash escapes. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && /[0-9.eE+-]/.test(text.charAt(end))) end++;
  return end;
}

function isDigits(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

function refuseBody(message: string): never {
  throw new RefusalError(refuse('bad_request', { message }));
}
