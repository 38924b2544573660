import { createHash, randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_BYTES = 10;
/** How many characters of a ULID are its time. */
const TIME_LENGTH = 10;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Makes ids; passed in, so that domain code stays pure. */
export type NewId = (nowMs: number) => string;

/** Ids are cut from random bytes that are made many at a time: asking for ten costs as much as asking for thousands. */
const random = new Uint8Array(400 * RANDOM_BYTES);
let usedBytes = random.length;

/** A ULID of the given time and ten random bytes. */
export function newUlid(nowMs: number): string {
  if (usedBytes === random.length) {
    randomFillSync(random);
    usedBytes = 0;
  }
  usedBytes += RANDOM_BYTES;
  return encode(nowMs, random.subarray(usedBytes - RANDOM_BYTES, usedBytes));
}

/** The same ULID for the same time and name, on every machine: an id that a retry makes again. */
export function ulidFrom(timeMs: number, name: string): string {
  return encode(timeMs, createHash('sha256').update(name).digest().subarray(0, RANDOM_BYTES));
}

/** Whether the text is a canonical, upper-case ULID. */
export function isUlid(text: string): boolean {
  return ULID.test(text);
}

/** Milliseconds since the epoch that a ULID carries. */
export function ulidTimeMs(ulid: string): number {
  let ms = 0;
  for (const character of ulid.slice(0, 10)) ms = ms * 32 + ALPHABET.indexOf(character);
  return ms;
}

/** The text before every ULID of this time or later, and after every earlier one. */
export function ulidFloor(timeMs: number): string {
  return encode(timeMs, new Uint8Array()).slice(0, TIME_LENGTH);
}

function encode(timeMs: number, random: Uint8Array): string {
  let text = '';
  let rest = Math.floor(timeMs);
  for (let i = 0; i < 10; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  let bits = 0;
  let value = 0;
  for (const byte of random) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((value >>> bits) & 31);
      value &= (1 << bits) - 1;
    }
  }
  return text;
}
