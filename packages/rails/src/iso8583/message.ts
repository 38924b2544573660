import Iso8583 from 'iso_8583';

type FieldFormat = Iso8583.FieldFormat;

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
  2: numeric('llvar', 19, 'Primary account number'),
  3: numeric('fixed', 6, 'Processing code'),
  4: numeric('fixed', 12, 'Amount, transaction'),
  7: numeric('fixed', 10, 'Transmission date and time'),
  11: numeric('fixed', 6, 'Systems trace audit number'),
  12: numeric('fixed', 6, 'Time, local transaction'),
  13: numeric('fixed', 4, 'Date, local transaction'),
  14: numeric('fixed', 4, 'Date, expiration'),
  15: numeric('fixed', 4, 'Date, settlement'),
  18: numeric('fixed', 4, "Merchant's type"),
  22: numeric('fixed', 3, 'Point of service entry mode'),
  25: numeric('fixed', 2, 'Point of service condition code'),
  32: numeric('llvar', 11, 'Acquiring institution identification code'),
  37: characters('fixed', 12, 'Retrieval reference number'),
  38: characters('fixed', 6, 'Authorization identification response'),
  39: characters('fixed', 2, 'Response code'),
  41: characters('fixed', 8, 'Card acceptor terminal identification'),
  42: characters('fixed', 15, 'Card acceptor identification code'),
  43: characters('fixed', 40, 'Card acceptor name and location'),
  48: characters('lllvar', 999, 'Additional data, private'),
  49: numeric('fixed', 3, 'Currency code, transaction'),
  70: numeric('fixed', 3, 'Network management information code'),
  90: numeric('fixed', 42, 'Original data elements'),
  95: characters('fixed', 42, 'Replacement amounts'),
} as const satisfies Record<number, FieldFormat>;

export type FieldNumber = keyof typeof FIELDS;

/** The same as the library takes it. */
const FORMATS = Object.fromEntries(Object.entries(FIELDS)) as Record<string, FieldFormat>;

/** Where the first bitmap begins, and the bit of it that says that a second one follows. */
const BITMAP = 4;
const SECOND_BITMAP = 0x80;

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
export function packMessage(message: Message): Buffer {
  const packed = packWithBothBitmaps(message);
  return Object.keys(message.fields).some((field) => Number(field) > 64) ? packed : withoutSecondBitmap(packed);
}

/** The library always writes both bitmaps. */
function packWithBothBitmaps({ type, fields }: Message): Buffer {
  const packed = new Iso8583({ 0: type, ...fields }, FORMATS).getRawMessage();
  if (Buffer.isBuffer(packed)) return packed;
  throw new UnpackableMessageError(`this message of type ${type} can not be packed: field ${fieldIn(packed.error)}`);
}

/** The library's words are not ours to trust with a card: only the number of the field is taken from them. */
function fieldIn(words: string): string {
  return /\bfield ([0-9]{1,3})\b/.exec(words)?.[1] ?? 'unknown';
}

function withoutSecondBitmap(packed: Buffer): Buffer {
  const short = Buffer.concat([packed.subarray(0, BITMAP + 8), packed.subarray(BITMAP + 16)]);
  short.writeUInt8(short.readUInt8(BITMAP) & ~SECOND_BITMAP, BITMAP);
  return short;
}

/**
 * Reads bytes as `packMessage` writes them, or with a second bitmap that is empty. The library is lenient (it reads past the end,
 * and takes any text), so what it has read is packed again and compared: only the very same bytes are a message. Throws
 * UnreadableMessageError.
 */
export function unpackMessage(bytes: Uint8Array): Message {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = readLeniently(given);
  const { 0: type = '', ...fields } = read;
  const unknown = Object.keys(fields).find((field) => !(field in FIELDS));
  if (unknown !== undefined) throw new UnreadableMessageError(`field ${unknown} is none that we know`);
  const message = { type, fields: fields as Fields };
  if (!packsTo(message, given)) throw new UnreadableMessageError(`a message of ${given.length} bytes does not match its bitmap`);
  return message;
}

function readLeniently(bytes: Buffer): Record<string, string> {
  if (bytes.length < BITMAP + 8) throw new UnreadableMessageError('no type and bitmap');
  const read = new Iso8583(undefined, FORMATS).getIsoJSON(bytes, { lenHeader: false, bitmapEncoding: 'hex' });
  if (typeof read.error === 'string') throw new UnreadableMessageError(`field ${fieldIn(read.error)} can not be read`);
  return read as Record<string, string>;
}

function packsTo(message: Message, bytes: Buffer): boolean {
  try {
    return packMessage(message).equals(bytes) || packWithBothBitmaps(message).equals(bytes);
  } catch {
    return false;
  }
}

function numeric(lenType: string, maxLen: number, label: string): FieldFormat {
  return { ContentType: 'n', Label: label, LenType: lenType, MaxLen: maxLen };
}

function characters(lenType: string, maxLen: number, label: string): FieldFormat {
  return { ContentType: 'ans', Label: label, LenType: lenType, MaxLen: maxLen };
}
