/** Digits or printable characters, of a fixed length or with a length of so many digits in front. */
type FieldFormat = { content: 'n' | 'ans'; lengthDigits: 0 | 2 | 3; max: number };

/**
 * A message of ISO 8583:1987: its type (`0100`) and its fields by number, as the text that the standard defines, without lengths.
 * Field 2 is a card number and field 48 may hold a CVV: a message is never logged.
 */
export type Message = { type: string; fields: Fields };

export type Fields = Readonly<Partial<Record<FieldNumber, string>>>;

/**
 * The fields that we send or read: numeric (`n`), characters (`ans`), of a fixed length, or with a length of two or three digits
 * in front. A message with any other field can't be read, because its length is not known.
 */
const FIELDS = {
  /** Primary account number */
  2: numeric(19, 2),
  /** Processing code */
  3: numeric(6),
  /** Amount, transaction */
  4: numeric(12),
  /** Transmission date and time */
  7: numeric(10),
  /** Systems trace audit number */
  11: numeric(6),
  /** Time, local transaction */
  12: numeric(6),
  /** Date, local transaction */
  13: numeric(4),
  /** Date, expiration */
  14: numeric(4),
  /** Date, settlement */
  15: numeric(4),
  /** Merchant's type */
  18: numeric(4),
  /** Point of service entry mode */
  22: numeric(3),
  /** Point of service condition code */
  25: numeric(2),
  /** Acquiring institution identification code */
  32: numeric(11, 2),
  /** Retrieval reference number */
  37: characters(12),
  /** Authorization identification response */
  38: characters(6),
  /** Response code */
  39: characters(2),
  /** Card acceptor terminal identification */
  41: characters(8),
  /** Card acceptor identification code */
  42: characters(15),
  /** Card acceptor name and location */
  43: characters(40),
  /** Additional data, private */
  48: characters(999, 3),
  /** Currency code, transaction */
  49: numeric(3),
  /** Network management information code */
  70: numeric(3),
  /** Original data elements */
  90: numeric(42),
  /** Replacement amounts */
  95: characters(42),
} as const satisfies Record<number, FieldFormat>;

export type FieldNumber = keyof typeof FIELDS;

/** Ascending, as integer keys are. */
const FIELD_NUMBERS = Object.keys(FIELDS).map(Number).filter(isKnown);

const CONTENT = { n: /^[0-9]*$/, ans: /^[ -~]*$/ };

/** The type is in front: 0 for 1987, and three digits. A bitmap has a bit for each of 64 fields, the first bit of the first for a second bitmap. */
const TYPE = /^0[1-8][0-9]{2}$/;
const TYPE_LENGTH = 4;
const BITMAP_BYTES = 8;
const BITMAP_FIELDS = 64;
const SECOND_BITMAP = 1;

/** Bytes that are no message of this kind. It says where, never what stood there. */
export class UnreadableMessageError extends Error {
  override name = 'UnreadableMessageError';
}

/** A field breaks its format. It says which, never what stood there. */
export class UnpackableMessageError extends Error {
  override name = 'UnpackableMessageError';
}

/**
 * The message as bytes: type in ASCII, bitmap binary, fields in ASCII. A second bitmap stands there only where a field above 64
 * does. Throws UnpackableMessageError.
 */
export function packMessage({ type, fields }: Message): Buffer {
  if (!TYPE.test(type)) throw new UnpackableMessageError('a message needs a type of this standard');
  const numbers = fieldNumbersOf(fields);
  const texts = numbers.map((number) => {
    const packed = packField(FIELDS[number], fields[number] ?? '');
    if (packed === undefined) throw new UnpackableMessageError(`this message of type ${type} can not be packed: field ${number}`);
    return packed;
  });
  return Buffer.concat([Buffer.from(type, 'latin1'), bitmapOf(numbers), Buffer.from(texts.join(''), 'latin1')]);
}

/** In the order in which they are sent. */
function fieldNumbersOf(fields: Fields): FieldNumber[] {
  return FIELD_NUMBERS.filter((number) => fields[number] !== undefined);
}

function packField({ content, lengthDigits, max }: FieldFormat, text: string): string | undefined {
  const hasLength = lengthDigits === 0 ? text.length === max : text.length <= max;
  if (!hasLength || !CONTENT[content].test(text)) return undefined;
  return lengthDigits === 0 ? text : `${String(text.length).padStart(lengthDigits, '0')}${text}`;
}

function bitmapOf(numbers: readonly number[]): Buffer {
  const hasSecond = numbers.some((number) => number > BITMAP_FIELDS);
  const bitmap = Buffer.alloc(hasSecond ? 2 * BITMAP_BYTES : BITMAP_BYTES);
  for (const number of hasSecond ? [SECOND_BITMAP, ...numbers] : numbers) {
    const at = (number - 1) >> 3;
    bitmap.writeUInt8(bitmap.readUInt8(at) | (0x80 >> ((number - 1) & 7)), at);
  }
  return bitmap;
}

/** Reads bytes as `packMessage` writes them, or with a second bitmap that is empty. Throws UnreadableMessageError. */
export function unpackMessage(bytes: Uint8Array): Message {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const type = text.slice(0, TYPE_LENGTH);
  if (text.length < TYPE_LENGTH + BITMAP_BYTES || !TYPE.test(type)) throw new UnreadableMessageError('no type and bitmap');
  const { numbers, length } = readBitmap(bytes.subarray(TYPE_LENGTH));
  const fields: Partial<Record<FieldNumber, string>> = {};
  let at = TYPE_LENGTH + length;
  for (const number of numbers) {
    if (!isKnown(number)) throw new UnreadableMessageError(`field ${number} is none that we know`);
    const { lengthDigits, max } = FIELDS[number];
    const valueAt = at + lengthDigits;
    const end = valueAt + (lengthDigits === 0 ? max : Number(text.slice(at, valueAt)));
    const value = text.slice(valueAt, end);
    // What packs to the same text has a right length and right characters, and does not end early.
    if (packField(FIELDS[number], value) !== text.slice(at, end))
      throw new UnreadableMessageError(`field ${number} can not be read`);
    fields[number] = value;
    at = end;
  }
  if (at !== text.length) throw new UnreadableMessageError(`a message of ${text.length} bytes does not match its bitmap`);
  return { type, fields };
}

/** The fields that follow, and how many bytes the bitmaps take. */
function readBitmap(bytes: Uint8Array): { numbers: number[]; length: number } {
  const hasSecond = ((bytes[0] ?? 0) & 0x80) !== 0;
  const length = hasSecond ? 2 * BITMAP_BYTES : BITMAP_BYTES;
  if (bytes.length < length) throw new UnreadableMessageError('no second bitmap');
  const all = Array.from({ length: length * 8 }, (_, bit) => bit + 1);
  const isSet = (number: number) => ((bytes[(number - 1) >> 3] ?? 0) & (0x80 >> ((number - 1) & 7))) !== 0;
  return { numbers: all.filter((number) => number !== SECOND_BITMAP && isSet(number)), length };
}

function isKnown(number: number): number is FieldNumber {
  return number in FIELDS;
}

function numeric(max: number, lengthDigits: FieldFormat['lengthDigits'] = 0): FieldFormat {
  return { content: 'n', lengthDigits, max };
}

function characters(max: number, lengthDigits: FieldFormat['lengthDigits'] = 0): FieldFormat {
  return { content: 'ans', lengthDigits, max };
}
